#!/usr/bin/env bash
# faults.sh build FOLDER        builds tests/sim/faults/faults.cu with nvcc into FOLDER, for compute capability 9.0
# faults.sh run FOLDER OUT.tsv  runs each fault under the four tools of compute-sanitizer: one row per fault, one column per tool, with
#                               the first line that the tool says about it, or "-"
# tests/sim/faults/run.sh does the same on the simulated device. Exit code 4: no GPU.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../tests/sim/faults
folder=$2
case $1 in
build)
    mkdir -p "$folder"
    nvcc -std=c++17 -arch=sm_90a -lineinfo "$here/faults.cu" -o "$folder/faults"
    ;;
run)
    out=$3
    command -v nvidia-smi >/dev/null && nvidia-smi >/dev/null || exit 4
    export program=$folder/faults scratch
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    "$program" | cut -f 1 >"$scratch/names"
    # shellcheck disable=SC2016
    for tool in memcheck racecheck initcheck synccheck; do sed "s/^/$tool /" "$scratch/names"; done |
        xargs -P 8 -L 1 bash -c 'options=
            [ "$0" = memcheck ] && options="--leak-check full"
            timeout 60 compute-sanitizer --tool "$0" $options "$program" "$1" >"$scratch/$0.$1" 2>&1 || true'
    {
        echo "# Planted faults (tests/sim/faults/faults.cu): what each tool of compute-sanitizer says first."
        echo "# gpu: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)"
        echo "# compute-sanitizer: $(compute-sanitizer --version | sed -n 's/.*[Vv]ersion *//p' | head -n 1)"
        printf 'fault\tmemcheck\tracecheck\tinitcheck\tsynccheck\n'
        while read -r name; do
            printf '%s' "$name"
            for tool in memcheck racecheck initcheck synccheck; do
                said=$(awk '/^========= *(COMPUTE-SANITIZER|ERROR SUMMARY|LEAK SUMMARY|RACECHECK SUMMARY: 0|Saved|Host Frame|Target application)/ { next }
                    sub(/^========= */, "") && NF { print; exit }' "$scratch/$tool.$name")
                case $said in *\"*) said="\"${said//\"/\"\"}\"" ;; esac
                printf '\t%s' "${said:--}"
            done
            echo
        done <"$scratch/names"
    } >"$out"
    while read -r name; do
        echo "== $name"
        timeout 20 "$program" "$name" 2>&1 || echo "exit code $?"
    done <"$scratch/names" >"${out%.tsv}_said.txt" # without a tool
    ;;
esac
