#!/bin/sh
# cc.sh SETTINGS IN.cu OUT : builds a plain CUDA program for the simulated device. SETTINGS is a file of shell variables that CMake writes.
set -eu
# shellcheck disable=SC1090
. "$1"
in=$2 out=$3
# shellcheck disable=SC2154
"$chevrons" "$in" "$out.cpp"
IFS=';'
# shellcheck disable=SC2086,SC2154
sh "$root/cmake/symbol-table.sh" gcc readelf objcopy ld "$root" g++ -iquote "$(dirname "$in")" -I "$root/harness/sim/include" -I "$root" \
    -include cuda_runtime.h -DWL_SIMULATED -Wall -Wno-unknown-pragmas $flags -c "$out.cpp" -o "$out.o"
# shellcheck disable=SC2086,SC2154
g++ "$out.o" $objects -fopenmp -pthread -rdynamic $libraries -ldl -o "$out"
