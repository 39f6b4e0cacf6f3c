#!/bin/sh
# run.sh FOLDER GROUP COMPILER... : builds each program GROUP_*.cu beside this script with `COMPILER... IN.cu OUT`, runs it, and compares
# what it prints with GROUP_*.out, two at a time. FOLDER is for the programs. A real GPU prints the same.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "$1" = --one ]; then
    shift
    name=$(basename "$1" .cu) folder=$2
    shift 2
    if ! "$@" "$here/$name.cu" "$folder/$name" >"$folder/$name.log" 2>&1; then
        echo "$name: does not compile"
        cut -c1-300 "$folder/$name.log" | head -20
        exit 1
    fi
    code=0
    timeout 60 "$folder/$name" >"$folder/$name.txt" 2>"$folder/$name.err" || code=$?
    if [ "$code" -ne 0 ] || ! cmp -s "$folder/$name.txt" "$here/$name.out"; then
        echo "$name: exit code $code; expected (<) and printed (>):"
        diff "$here/$name.out" "$folder/$name.txt" | head -20
        head -5 "$folder/$name.err"
        exit 1
    fi
    rm -f "$folder/$name" "$folder/$name.cpp" "$folder/$name.o"
    exit 0
fi
folder=$1/$2 group=$2
shift 2
mkdir -p "$folder"
export here
# shellcheck disable=SC2016
if ! printf '%s\n' "$here/$group"_*.cu | xargs -P 2 -I '{}' sh "$0" --one '{}' "$folder" "$@"; then
    exit 1
fi
echo "$(find "$here" -name "${group}_*.cu" | wc -l) programs"
