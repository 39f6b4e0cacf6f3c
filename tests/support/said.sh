# shellcheck shell=bash
# Sourced by scripts of test cases, as `said.sh WARPLADDER CASE`: a folder of one's own to work in, and what a command says.
set -euo pipefail
# shellcheck disable=SC2034 # who sources this uses them
{
    warpladder=$(readlink -f "$1") case=$2
    here=$(cd "$(dirname "$0")" && pwd)
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*" && exit 1; }
# said CODE WORD...: runs a command, which must exit with CODE; what it says is in the files out and err.
said() {
    local expected=$1 code=0
    shift
    "$@" >out 2>err || code=$?
    [ "$code" = "$expected" ] || fail "'$*' exits with $code instead of $expected: $(cat out err)"
}
needs_jq() { command -v jq >/dev/null || exit 77; }
has() { grep -qF -- "$2" "$1" || fail "no '$2' in: $(cat "$1")"; }
