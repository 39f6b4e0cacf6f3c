#!/usr/bin/env bash
# distances_session.sh BUILD OUT [PART...]: distances of 2,000 sequences of 30,000 nucleotides on the CPU, once for each instruction set
# this machine has. The parts, both of them when none is named:
#
#   kernel      the kernel alone (run): three minutes on two cores
#   tool        the whole command, from FASTA to TSV, five times, and --timings once; and snp-dists on the same file where it is
#               installed: half a minute without it
#
# It wants a machine that is idle. results/distances_*core*.tsv, distances_tool_cpu.tsv and distances_timings_cpu.tsv are made by it. A
# benchmark, not a test: it judges nothing.
set -euo pipefail
build=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- kernel tool
parts=" $* "
mkdir -p "$out"
cores=$(nproc)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Relatives that differ at one of a hundred sites, N and gaps among the letters.
awk -v instances=2000 -v sites=30000 'BEGIN {
    srand(1)
    letter = "ACGTACGTACGTACGTN-"
    for (k = 1; k <= sites; k++) base[k] = substr("ACGT", 1 + int(4 * rand()), 1)
    for (i = 1; i <= instances; i++) {
        split("", other)
        for (n = 0; n < sites / 100; n++) other[1 + int(sites * rand())] = substr(letter, 1 + int(18 * rand()), 1)
        printf ">s%d\n", i
        for (k = 1; k <= sites; k++) printf "%s", (k in other) ? other[k] : base[k]
        print ""
    }
}' >"$scratch/alignment.fasta"

whole() { # NAME COMMAND...: five times
    local name=$1 begin end
    shift
    for _ in 1 2 3 4 5; do
        begin=$(date +%s.%N)
        "$@" >"$scratch/$name.tsv"
        end=$(date +%s.%N)
        awk -v name="$name" -v begin="$begin" -v end="$end" 'BEGIN { printf "%s\t%.3f\n", name, end - begin }' |
            tee -a "$out/distances_tool_cpu.tsv"
    done
}

head_of() { # FILE WHAT COLUMNS
    {
        echo "# what: $2, FASTA to TSV, 2,000 sequences of 30,000 nucleotides; experiments/cpu/distances_session.sh"
        "$build/warpladder" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /'
        printf '%b\n' "$3"
    } >"$out/$1"
}
if [[ $parts == *" tool "* ]]; then
    head_of distances_tool_cpu.tsv "whole command" 'program\tseconds'
    head_of distances_timings_cpu.tsv "--timings" 'program\tpart\tseconds\tbytes\tgb_per_s\tbound_gb_per_s\tbound'
fi
for isa in avx512 avx512bw avx2 sse41 portable; do
    WL_CPU_ISA=$isa "$build/warpladder" check distances/cpu_simd --device cpu --rows 9 --sites 99 --quiet 2>/dev/null || continue
    if [[ $parts == *" kernel "* ]]; then
        WL_CPU_ISA=$isa "$build/warpladder" run distances/cpu_simd --device cpu --rows 2000 --sites 30000 --difference 0.01 \
            --missing 0.002 --max-time 5 --out "$out/$isa"
        mv "$out/$isa/distances.tsv" "$out/distances_2000x30000_${cores}core_$isa.tsv"
        rm -rf "${out:?}/$isa"
    fi
    [[ $parts == *" tool "* ]] || continue
    WL_CPU_ISA=$isa whole "$isa" "$build/warpladder" distances "$scratch/alignment.fasta" --device cpu --quiet -b
    WL_CPU_ISA=$isa "$build/warpladder" distances "$scratch/alignment.fasta" --device cpu --quiet -b --timings 2>&1 >"$scratch/$isa.tsv" |
        sed "1d; s/^/$isa\t/" >>"$out/distances_timings_cpu.tsv"
done
if [[ $parts == *" tool "* ]] && command -v snp-dists >/dev/null; then
    whole snp-dists snp-dists -q -b -j "$cores" "$scratch/alignment.fasta"
    for file in "$scratch"/*.tsv; do cmp "$scratch/snp-dists.tsv" "$file"; done
fi
