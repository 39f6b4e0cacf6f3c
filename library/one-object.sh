#!/bin/sh
# one-object.sh LD OBJCOPY MAP OUTPUT OBJECT... : all of the library as one object file, in which only the names that the linker's
# version script MAP exports are visible. An archive of it keeps the variants, which register themselves and which nobody refers to.
set -eu
ld=$1 objcopy=$2 map=$3 output=$4
shift 4
trap 'rm -f "$output.all" "$output.names"' EXIT
sed -n 's/^ *\(warpladder_[a-z_]*\);$/\1/p' "$map" >"$output.names"
"$ld" -r -o "$output.all" "$@"
"$objcopy" --keep-global-symbols="$output.names" "$output.all" "$output"
