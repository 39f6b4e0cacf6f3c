#!/usr/bin/env bash
# session.sh BUILD OUT: what results/ holds of the lessons' first measurements on a GPU machine, in one go (under ten minutes on an
# H200): intrinsics, checks, sanitizers, times, counters. session_beyond.sh has lessons 06 and later and `distances`, session_PROBLEM.sh
# the other ladders. Prints a summary; the files go to OUT. Exit code 1 if anything went wrong.
set -uo pipefail
build=$(cd "$1" && pwd) out=$2 failed=0
cd "$(dirname "$0")/../.." || exit
mkdir -p "$out"
export WL_DATA=$PWD

step() {
    local name=$1
    shift
    echo "== $name"
    "$@" || {
        echo "FAILED: $name"
        failed=1
    }
}
# shellcheck disable=SC2317 # step calls it
sanitize() { # one line a tool; the shapes are awkward on purpose
    compute-sanitizer --tool "$1" --error-exitcode 9 "$build/warpladder" check 'lessons/0*' --device gpu \
        --instances 33 --attributes 513 --datasets 1 2>&1 | grep SUMMARY
}

step machine "$build/warpladder" machine --measure
step intrinsics sh -c "'$build/intrinsics_gpu' >'$out/intrinsics_h200.tsv'"
step check "$build/warpladder" check lessons --device gpu
# More rows than a grid has blocks in y: 20 GB of distances.
step "check, 70,000 instances" "$build/warpladder" check 'lessons/0[6-9]*' 'lessons/1*' --device gpu --instances 70000 \
    --attributes 12
for tool in memcheck racecheck initcheck synccheck; do step "compute-sanitizer $tool" sanitize $tool; done
step counters sh -c "experiments/gpu/count_hardware.sh '$build' >'$out/ncu_h200.tsv'"
step "counters compared" sh -c "tests/sim/counters/compare_counters.sh '$build' '$out/ncu_h200.tsv' >'$out/counters_h200.tsv'"
step "lessons, paper's size" "$build/warpladder" run lessons --device gpu --out "$out/paper"
for run in a b; do
    step "lessons, 4096 x 8192, run $run" "$build/warpladder" run lessons --device gpu --instances 4096 --attributes 8192 \
        --out "$out/large_$run"
done
step "lessons, 10,000 x 10,000 nucleotides" "$build/warpladder" run 'lessons/0[5-9]*' 'lessons/1*' --device gpu \
    --instances 10000 --attributes 10000 --alphabet 4 --out "$out/nucleotides"
step reproduce "$build/warpladder" reproduce payne2010 --device gpu --out "$out/payne"
exit $failed
