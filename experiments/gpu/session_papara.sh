#!/usr/bin/env bash
# session_papara.sh BUILD OUT [PART...]: all that results/ holds of papara on a GPU machine. The parts, all of them when none is named,
# each with what it takes on an H200:
#
#   check       machine, every stage against the reference on every shape, 100,000 pairs of two kinds       two minutes
#   sanitize    compute-sanitizer's four tools on all stages, tiny shapes                                   two minutes
#   count       Nsight Compute's counters beside the simulated device's                                     a minute
#   small       all stages at a shape that the first can do, 1,250 reads x 320 vectors x 1,000 sites        two minutes
#   full        the last stages ($STAGES) over batches that fill the device, at each length of $SITES       five minutes
#   protein     the loops of papara_loops.cu (built as LOOPS, or left out), then amino acids beside DNA, stages 06, 08 and 09, 5,000 sites
#                                                                                                           one minute
#   reproduce   Alachiotis et al. 2012, all tables (or $TABLES); as many GPUs as there are                  ten minutes
#   tool        align-reads, end to end, on simulated data of 16S.B.ALL's size (or $TOOL): one GPU, the hybrid, and two
#               GPUs where there are two; the outputs are compared byte for byte                            ten minutes
#   accuracy    the share of letters that come back to their columns                                        a minute
#
# Prints a summary; result files go to OUT, named as results/ has them. Exit code 1 if anything went wrong.
set -uo pipefail
build=$(cd "$1" && pwd) out=$2 failed=0
shift 2
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/../.." || exit
export WL_DATA=$PWD
[ $# -gt 0 ] || set -- check sanitize count small full protein reproduce tool accuracy
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stages=${STAGES:-papara/05* papara/0[6-9]*}
# 5,000 first: it is the number that is quoted, should the time run out.
sites=${SITES:-5000 1000 50000 500000}
tool=${TOOL:---taxa 13822 --sites 6857 --reads 13820 --length 29-483}
gpus=$(nvidia-smi -L | wc -l)

# shellcheck source=experiments/gpu/step.sh
. experiments/gpu/step.sh
# shellcheck disable=SC2317 # step calls them
sanitize() { # one line a tool; odd warps, vectors that end in a stripe, reads as long as the sites and of one letter
    compute-sanitizer --tool "$1" --error-exitcode 9 "$build/warpladder" check 'papara/0*' --device gpu \
        --read-lengths 1,13,40,61 --vectors 67 --sites 61 >"$scratch/said" 2>&1
    local status=$?
    grep -E 'SUMMARY|FAILED|error' "$scratch/said" | head -20
    return "$status"
}
# shellcheck disable=SC2317
sanitize_protein() {
    compute-sanitizer --tool "$1" --error-exitcode 9 "$build/warpladder" check 'papara/09*' --device gpu --protein \
        --read-lengths 1,13,40,61,66,70,2,8,9 --vectors 67 --sites 71 >"$scratch/said" 2>&1
    local status=$?
    grep -E 'SUMMARY|FAILED|error' "$scratch/said" | head -20
    return "$status"
}
# shellcheck disable=SC2317
align_protein() { # the same bytes from the CPU and the GPU, which takes the last stage
    local device
    "$build/warpladder" simulate-reads --protein --taxa 200 --sites 600 --reads 2000 --length 20-120 --seed 1 --out "$scratch/protein" || return
    for device in cpu gpu:0; do
        "$build/warpladder" align-reads --protein --tree "$scratch/protein/tree.nwk" --reference "$scratch/protein/reference.fasta" \
            --reads "$scratch/protein/reads.fasta" --device "$device" --table "$scratch/$device.tsv" -o "$scratch/$device.phy" || return
    done
    cmp "$scratch/cpu.phy" "$scratch/gpu:0.phy" && cmp "$scratch/cpu.tsv" "$scratch/gpu:0.tsv"
}
# shellcheck disable=SC2317
run() { # NAME ARGUMENTS...
    local name=$1
    shift
    "$build/warpladder" run "$@" --device gpu --out "$scratch" || return
    cp "$scratch/papara.tsv" "$out/papara_${name}_h200.tsv"
}
# Batches that fill the device at this length. In the last stage a warp takes 64 pairs, and 1,056 of an H200's warps are resident: ten times as
# many pairs and more, at 500,000 sites a little less than four times. Checking and timing the CPU take a minute or two for each.
batch() { # SITES
    case $1 in
        1000) echo --reads 2500 --vectors 5120 ;;
        5000) echo --reads 1250 --vectors 2560 ;;
        50000) echo --reads 1250 --vectors 640 ;;
        500000) echo --reads 840 --vectors 320 ;;
        *) echo --reads 1250 --vectors 640 ;;
    esac
}
# shellcheck disable=SC2317
reproduce() { # TABLES
    local status=0 file
    "$build/warpladder" reproduce alachiotis2012 --table "$1" --out "$scratch" || status=$?
    for file in table1 table2 table3; do
        if [ -e "$scratch/alachiotis2012_$file.tsv" ]; then
            cp "$scratch/alachiotis2012_$file.tsv" "$out/alachiotis2012_${file}_h200.tsv"
        fi
    done
    if [ -e "$scratch/alachiotis2012_accuracy.tsv" ]; then
        cp "$scratch/alachiotis2012_accuracy.tsv" "$out/papara_accuracy.tsv"
    fi
    return "$status"
}
# shellcheck disable=SC2317
align() { # NAME DEVICE: the alignment, its table of edges and what the tool says of its time
    "$build/warpladder" align-reads --tree "$scratch/data/tree.nwk" --reference "$scratch/data/reference.fasta" \
        --reads "$scratch/data/reads.fasta" --device "$2" --table "$scratch/$1.tsv" -o "$scratch/$1.phy" \
        2>"$scratch/$1.said" || {
        cat "$scratch/$1.said"
        return 1
    }
    cat "$scratch/$1.said"
    sed -nE "s/.*scoring ([0-9.]+) s, ([0-9.]+) GCUPS, ([0-9.]+) s of processor time.*aligning ([0-9.]+) s; ([0-9.]+) s in all.*/$1\t$2\t\1\t\2\t\3\t\4\t\5/p" \
        "$scratch/$1.said" >>"$out/papara_tool_h200.tsv"
    if [ "$1" != one ]; then
        cmp "$scratch/one.phy" "$scratch/$1.phy" && cmp "$scratch/one.tsv" "$scratch/$1.tsv"
    fi
}

for part in "$@"; do
    case $part in
        check)
            step machine "$build/warpladder" machine --measure
            step check "$build/warpladder" check papara --device gpu
            for kind in gaps ambiguous; do
                step "100,000 pairs, $kind" "$build/warpladder" check 'papara/0*' --device gpu --kind $kind --vectors 1250 \
                    --sites 300 --read-lengths 1,2,5,6,7,11,12,13,31,32,33,63,64,65,99,100,101,127,128,129,255,256,257,299,300 \
                    --reads 80
            done
            ;;
        sanitize) for check in memcheck racecheck initcheck synccheck; do step "compute-sanitizer $check" sanitize $check; done ;;
        count)
            step counters sh -c "experiments/gpu/count_hardware_ladder.sh papara '$build' >'$out/papara_ncu_h200.tsv'"
            step "counters compared" sh -c "tests/sim/counters/compare_counters_ladder.sh papara '$build' '$out/papara_ncu_h200.tsv' >'$out/papara_hardware.tsv'"
            grep -h DIFFERS "$out/papara_hardware.tsv"
            ;;
        small) step "papara, the paper's launch at 1,000 sites" run 1250x320x1000 papara --sites 1000 --max-time 5 ;;
        full)
            read -ra words <<<"$stages"
            for n in $sites; do
                read -ra shape <<<"$(batch "$n")"
                step "papara, $n sites, ${shape[*]}" run "sites$n" "${words[@]}" --sites "$n" "${shape[@]}" --max-time 8
            done
            ;;
        protein)
            if [ -x "${LOOPS:-}" ]; then
                step loops sh -c "'$LOOPS' >'$out/papara_loops_h200.tsv'"
                cat "$out/papara_loops_h200.tsv"
            fi
            step "shapes of 08 and 09" "$build/warpladder" check 'papara/0[89]*' --device gpu
            step "amino acids" run shared_protein 'papara/06*' 'papara/09*' --protein --reads 1250 --vectors 1280 --sites 5000 --max-time 2
            step "DNA" run shared_dna 'papara/06*' 'papara/0[89]*' --reads 1250 --vectors 1280 --sites 5000 --max-time 2
            step "align-reads --protein, CPU and GPU" align_protein
            step "memcheck, amino acids" sanitize_protein memcheck
            ;;
        reproduce) step "reproduce alachiotis2012" reproduce "${TABLES:-1,2,3}" ;;
        tool)
            read -ra words <<<"$tool"
            step "simulate-reads $tool" "$build/warpladder" simulate-reads "${words[@]}" --seed 1 --out "$scratch/data"
            {
                echo "# what: warpladder align-reads; experiments/gpu/session_papara.sh BUILD OUT tool"
                echo "# data: warpladder simulate-reads $tool --seed 1"
                "$build/warpladder" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /'
                printf 'run\tdevice\tscoring_s\tgcups\tcpu_s\taligning_s\tall_s\n'
            } >"$out/papara_tool_h200.tsv"
            step "align-reads, one GPU" align one gpu:0
            step "align-reads, hybrid of one GPU" align hybrid hybrid:0
            if [ "$gpus" -gt 1 ]; then
                step "align-reads, two GPUs" align two gpu:0,1
                step "align-reads, hybrid of two GPUs" align hybrid_two hybrid:0,1
            fi
            cat "$out/papara_tool_h200.tsv"
            ;;
        accuracy) step accuracy reproduce accuracy ;;
        *)
            echo "session_papara.sh: no part '$part'; expected check, sanitize, count, small, full, protein, reproduce, tool or accuracy" >&2
            exit 2
            ;;
    esac
done
exit $failed
