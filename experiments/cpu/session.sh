#!/usr/bin/env bash
# session.sh BUILD OUT: the CPU code against the serial code at 2,048 x 16,384, once for each instruction set this machine
# has (about a minute each). results/lessons_2048x16384_2core_*.tsv were made by it on two cores. A benchmark, not a
# test: it records ratios taken in one run and judges nothing.
set -euo pipefail
build=$1 out=$2
mkdir -p "$out"
for isa in avx512 avx2 portable; do
    if WL_CPU_ISA=$isa "$build/warpladder" run lessons --device cpu --instances 2048 --attributes 16384 \
        --out "$out/$isa"; then
        mv "$out/$isa/lessons.tsv" "$out/lessons_2048x16384_$(nproc)core_$isa.tsv"
    fi
    rm -rf "${out:?}/$isa"
done
