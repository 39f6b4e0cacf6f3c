#!/usr/bin/env bash
# session_sw.sh BUILD OUT [PART...]: all that results/ holds of sw on a GPU machine. The parts, all of them when none is named, each
# with what it takes on an H200:
#
#   check       machine, and every stage against the reference on every shape          a minute
#   sanitize    compute-sanitizer's four tools on all stages, tiny shapes              two minutes
#   count       Nsight Compute's counters beside the simulated device's                a minute
#   small       all stages on 20,000 sequences                                         two minutes
#   full        the last stages ($STAGES) on the 570,000 sequences and 20 queries of the peers' measurement
#   short       one query of 10, 20 and 31 residues, and two of 10, on the 570,000 sequences
#                                                                                      30 s
#   search      whole searches: gap costs that kernels are compiled for, a chromosome of 100 million letters, short queries
#                                                                                      a minute
#   pairs       one long pair, and few subjects: stage 10, the stages before it and the CPU                   a minute
#   reproduce   Ligowski & Rudnicki 2009, Figure 4; two GPUs where there are two       three minutes
#
# Prints a summary; at most eight files go to OUT, named as results/ has them. Exit code 1 if anything went wrong.
set -uo pipefail
build=$(cd "$1" && pwd) out=$2 failed=0
shift 2
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/../.." || exit
export WL_DATA=$PWD
[ $# -gt 0 ] || set -- check sanitize count small full short search pairs reproduce
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stages=${STAGES:-sw/0[5-9]*}
queries=144,189,222,375,464,567,657,729,850,1000,1500,2005,2504,3005,3564,4061,4548,4743,5147,5478

# shellcheck source=experiments/gpu/step.sh
. experiments/gpu/step.sh
# shellcheck disable=SC2317 # step calls them
sanitize() { # one line a tool; the shape has an odd warp, an odd band, and lengths of all sizes
    compute-sanitizer --tool "$1" --error-exitcode 9 "$build/warpladder" check "${SANITIZED:-sw/[01]*}" --device gpu \
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

# shellcheck disable=SC2317
head_of() { # NAME WHAT COLUMN...: OUT/NAME_h200.tsv begins
    local file=$out/$1_h200.tsv IFS=$'\t'
    printf '# what: %s\n' "$2" >"$file"
    "$build/warpladder" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /' >>"$file"
    shift 2
    printf '%s\n' "$*" >>"$file"
}
# Lines of OUT/sw_more_h200.tsv: what is searched, run, the report's md5, and what the program says about the scan.
# shellcheck disable=SC2317
searched() { # WHAT ARGUMENTS...
    local what=$1 run begun wall
    shift
    for run in 1 2; do
        begun=$EPOCHREALTIME
        "$build/warpladder" search --device gpu "$@" --format tabular >"$scratch/hits$run" 2>"$scratch/said" || return
        wall=$(awk "BEGIN { printf \"%.2f\", $EPOCHREALTIME - $begun }")
        sed -nE "s/.*scan ([0-9.]+) s, ([0-9.]+) GCUPS on .*\(([^ )]+)\); ([0-9.]+) s in all.*/$what\t$run\t$(md5sum <"$scratch/hits$run" |
            cut -c1-12)\t\1\t\2\t\4\t\3\t$wall/p" "$scratch/said" | tee -a "$out/sw_more_h200.tsv"
    done
    cmp "$scratch/hits1" "$scratch/hits2"
}
# shellcheck disable=SC2317
searches() {
    head_of sw_more 'warpladder search --device gpu, experiments/gpu/session_sw.sh search; hits: their md5' \
        what run hits scan_s gcups total_s variant wall_s
    python3 experiments/gpu/proteins.py 570000 1 "$queries" "$scratch/p.fa" "$scratch/q.fa" &&
        "$build/warpladder" makedb "$scratch/p.fa" "$scratch/p.wdb" || return
    searched "20 queries, gaps 11 and 1" --db "$scratch/p.wdb" --query "$scratch/q.fa" || return
    searched "20 queries, --device auto" --db "$scratch/p.wdb" --query "$scratch/q.fa" --device auto || return
    searched "20 queries, gaps 10 and 2" --db "$scratch/p.wdb" --query "$scratch/q.fa" --gap-open 10 --gap-extend 2 || return
    python3 experiments/gpu/proteins.py 1000 2 "$(seq -s, 8 2 30)" "$scratch/x.fa" "$scratch/short.fa" || return
    searched "12 queries of 8 to 30" --db "$scratch/p.wdb" --query "$scratch/short.fa" --evalue 1e-3 || return
    python3 experiments/gpu/proteins.py 1 4 36 "$scratch/x.fa" "$scratch/36.fa" || return
    searched "a query of 36" --db "$scratch/p.wdb" --query "$scratch/36.fa" || return
    searched "a query of 36, --device auto" --db "$scratch/p.wdb" --query "$scratch/36.fa" --device auto || return
    python3 experiments/gpu/proteins.py 1 3 464,1000 "$scratch/x.fa" "$scratch/two.fa" &&
        python3 -c "
import numpy as np
letters = np.frombuffer(b'ARNDCQEGHILKMFPSTWYV', np.uint8)[np.random.default_rng(5).integers(0, 20, 100_000_000)]
open('$scratch/c.fa', 'wb').write(b'>chromosome\n' + letters.tobytes() + b'\n')" || return
    "$build/warpladder" makedb "$scratch/c.fa" "$scratch/c.wdb" || return
    searched "464 and 1,000 on 100 million letters" --db "$scratch/c.wdb" --query "$scratch/two.fa" --evalue 1e-9
}

# Lines of OUT/sw_pairs_h200.tsv: inputs like those of experiments/cpu/search_session.sh, a pair of a million letters each, and subjects of all lengths.
# shellcheck disable=SC2317
paired() { # WHAT QUERIES DATABASE LEAST_SCORE
    local what=$1 run device stages
    for run in 1 2 3; do
        for device in "gpu *" "gpu 0*" "cpu *"; do
            stages=${device#* } device=${device% *}
            if [ "$run$device" != 1cpu ] && [ "$run" -gt 1 ] && [ "$device" = cpu ]; then continue; fi
            if [ "$what$stages" = "million0*" ]; then continue; fi # minutes
            timeout 60 "$build/warpladder" search --query "$scratch/$2.fa" --db "$scratch/$3.fa" --device "$device" --variant "$stages" \
                --nucleotide --match 2 --mismatch -3 --gap-open 3 --gap-extend 2 --strand plus --min-score "$4" --timings \
                --format 'qseqid sseqid score' >"$scratch/hits.$device" 2>"$scratch/said" || return
            [ "$run$device$stages" = "1gpu*" ] && cp "$scratch/hits.gpu" "$scratch/hits"
            cmp "$scratch/hits" "$scratch/hits.$device" || return
            awk -v what="$what" -v run="$run" -v device="$device" -v OFS='\t' '
                match($0, /\([^ ()]+\); [0-9.]+ s in all/) {
                    split(substr($0, RSTART + 1, RLENGTH - 1), word, /[); ]+/)
                    variant = word[1]
                    all = word[2]
                }
                $1 == "kernel" { kernel = $2 }
                END { print what, run, device, variant, kernel, all }' "$scratch/said" | tee -a "$out/sw_pairs_h200.tsv"
        done
    done
}
# shellcheck disable=SC2317
pairs() {
    head_of sw_pairs 'seconds of warpladder search, experiments/gpu/session_sw.sh pairs; all devices have the same hits' \
        what run device variant kernel_s total_s
    python3 experiments/gpu/pairs.py "$scratch" || return
    paired unrelated unrelated long 20 && paired related related long 100 && paired phage forty phage 100 &&
        paired million million other 1000 && paired mixed unrelated mixed 33
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
            step "short queries, 60,000 subjects" "$build/warpladder" check 'sw/0[89]*' --device gpu --kind related \
                --subjects 60000 --longest 600 --query-lengths "$(seq -s, 32)"
            ;;
        sanitize) for tool in memcheck racecheck initcheck synccheck; do step "compute-sanitizer $tool" sanitize $tool; done ;;
        count)
            step counters sh -c "experiments/gpu/count_hardware_ladder.sh sw '$build' >'$out/sw_ncu_h200.tsv'"
            step "counters compared" sh -c "tests/sim/counters/compare_counters_ladder.sh sw '$build' '$out/sw_ncu_h200.tsv' >'$out/sw_hardware.tsv'"
            grep -h DIFFERS "$out/sw_hardware.tsv"
            ;;
        small) step "sw, 20,000 sequences" run 20000 sw --subjects 20000 --max-time 5 ;;
        full)
            read -ra words <<<"$stages"
            step "sw, 570,000 sequences" run 570000 "${words[@]}" --subjects 570000 --query-lengths $queries --max-time 10
            ;;
        short)
            for lengths in 10 20 31 10,10; do
                step "sw, short queries: $lengths" run "short${lengths/,/_}" 'sw/0[89]*' --subjects 570000 --query-lengths $lengths \
                    --max-time 1
            done
            ;;
        search) step "searches" searches ;;
        pairs) step "long pairs" pairs ;;
        reproduce) step "reproduce ligowski2009" reproduce ;;
        *)
            echo "session_sw.sh: no part '$part'; expected check, sanitize, count, small, full, short, search, pairs or reproduce" >&2
            exit 2
            ;;
    esac
done
exit $failed
