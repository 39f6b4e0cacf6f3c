#!/usr/bin/env bash
# cases.sh WARPLADDER CASE: plain CUDA programs, compiled by `warpladder cc` and run on the simulated device.
set -euo pipefail
warpladder=$(readlink -f "$1") case=$2
here=$(cd "$(dirname "$0")" && pwd)
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
has() { grep -qF -- "$2" "$1" || fail "no '$2' in: $(cat "$1")"; }

# A program that includes nothing and has arguments.
case_vector_add() {
    said 0 "$warpladder" cc "$here/vector_add.cu" -o add
    said 0 ./add 77
    has out 'c[76] = 152'
    said 0 "$warpladder" simulate "$here/vector_add.cu" -- 5000
    has out 'c[4999] = 9998'
}

# The message names the kernel, block, thread and the line of the source.
case_out_of_range() {
    sed 's/i < n)/i <= n)/' "$here/vector_add.cu" >wrong.cu
    said 1 "$warpladder" simulate wrong.cu
    has err 'add: block (3,0,0) thread (232,0,0): out of bounds: load of 4 bytes at'
    has err 'wrong.cu:4 '
}

"case_$case"
