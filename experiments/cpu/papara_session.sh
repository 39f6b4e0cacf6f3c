#!/usr/bin/env bash
# papara_session.sh BUILD OUT: PaPaRa on the CPU, once for each instruction set this machine has: 2,000 reads of about 100 letters against
# the 197 edges of 100 taxa, 1,500 sites, and 50,000 sites with fewer reads (about half a minute each).
# results/papara_*_2core_*.tsv were made by it on two cores. A benchmark, not a test: it records and judges nothing.
set -euo pipefail
build=$1 out=$2
mkdir -p "$out"
for isa in avx512bw avx2 sse41 portable; do
    for sites in 1500 50000; do
        reads=2000
        if [ "$sites" -gt 5000 ]; then reads=200; fi
        if WL_CPU_ISA=$isa "$build/warpladder" run papara/cpu_simd --device cpu --vectors 197 --sites "$sites" \
            --reads "$reads" --out "$out/$isa"; then
            mv "$out/$isa/papara.tsv" "$out/papara_sites${sites}_$(nproc)core_$isa.tsv"
        fi
        rm -rf "${out:?}/$isa"
    done
done
