#!/bin/sh
# run.sh WARPLADDER FOLDER : each program beside this script breaks a rule of CUDA's. `warpladder cc` refuses it, or the program ends with exit
# code 1 when it runs; either says every line of its .expect file. Without clang, what only clang knows is skipped (rules_*.cu).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
warpladder=$1 folder=$2
mkdir -p "$folder"
cd "$here"
failed=0 count=0
for file in *.cu; do
    name=${file%.cu}
    case $name in rules_*) command -v clang >/dev/null || continue ;; esac
    code=0
    "$warpladder" cc "$file" -o "$folder/$name" >"$folder/$name.txt" 2>&1 || code=$?
    if [ "$code" -eq 0 ]; then
        WL_SIM_QUIET=1 timeout 60 "$folder/$name" >>"$folder/$name.txt" 2>&1 || code=$?
        [ "$code" -eq 1 ] || { echo "$name: exit code $code; expected 1"; failed=1; }
        rm -f "$folder/$name"
    fi
    while IFS= read -r line; do
        grep -qF -- "$line" "$folder/$name.txt" || { echo "$name: does not say: $line"; failed=1; }
    done <"$name.expect"
    count=$((count + 1))
done
echo "$count programs"
exit $failed
