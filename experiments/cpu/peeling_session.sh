#!/usr/bin/env bash
# peeling_session.sh BUILD OUT: likelihoods on the CPU beside BEAGLE's (libhmsbeagle-dev has to be installed), variants side by side in
# each run: codons of the paper's dimensions on one core and on all, amino acids and nucleotides, single precision, and lesser
# instruction sets (about a minute and a half each; the machine should have nothing else to do).
# results/peeling_*core*.tsv were made by it on two cores. A benchmark, not a test: it records and judges nothing.
set -euo pipefail
build=$1 out=$2
mkdir -p "$out"
measure() { # name, threads, instruction set or nothing, options...
    local name=$1 threads=$2 isa=$3
    shift 3
    if WL_CPU_ISA=$isa OMP_NUM_THREADS=$threads "$build/warpladder-more" run peeling/cpu_simd --device cpu "$@" \
        --out "$out/$name"; then
        mv "$out/$name/peeling.tsv" "$out/peeling_${name}_${threads}core${isa:+_$isa}.tsv"
    fi
    rm -rf "${out:?}/$name"
}
cores=$(nproc)
codons=(--model GY94+G4 --taxa 62 --patterns 3600)
measure beagle 1 '' "${codons[@]}"
measure beagle "$cores" '' "${codons[@]}"
measure beagle_amino "$cores" '' --model WAG+G4 --taxa 62 --patterns 10000
measure beagle_nucleotides "$cores" '' --model GTR+G4 --taxa 62 --patterns 50000
measure codons_single "$cores" '' "${codons[@]}" --precision single
measure nucleotides_single "$cores" '' --model GTR+G4 --taxa 62 --patterns 50000 --precision single
for isa in avx2 portable; do measure codons "$cores" "$isa" "${codons[@]}"; done
