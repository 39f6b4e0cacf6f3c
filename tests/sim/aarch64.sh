#!/usr/bin/env bash
# aarch64.sh FOLDER [PROGRAM...]: the simulated device on 64-bit ARM. Compiles it and the plain CUDA programs of programs/ (all, or those
# named) into FOLDER with Debian's cross compiler (g++-aarch64-linux-gnu), runs them under qemu-aarch64 (qemu-user) and compares what
# they print. Source lines are not looked up there: that takes libdw for ARM. Say `export CHEVRONS=PATH` if it is not build/lib/warpladder's.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
shift
cross=aarch64-linux-gnu
chevrons=${CHEVRONS:-$root/build/lib/warpladder/chevrons}
forwards=$(dirname "$chevrons")/forwards # headers that CMake writes
mkdir -p "$folder/core"
mapfile -t flags <"$(dirname "$chevrons")/compile-flags"
# shellcheck disable=SC2046 # names without blanks
[ $# -gt 0 ] || set -- $(cd "$root/tests/sim/programs" && printf '%s\n' *.cu | sed 's/\.cu$//')

# The core, as cmake/Toolchain.cmake makes libwarpladder-sim.a.
core() {
    local object=${1#"$root"/}
    object=$folder/core/${object//\//_}.o
    [ "$object" -nt "$1" ] || "$cross-g++" -std=gnu++17 -O2 -fopenmp -I"$root/sim/include" -I"$forwards" -I"$root" -c "$1" -o "$object"
}
for file in "$root"/sim/*.cpp "$root"/sim/program/*.cpp; do core "$file"; done
for file in json error; do
    "$cross-gcc" -std=gnu11 -O2 -I"$root" -c "$root/harness/base/$file.c" -o "$folder/core/$file.o"
done

one() {
    local name=$1 work=$folder/$1
    local source=$root/tests/sim/programs/$name.cu
    "$cross-g++" "${flags[@]}" -std=gnu++17 -E -DWL_SIM_TRANSLATING -DWL_SIMULATED -I"$root/sim/include" -I"$forwards" -include cuda_runtime.h \
        -xc++ "$source" -o "$work.plain.ii"
    "$chevrons" --preprocessed "$work.plain.ii" "$work.ii"
    sh "$root/cmake/symbol-table.sh" "$cross-gcc" "$cross-readelf" "$cross-objcopy" "$cross-ld" "$root" \
        "$cross-g++" "${flags[@]}" -std=gnu++17 -c "$work.ii" -o "$work.o"
    "$cross-g++" -o "$work" "$folder"/core/*.o "$work.o" -fopenmp -pthread -ldl -ldw -lelf
    WL_SIM_QUIET=1 timeout 120 qemu-aarch64 -L / "$work" >"$work.txt" 2>"$work.err"
}
passed=0 failed=()
for name in "$@"; do
    if one "$name" >"$folder/$name.log" 2>&1 && cmp -s "$folder/$name.txt" "$root/tests/sim/programs/$name.out"; then
        passed=$((passed + 1))
    else
        failed+=("$name")
    fi
done
echo "$passed of $# programs print the same on aarch64${failed[*]:+; not: ${failed[*]}}"
[ ${#failed[@]} -eq 0 ]
