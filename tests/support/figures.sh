#!/usr/bin/env bash
# What the scripts here share. Called with the program and the source folder; works in a folder of its own.
set -euo pipefail
# shellcheck disable=SC2034 # used by the scripts that read this file
program=$1 source_folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
# expect STATUS COMMAND...: standard output in $work/out, standard error in $work/err.
expect() {
    local wanted=$1 got=0
    shift
    "$@" >"$work/out" 2>"$work/err" || got=$?
    [ "$got" -eq "$wanted" ] || { cat "$work/err" >&2; fail "exit $got instead of $wanted: $*"; }
}
says() { grep -qF -- "$2" "$work/$1" || { cat "$work/$1" >&2; fail "'$2' is not in standard $1"; }; }
# A chart: two files that are what they are called.
is_chart() {
    [ "$(head -c 8 "$1.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "$1.png is no PNG"
    [ "$(stat -c %s "$1.png")" -gt 4000 ] || fail "$1.png is empty"
    if command -v xmllint >/dev/null; then xmllint --noout "$1.svg" || fail "$1.svg is no XML"; fi
    grep -q '</svg>' "$1.svg" || fail "$1.svg is not whole"
}
have_gnuplot() { command -v gnuplot >/dev/null; }

# same_rows A B COLUMNS [REGEX]: rows of two result files, in order, but for what was measured.
same_rows() {
    cmp <(grep -v '^#' "$1" | grep -- "${4:-}" | cut -f"$3") <(grep -v '^#' "$2" | grep -- "${4:-}" | cut -f"$3") || fail "$2 has other rows than $1"
    cmp <(grep '^#' "$1" | grep -Ev '^# (date|command|sources): ') <(grep '^#' "$2" | grep -Ev '^# (date|command|sources): ') || fail "$2 has another header than $1"
}
