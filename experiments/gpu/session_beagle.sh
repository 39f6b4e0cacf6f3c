#!/usr/bin/env bash
# session_beagle.sh BUILD OUT [PART...]: our library with BEAGLE's interface on a GPU. BUILD has warpladder, warpladder-tests and the library with
# CUDA. Parts, all of them where none is named:
#   check      every call, beside BEAGLE's CPU code                                                     a few seconds
#   memcheck   more than 100 random interleavings of calls, and then every call, under compute-sanitizer   two minutes
#   times      MrBayes with codons: BEAGLE's CPU code on all cores, ours, and our GPU resource         four minutes
#   pays       from which size on a GPU is faster than the CPU                                          half a minute
# MB, THEIRS, CODONS, CODON_GENERATIONS: as experiments/cpu/beagle_session.sh takes them. OUT/beagle_h200.tsv, beagle_memcheck_h200.tsv and
# beagle_pays_h200.tsv are results/. Exit code 1 if anything went wrong.
# shellcheck disable=SC2317 # step calls the functions
set -uo pipefail
build=$(cd "$1" && pwd) out=$2 failed=0
shift 2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
[ $# -gt 0 ] || set -- check memcheck times pays
ours=$build/lib/warpladder/beagle/libhmsbeagle.so.1
theirs=${THEIRS:+$THEIRS/}libhmsbeagle.so.1
# BEAGLE finds its plug-ins by the loader's path; the tests are linked with its library, too.
with_theirs() { LD_LIBRARY_PATH=${THEIRS:+$THEIRS:}${LD_LIBRARY_PATH:-} "$@"; }

# shellcheck source=experiments/gpu/step.sh
. "$here/step.sh"
header() {
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/# gpu: /'
    sed -n 's/^model name[^:]*: /# cpu: /p' /proc/cpuinfo | head -n 1
    "$build/warpladder" machine --json | sed -n 's/.*"commit": *"\([^"]*\)".*/# commit: \1/p'
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "# command: experiments/gpu/session_beagle.sh BUILD OUT $1"
}

check() { with_theirs "$build/warpladder-tests" beagle.interface --gpu "$ours" "$theirs"; }

sanitize() { # WHAT OPTIONS...: a row of what the tool and the program say
    local what=$1 said=$out/memcheck_$1.txt code=0
    shift
    with_theirs timeout 200 compute-sanitizer --tool memcheck --leak-check full --error-exitcode 9 "$build/warpladder-tests" \
        beagle.interface --gpu "$@" "$ours" "$theirs" >"$said" 2>&1 || code=$?
    grep -E 'interleaved|compared|SUMMARY' "$said"
    awk -v what="$what" -v code="$code" '
        / interleaved$/ { instances = $1 } / compared, / { numbers = $1; wrong = $4 }
        /LEAK SUMMARY/ { leaked = $4 } /ERROR SUMMARY/ { errors = $4 }
        END { printf "%s\t%d\t%s\t%s\t%s\t%s\t%d\n", what, instances, numbers, wrong, errors, leaked, code }' "$said" >>"$out/beagle_memcheck_h200.tsv"
    return "$code"
}
memcheck() {
    local code=0
    {
        echo "# What compute-sanitizer says of calls on a GPU resource, and how many numbers were compared with BEAGLE's CPU code."
        header memcheck
        printf 'calls\tinstances\tnumbers\twrong\terrors\tleaked_bytes\texit_code\n'
    } >"$out/beagle_memcheck_h200.tsv"
    sanitize interleavings --interleavings || code=1
    sanitize all || code=1
    return "$code"
}

times() {
    COMMAND="experiments/gpu/session_beagle.sh BUILD OUT times" GPU=1 SINGLE=${SINGLE:-0} ONLY=${ONLY:-codons} \
        CODON_GENERATIONS=${CODON_GENERATIONS:-200} "$here/../cpu/beagle_session.sh" "$build/warpladder" "$out/beagle_h200.tsv"
}

pays() {
    {
        echo "# Milliseconds per evaluation of a tree of 32 tips, as beagleGetBenchmarkedResourceList measures them, in double precision."
        header pays
        python3 "$here/beagle_pays.py" "$ours"
    } >"$out/beagle_pays_h200.tsv" && cat "$out/beagle_pays_h200.tsv"
}

for part; do step "$part" "$part"; done
exit $failed
