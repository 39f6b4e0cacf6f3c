#!/usr/bin/env bash
# session_sw.sh BUILD OUT [PART...]: all that results/ holds of sw on a GPU machine. The parts, all of them when none is named, each
# with what it takes on an H200:
#
#   check       machine, and every stage against the reference on every shape          a minute
#   sanitize    compute-sanitizer's four tools on all stages, tiny shapes              two minutes
#   count       Nsight Compute's counters beside the simulated device's                a minute
#   small       all stages on 20,000 sequences                                         two minutes
#   full        the last stages ($STAGES) on the 570,000 sequences and 20 queries of the peers' measurement
#   reproduce   Ligowski & Rudnicki 2009, Figure 4; two GPUs where there are two       three minutes
#
# Prints a summary; at most seven files go to OUT, named as results/ has them. Exit code 1 if anything went wrong.
set -uo pipefail
build=$(cd "$1" && pwd) out=$2 failed=0
shift 2
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/../.." || exit
export WL_DATA=$PWD
[ $# -gt 0 ] || set -- check sanitize count small full reproduce
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stages=${STAGES:-sw/0[5-9]*}
queries=144,189,222,375,464,567,657,729,850,1000,1500,2005,2504,3005,3564,4061,4548,4743,5147,5478

step() {
    local name=$1 begin=$SECONDS
    shift
    echo "== $name"
    "$@" || {
        echo "FAILED: $name"
        failed=1
    }
    echo "-- $((SECONDS - begin)) s"
}
# shellcheck disable=SC2317 # step calls them
sanitize() { # one line a tool; the shape has an odd warp, an odd band, and lengths of all sizes
    compute-sanitizer --tool "$1" --error-exitcode 9 "$build/warpladder" check 'sw/[01]*' --device gpu \
        --subjects 67 --longest 60 --query-lengths 25,13 >"$scratch/said" 2>&1
    local status=$?
    grep -E 'SUMMARY|FAILED|error' "$scratch/said" | head -20
    return "$status"
}
# shellcheck disable=SC2317
run() { # NAME ARGUMENTS...
    local name=$1
    shift
    "$build/warpladder" run "$@" --device gpu --out "$scratch" || return
    cp "$scratch/sw.tsv" "$out/sw_${name}_h200.tsv"
}
# shellcheck disable=SC2317
reproduce() {
    local status=0 file
    "$build/warpladder" reproduce ligowski2009 --out "$scratch" || status=$?
    for file in ligowski2009 ligowski2009_limits; do
        if [ -e "$scratch/$file.tsv" ]; then cp "$scratch/$file.tsv" "$out/${file}_h200.tsv"; fi
    done
    return "$status"
}

for part in "$@"; do
    case $part in
        check)
            step machine "$build/warpladder" machine --measure
            step check "$build/warpladder" check sw --device gpu
            for kind in letters related; do
                step "100,000 pairs, $kind" "$build/warpladder" check 'sw/0*' --device gpu --kind $kind --subjects 5000 \
                    --longest 300 --query-lengths 1,7,8,9,15,16,17,31,32,33,63,64,65,127,128,129,255,256,257,600
            done
            ;;
        sanitize) for tool in memcheck racecheck initcheck synccheck; do step "compute-sanitizer $tool" sanitize $tool; done ;;
        count)
            step counters sh -c "tests/gpu/count_hardware_ladder.sh sw '$build' >'$out/sw_ncu_h200.tsv'"
            step "counters compared" sh -c "tests/gpu/compare_counters_ladder.sh sw '$build' '$out/sw_ncu_h200.tsv' >'$out/sw_hardware.tsv'"
            grep -h DIFFERS "$out/sw_hardware.tsv"
            ;;
        small) step "sw, 20,000 sequences" run 20000 sw --subjects 20000 --max-time 5 ;;
        full)
            read -ra words <<<"$stages"
            step "sw, 570,000 sequences" run 570000 "${words[@]}" --subjects 570000 --query-lengths $queries --max-time 10
            ;;
        reproduce) step "reproduce ligowski2009" reproduce ;;
        *)
            echo "session_sw.sh: no part '$part'; expected check, sanitize, count, small, full or reproduce" >&2
            exit 2
            ;;
    esac
done
exit $failed
