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
    for name in distances search likelihood; do
        "$cc" "library/examples/$name.c" "${static[@]}" -o "$work/$name"
        ! ldd "$work/$name" | grep warpladder || fail "not static"
        "example_$name"
    done
}

# The manual's program.
case_manual() {
    command -v pkg-config >/dev/null || exit 77
    cmake --install "$build" --component library --prefix "$work/prefix" >/dev/null
    PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig LD_LIBRARY_PATH=$work/prefix/lib python3 -B tests/support/manual.py "$program" docs/library.md
}

example_distances() {
    "$program" distances tests/support/data/alignment.fasta --quiet >"$work/expected"
    "$work/distances" tests/support/data/alignment.fasta | cmp - "$work/expected"
}

# shellcheck disable=SC2317 # called by its name
example_search() {
    printf '>a\nMKVLAAGIVGLCAKYWRLMKTPPWWDEHK\n>b\nPPTKMLRWYKACLGVIGAALVKM\n>c\nMKVLAGIVGLCAKYWRRRLMKTPPWDEHK\n' >"$work/db.fasta"
    printf '>q first\nMKVLAAGIVGLCAKY\nWRLMKTPP\n>r\nMLRWYKACLGVIGAALV\n' >"$work/q.fasta"
    "$program" search --db "$work/db.fasta" --query "$work/q.fasta" --evalue 1e-3 --quiet \
        --format "qseqid sseqid score qstart qend sstart send" >"$work/expected"
    [ "$(wc -l <"$work/expected")" -ge 3 ] || fail "no hits: $(cat "$work/expected")"
    "$work/search" "$work/db.fasta" "$work/q.fasta" | cmp - "$work/expected"
}

# shellcheck disable=SC2317
example_likelihood() {
    "$program" simulate-reads --taxa 12 --sites 300 --reads 40 --out "$work/data" --quiet
    "$program" likelihood --tree "$work/data/tree.nwk" --alignment "$work/data/reference.fasta" --model HKY85+G4 --quiet >"$work/expected"
    "$work/likelihood" "$work/data/tree.nwk" "$work/data/reference.fasta" 2>"$work/said" | cmp - "$work/expected"
    grep -q 'with another length above node' "$work/said" || fail "$(cat "$work/said")"
}

# shellcheck disable=SC2317
example_reads() {
    local data=("$work/data/tree.nwk" "$work/data/reference.fasta" "$work/data/reads.fasta")
    "$program" align-reads --tree "${data[0]}" --reference "${data[1]}" --reads "${data[2]}" --format fasta --keep-insertions \
        --quiet >"$work/expected"
    "$work/reads" "${data[@]}" | cmp - "$work/expected"
}

"case_$case"
