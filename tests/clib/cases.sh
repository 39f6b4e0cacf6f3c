#!/usr/bin/env bash
# cases.sh WARPLADDER BUILD CC CASE: libwarpladder as other programs get it, against what the program prints.
set -euo pipefail
program=$1 build=$(cd "$2" && pwd) cc=$3 case=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" && exit 1; }

# It exports the functions that the header declares, each with a version, and nothing else.
case_exports() {
    grep -oE '\bwarpladder_[a-z_0-9]+\(' library/warpladder.h | tr -d '(' | sort -u >"$work/declared"
    [ -s "$work/declared" ] || fail "no functions in the header"
    nm -D --defined-only "$build/library/libwarpladder.so" | awk '$2 != "A" { print $3 }' >"$work/exported"
    sed 's/@@WARPLADDER_[0-9]*$//' "$work/exported" | sort | diff "$work/declared" - || fail "the header is left, the library is right"
    ! grep -v '@@WARPLADDER_[0-9]*$' "$work/exported" || fail "without a version"
    nm -g --defined-only "$build/library/libwarpladder.a" | awk '$2 == "T" { print $3 }' | sort | diff "$work/declared" - ||
        fail "the header is left, the static library is right"
}

# Installed, and found by pkg-config: each example gives what the tool gives, with the shared and with the static library.
case_examples() {
    command -v pkg-config >/dev/null || exit 77
    cmake --install "$build" --component library --prefix "$work/prefix" >/dev/null
    export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
    local shared static
    read -ra shared <<<"$(pkg-config --cflags --libs warpladder)"
    read -ra static <<<"$(pkg-config --static --cflags --libs warpladder)"
    for name in library/examples/*.c; do
        name=$(basename "$name" .c)
        "$cc" -Wall -Wextra -Werror "library/examples/$name.c" "${shared[@]}" -Wl,-rpath,"$work/prefix/lib" -o "$work/$name"
        "example_$name"
    done
    rm "$work"/prefix/lib/libwarpladder.so*
    "$cc" library/examples/distances.c "${static[@]}" -o "$work/distances"
    ! ldd "$work/distances" | grep warpladder || fail "not static"
    example_distances
}

example_distances() {
    "$program" distances tests/data/alignment.fasta --quiet >"$work/expected"
    "$work/distances" tests/data/alignment.fasta | cmp - "$work/expected"
}

"case_$case"
