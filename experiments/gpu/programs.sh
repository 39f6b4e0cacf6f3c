#!/usr/bin/env bash
# programs.sh build FOLDER   builds tests/sim/programs/*.cu with nvcc into FOLDER, for compute capability 9.0
# programs.sh run FOLDER     runs them on a GPU and compares what they print with the files that the simulated device is held to;
#                            a line for each that differs, and how many agree. Exit code 1: some differ; 4: no GPU.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../tests/sim/programs
folder=$2
case $1 in
build)
    mkdir -p "$folder"
    export here folder
    # shellcheck disable=SC2016
    printf '%s\n' "$here"/*.cu | xargs -P "$(nproc)" -I '{}' bash -c 'name=$(basename "{}" .cu)
        nvcc -std=c++17 -arch=sm_90a -rdc=true --extended-lambda "{}" -o "$folder/$name" -lcublas -lcurand -lcudadevrt \
            >"$folder/$name.log" 2>&1 || echo "$name: nvcc does not compile it: $folder/$name.log"'
    ;;
run)
    command -v nvidia-smi >/dev/null && nvidia-smi >/dev/null || exit 4
    same=0 different=0
    for program in "$here"/*.cu; do
        name=$(basename "$program" .cu)
        if timeout 60 "$folder/$name" >"$folder/$name.txt" 2>"$folder/$name.err" &&
            cmp -s <(grep -v '^ \*\* On entry to ' "$folder/$name.txt") "$here/$name.out"; then # which cuBLAS prints of its own
            same=$((same + 1))
        else
            different=$((different + 1))
            echo "$name differs:"
            diff "$here/$name.out" "$folder/$name.txt" | head -n 5 || true
        fi
    done
    echo "$same programs print what the simulated device prints, $different do not"
    [ "$different" -eq 0 ]
    ;;
esac
