#!/bin/sh
# run.sh WARPLADDER FOLDER GROUP : builds each program GROUP_*.cu beside this script with `warpladder cc`, runs it, and compares what it
# prints with GROUP_*.out, two at a time. FOLDER is for the programs. experiments/gpu/programs.sh runs them on a GPU.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "$1" = --one ]; then
    name=$(basename "$2" .cu) folder=$3 warpladder=$4
    if ! "$warpladder" cc "$here/$name.cu" -o "$folder/$name" >"$folder/$name.log" 2>&1; then
        echo "$name: does not compile"
        cut -c1-300 "$folder/$name.log" | head -20
        exit 1
    fi
    code=0
    WL_SIM_QUIET=1 timeout 60 "$folder/$name" >"$folder/$name.txt" 2>"$folder/$name.err" || code=$?
    if [ "$code" -ne 0 ] || ! cmp -s "$folder/$name.txt" "$here/$name.out"; then
        echo "$name: exit code $code; expected (<) and printed (>):"
        diff "$here/$name.out" "$folder/$name.txt" | head -20
        head -5 "$folder/$name.err"
        exit 1
    fi
    rm -f "$folder/$name"
    exit 0
fi
warpladder=$1 folder=$2/$3 group=$3
mkdir -p "$folder"
export here
# shellcheck disable=SC2016
if ! printf '%s\n' "$here/$group"_*.cu | xargs -P 2 -I '{}' sh "$0" --one '{}' "$folder" "$warpladder"; then
    exit 1
fi
echo "$(find "$here" -name "${group}_*.cu" | wc -l) programs"
