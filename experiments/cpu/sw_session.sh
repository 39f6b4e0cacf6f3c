#!/usr/bin/env bash
# sw_session.sh BUILD OUT: Smith-Waterman on the CPU, queries of 464 and 729 residues against 40,000 random sequences of 14 M
# residues, once for each instruction set this machine has (about half a minute each).
# results/sw_14M_2core_*.tsv were made by it on two cores. A benchmark, not a test: it records and judges nothing.
set -euo pipefail
build=$1 out=$2
mkdir -p "$out"
for isa in avx512 avx512bw avx2 sse41 portable; do
    if WL_CPU_ISA=$isa "$build/warpladder" run sw/cpu_simd --device cpu --each-query --query-lengths 464,729 \
        --subjects 40000 --letters 14000000 --out "$out/$isa"; then
        mv "$out/$isa/sw.tsv" "$out/sw_14M_$(nproc)core_$isa.tsv"
    fi
    rm -rf "${out:?}/$isa"
done
