#!/usr/bin/env bash
# again.sh BUILD OUT [FILE...]: runs the commands of result files again (`warpladder run`, `reproduce` or `explain`, as their headers say), and
# leaves the files in OUT under the same names. Without FILE: those of results/ of which something was measured with other sources than
# today's (docs/fill --stale), and which this machine can make: a GPU's need a GPU, the others a CPU with as many cores. What another script
# made is only named. The machine should have nothing else to do.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(readlink -f "$1") out=$2
shift 2
mkdir -p "$out"
out=$(readlink -f "$out")
[ $# -gt 0 ] || mapfile -t found < <(docs/fill --stale | cut -d' ' -f1)
kind=gpu
if "$build/warpladder" machine | grep -q '^gpu  *none'; then kind=cpu; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# What a header's command calls. Its own --out gives way.
# shellcheck disable=SC2317 # eval calls it
warpladder() {
    local words=()
    while [ $# -gt 0 ]; do
        if [ "$1" = --out ]; then shift; else words+=("$1"); fi
        shift
    done
    "$program" "${words[@]}" --out "$scratch/made" --make-folders
}
failures=0 asked=$#
for file in "${@:-${found[@]}}"; do
    name=$(basename "$file" .tsv)
    command=$(sed -n 's/^# command: //p' "$file" | head -n 1)
    of=$(grep -q '^# gpu: none' "$file" && echo cpu || echo gpu) cores=$(sed -n 's/^# cores: \([0-9]*\).*/\1/p' "$file" | head -n 1)
    if [ "$asked" = 0 ] && { [ "$of" != $kind ] || { [ $kind = cpu ] && [ "$cores" != "$(nproc)" ]; }; }; then continue; fi
    if ! [[ $command =~ ^([A-Z_]+=[a-z0-9]*\ )*warpladder\ (run|reproduce|explain)\ [^\;\(\&\|]*$ ]] || [[ $command == *', '* ]]; then
        echo "$name: not made by one command: $command"
        continue
    fi
    [ ! -e "$out/$name.tsv" ] || continue # made by the command of another file
    echo "== $name: $command"
    rm -rf "$scratch/made"
    program=$build/warpladder
    if grep -q '"beagle_' "$file"; then program+=-more; fi # where BEAGLE is a variant
    eval "$command" || { failures=1 && continue; }
    made=("$scratch/made/"*.tsv)
    for table in "${made[@]}"; do
        to=$name
        if [ ${#made[@]} != 1 ]; then to=$(basename "$table" .tsv)_${name##*_}; fi
        awk -v command="# command: $command" '/^# command: / { $0 = command } { print }' "$table" >"$out/$to.tsv"
    done
done
exit $failures
