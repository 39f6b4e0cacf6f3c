#!/bin/sh
# Fuzz one target with clang's libFuzzer, guided by coverage, under the address and undefined-behaviour sanitizers.
# What it finds that is worth keeping goes, minimised, into tests/fuzz/finds.
#
#   tests/fuzz/libfuzzer.sh sequences|table|lessons_input|database|matrix|newick|alignment|distances|plink [libFuzzer's options: -max_total_time=600 -fork=2 ...]
#
# Needs clang and its runtime (Debian: clang libclang-rt-14-dev).
set -eu
cd "$(dirname "$0")/../.."
target=$1
shift
work=${TMPDIR:-/tmp}/warpladder-fuzz
mkdir -p "$work/$target"
${CC:-clang} -std=gnu11 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -I. \
    -DWL_FOLDER_PROBLEM='"lessons"' -DWL_FOLDER_NAME='"serial_O3"' -DWL_FOLDER_BACKEND=WL_CPU \
    "tests/fuzz/$target.c" tests/fuzz/target.c io/*.c harness/base/error.c harness/base/random.c harness/base/mapped.c harness/base/memory.c harness/base/thread.c \
    harness/bench/arguments.c harness/bench/registry.c lessons/problem.c lessons/reference.c io/database/*.c io/database/set.c \
    io/database/alphabet.c sw/scoring/*.c tools/distances/read/*.c distances/planes.c distances/data.c \
    -lhts -lz -lm -o "$work/fuzz_$target"
cd "$work"
exec "./fuzz_$target" -dict="$OLDPWD/tests/fuzz/dictionary" -max_len=4096 -timeout=20 "$@" "$work/$target" \
    "$OLDPWD"/tests/corpus/*/ "$OLDPWD/tests/fuzz/finds"
