#!/usr/bin/env bash
# judges.sh build FOLDER              compiles tests/sim/judges' programs with nvcc into FOLDER
# judges.sh run FOLDER OUT            runs each under compute-sanitizer's memcheck and racecheck, with one input: OUT/judges_memcheck_h200.tsv
#                                     and OUT/judges_racecheck_h200.tsv, as results/judges.tsv, and a log of each
# A program that hangs a GPU is ended after a minute. Exit code 4: no GPU.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
judges=$here/../../tests/sim/judges
folder=$2
case $1 in
build)
    python3 -B "$judges/generate.py" "$folder"
    export judges folder
    # shellcheck disable=SC2016
    find "$folder" -name 'judges*.cu' -print0 |
        xargs -0 -P "$(nproc)" -I{} bash -c 'nvcc -std=c++17 -arch=sm_90 -lineinfo -I"$judges" "$1" -o "${1%.cu}"' - {}
    ;;
run)
    out=$3
    command -v nvidia-smi >/dev/null && nvidia-smi >/dev/null || exit 4
    for tool in memcheck racecheck; do
        python3 -B "$judges/judge.py" "$folder" --built --sanitizer "$tool" --inputs 1 --seed 1 --jobs 8 \
            --log "$out/judges_$tool.log" --results "$out/judges_${tool}_h200.tsv" | tail -n 1
        gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)
        sed -i "1a # gpu: $gpu" "$out/judges_${tool}_h200.tsv"
    done
    ;;
esac
