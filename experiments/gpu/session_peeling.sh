#!/usr/bin/env bash
# session_peeling.sh BUILD OUT [PART...]: all that results/ holds of peeling on a GPU machine. The parts, all of them when none is named,
# each with what it takes on an H200:
#
#   check       machine, every stage against the reference on every shape                                    a minute
#   sanitize    compute-sanitizer's four tools on all stages, tiny shapes; for racecheck of 10_streamed, BUILD is to be built with
#               -DCMAKE_CUDA_FLAGS=-DWL_EVERY_LANE_ARRIVES (peeling/kit/copy_ahead.h says why)            two minutes
#   count       Nsight Compute's counters beside the simulated device's                                      a minute
#   codon       all stages, 62 taxa x 3,600 codon patterns x 4 rates, both precisions                        a minute
#   patterns    the last stages with 100 to 100,000 codon patterns                                           two minutes
#   nucleotide  all stages with 10,000 and 1,000,000 nucleotide patterns, the last with 100, 30,000, 100,000 four minutes
#   amino       the last stages with 1,000, 10,000 and 100,000 amino-acid patterns                           two minutes
#   two         a chain over 20,000 codon patterns on one GPU and on two                                     half a minute
#   reproduce   Suchard & Rambaut 2009; as many GPUs as there are                                            five minutes
#
# Prints a summary; result files go to OUT, named as results/ has them. Exit code 1 if anything went wrong.
set -uo pipefail
build=$(cd "$1" && pwd) out=$2 failed=0
shift 2
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/../.." || exit
export WL_DATA=$PWD
[ $# -gt 0 ] || set -- check sanitize count codon patterns nucleotide amino two reproduce
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stages=${STAGES:-peeling}
last=${LAST:-peeling/06* peeling/07* peeling/08* peeling/09* peeling/10* peeling/11* peeling/12* peeling/library*}
seconds=${SECONDS_EACH:-3}
gpus=$(nvidia-smi -L | wc -l)

# shellcheck source=experiments/gpu/step.sh
. experiments/gpu/step.sh
# shellcheck disable=SC2317 # step calls them
sanitize() { # one line a tool; patterns that end in the middle of every tile, sets of states, all kinds of joins
    local status=0 model
    for model in "GY94+G2 --precision single" WAG+G2 GTR+G3; do
        # shellcheck disable=SC2086 # two words
        compute-sanitizer --tool "$1" --error-exitcode 9 "$build/warpladder" check 'peeling/[0-9]*' --device gpu \
            --model $model --taxa 12 --patterns 37 --missing 0.1 --ambiguous 0.1 >"$scratch/said" 2>&1 || status=$?
        grep -E 'SUMMARY|FAILED|error' "$scratch/said" | head -20
    done
    # 10_streamed: subtrees side by side, then blocks of seven teams with patterns in some of them, and of seven and two in
    # a balanced tree.
    for model in "--taxa 20 --patterns 40" "--taxa 6 --patterns 250 --tiles 7 --precision single" \
        "--taxa 16 --patterns 120 --tree-shape balanced --tiles 7 --spill 32768" \
        "--taxa 16 --patterns 120 --tree-shape balanced --tiles 2 --spill 32768"; do
        # shellcheck disable=SC2086 # words
        compute-sanitizer --tool "$1" --error-exitcode 9 "$build/warpladder" check 'peeling/10*' --device gpu --model GY94+G2 \
            $model --missing 0.1 --ambiguous 0.1 >"$scratch/said" 2>&1 || status=$?
        grep -E 'SUMMARY|FAILED|error' "$scratch/said" | head -20
    done
    # The widest blocks of 09_resident.
    compute-sanitizer --tool "$1" --error-exitcode 9 "$build/warpladder" check 'peeling/09*' --device gpu --taxa 6 --patterns 3000 \
        >"$scratch/said" 2>&1 || status=$?
    grep -E 'SUMMARY|FAILED|error' "$scratch/said" | head -20
    return "$status"
}
# shellcheck disable=SC2317
run() { # NAME PATTERNS... -- ARGUMENTS...
    local name=$1 words
    read -ra words <<<"$2"
    shift 2
    "$build/warpladder" run "${words[@]}" "$@" --device gpu --max-time "$seconds" --out "$scratch" || return
    cp "$scratch/peeling.tsv" "$out/peeling_${name}_h200.tsv"
}
# The last stage evaluates the whole tree at each step of a chain; the one before recomputes what a step touches.
# shellcheck disable=SC2317
two() {
    "$build/warpladder" run peeling/07* peeling/09* --patterns 20000 --chain 2000 --max-time 4 \
        --device "$([ "$gpus" -gt 1 ] && echo gpu:0,1 || echo gpu)" --out "$scratch" || return
    cp "$scratch/peeling.tsv" "$out/peeling_two_h200.tsv"
}

for part in "$@"; do
    case $part in
        check)
            step machine "$build/warpladder" machine --measure
            step check "$build/warpladder" check peeling --device gpu
            # Slots beyond the 256 MB that 09_resident has for them: launches one after another.
            step "check, several launches" "$build/warpladder" check 'peeling/09*' --device gpu --taxa 512 --tree-shape balanced --patterns 20000
            ;;
        sanitize) for check in ${TOOLS:-memcheck racecheck initcheck synccheck}; do step "compute-sanitizer $check" sanitize "$check"; done ;;
        count)
            step counters sh -c "experiments/gpu/count_hardware_ladder.sh peeling '$build' >'$out/peeling_ncu_h200.tsv'"
            step "counters compared" sh -c "tests/sim/counters/compare_counters_ladder.sh peeling '$build' '$out/peeling_ncu_h200.tsv' >'$out/peeling_hardware.tsv'"
            grep -h DIFFERS "$out/peeling_hardware.tsv"
            ;;
        codon)
            for precision in ${PRECISIONS:-double single}; do
                step "codons, $precision" run "codon_$precision" "$stages" --precision "$precision"
            done
            ;;
        patterns)
            for patterns in 100 1000 10000 100000; do
                for precision in double single; do
                    step "$patterns codon patterns, $precision" run "codon${patterns}_$precision" "$last" \
                        --patterns $patterns --precision $precision
                done
            done
            ;;
        nucleotide)
            for patterns in ${NUCLEOTIDES:-100 10000 30000 100000 1000000}; do
                for precision in ${PRECISIONS:-single double}; do
                    which=$last
                    case $patterns in 10000 | 1000000) which=$stages ;; esac
                    step "$patterns nucleotide patterns, $precision" run "nucleotide${patterns}_$precision" "$which" \
                        --model GTR+G4 --patterns "$patterns" --precision "$precision"
                done
            done
            ;;
        amino)
            for patterns in 1000 10000 100000; do
                for precision in double single; do
                    name=amino${patterns}_$precision
                    step "$patterns amino-acid patterns, $precision" run "${name/o10000_/o_}" "$last" --model WAG+G4 \
                        --patterns $patterns --precision $precision
                done
            done
            ;;
        reproduce)
            step "reproduce suchard2009" "$build/warpladder" reproduce suchard2009 --out "$scratch"
            for file in "$scratch"/suchard2009*.tsv; do
                [ -e "$file" ] && cp "$file" "$out/$(basename "$file" .tsv)_h200.tsv"
            done
            ;;
        two) step "two GPUs" two ;;
        *)
            echo "session_peeling.sh: no part '$part'; the first lines of this file name them" >&2
            exit 2
            ;;
    esac
done
exit $failed
