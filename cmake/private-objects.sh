#!/bin/sh
# private-objects.sh LD NM OBJCOPY OUTPUT OBJECT... : one object file whose symbols are all local to it.
# Weak symbols stay as they are: they belong to templates and inline functions that several files may share.
set -eu
ld=$1 nm=$2 objcopy=$3 output=$4
shift 4
trap 'rm -f "$output.all" "$output.symbols"' EXIT
if [ $# -eq 1 ]; then
    cp -- "$1" "$output.all"
else
    "$ld" -r -o "$output.all" "$@"
fi
"$nm" -g --defined-only "$output.all" | awk '$2 ~ /^[ABCDGRST]$/ { print $3 }' >"$output.symbols"
if [ -s "$output.symbols" ]; then # of an empty list objcopy makes an error
    "$objcopy" --localize-symbols="$output.symbols" "$output.all" "$output"
else
    mv -f -- "$output.all" "$output"
fi
