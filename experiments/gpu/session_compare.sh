#!/usr/bin/env bash
# Does `warpladder compare` say "same" of the same code, and "slower" of a kernel that was made 4 % slower? Ten times each.
#   experiments/gpu/session_compare.sh build BUILD FOLDER      without a GPU: the program, and one with a planted slowdown, into FOLDER
#   experiments/gpu/session_compare.sh run FOLDER OUT [S]      on a machine with a GPU, within S seconds (140): eleven groups of two processes of the
#                                                        program and ten of the other, by turns, into OUT
#   experiments/gpu/session_compare.sh judge PROGRAM OUT FILE  (OUT: groups.tar.gz unpacked) compares neighbouring groups, and writes FILE, as results/compare_h200.tsv
# Exit code 1: a comparison of the same code found a difference, one did not find the planted one, or no row was judged. 4: there is no GPU.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../..
kernel=$here/lessons/08_tiled/kernel.cu

# A block of lesson 08 goes through one chunk in 25 a second time, and adds it up times 0.
plant() {
    sed -i -e 's|for (size_t first = 0; first < words; first += CHUNK) {|for (size_t k = 0; k < words / CHUNK + words / CHUNK / 25; k++) { const size_t first = k * CHUNK % words; const int once = k * CHUNK < words;|' \
        -e 's|flags\[p / PAIRS\]\[p % PAIRS\] / FLAG;|once * (flags[p / PAIRS][p % PAIRS] / FLAG);|' "$kernel"
    [ "$(grep -c 'k \* CHUNK\|once \*' "$kernel")" -eq 2 ] || { echo "session_compare.sh: $kernel has changed; plant() does not fit it" >&2; exit 1; }
}

case $1 in
build)
    build=$2 folder=$3
    mkdir -p "$folder"
    cmake --build "$build" --target warpladder
    cp "$build/warpladder" "$folder/plain"
    cp "$kernel" "$folder/kernel.cu"
    trap 'cp "$folder/kernel.cu" "$kernel"' EXIT
    plant
    cmake --build "$build" --target warpladder
    cp "$build/warpladder" "$folder/planted"
    strip "$folder/plain" "$folder/planted"
    ;;
run)
    folder=$2 out=$3 most=${4:-140}
    command -v nvidia-smi >/dev/null && nvidia-smi >/dev/null || exit 4
    mkdir -p "$out"
    groups=$(mktemp -d)
    trap pack EXIT
    pack() { tar -C "$groups" -czf "$out/groups.tar.gz" . && rm -rf "$groups"; } # few files come back
    run() { # PROGRAM GROUP
        [ "$SECONDS" -lt "$most" ] || { echo "session_compare.sh: $most s are over before $2" >&2; exit 0; }
        "$folder/$1" run lessons/08_tiled lessons/11_binary_tensor_cores --device gpu --instances 512 --attributes 8192 --datasets 1 --max-time 0.2 \
            --repeat 2 --out "$groups/$2" --quiet || { rm -rf "${groups:?}/$2"; exit 1; } # not half a group
    }
    run plain a01 # what a first process waits for
    for trial in $(seq -w 1 10); do
        run plain "a$trial"
        run planted "b$trial"
    done
    run plain a11
    ;;
judge)
    program=$2 out=$3 file=$4 failures=0
    rows=$(mktemp)
    trap 'rm -f "$rows"' EXIT
    compare() { # TRIAL PLANTED FIRST OTHER
        local folder
        [ -d "$out/$3" ] && [ -d "$out/$4" ] || return 0 # the time was over before
        folder=$(mktemp -d)
        "$program" compare "$out/$3" "$out/$4" --out "$folder" --quiet
        grep -v '^#' "$folder/compare.tsv" | awk -F'\t' -v OFS='\t' -v trial="$1" -v planted="$2" '
            NR == 1 { if (trial == 1 && planted == "nothing") print "trial", "planted", $0; next }
            { print trial, "\"" planted "\"", $0 }' >>"$rows"
        rm -r "$folder"
    }
    for trial in $(seq 1 10); do
        compare "$trial" nothing "$(printf 'a%02d' "$trial")" "$(printf 'a%02d' $((trial + 1)))"
        compare "$trial" "4 % slower" "$(printf 'a%02d' "$trial")" "$(printf 'b%02d' "$trial")"
    done
    {
        grep '^# \(date\|cpu\|cores\|gpu\|gpu_clock\|driver\|commit\|compiler\|cuda_compiler\|program\): ' "$out/a01/run1/lessons.tsv"
        echo "# command: experiments/gpu/session_compare.sh build, run and judge"
        echo "# what: neighbouring pairs of processes; planted: lesson 08 goes through one chunk in 25 twice, in the other program only"
        sed -e "s|$out/||g" "$rows"
    } >"$file"
    awk -F'\t' '/^#/ { next } $1 == "trial" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        !("verdict" in at) { next } # no head
        { slow = $at["planted"] ~ /slower/ && $at["variant"] ~ /08_tiled/; right = $at["verdict"] == (slow ? "\"slower\"" : "\"same\"")
          kind = (slow ? "planted" : "the same code") ", " ($at["backend"] ~ /gpu/ ? "GPU" : "CPU"); n[kind]++; ok[kind] += right; bad += !right; total++
          if (!right) print "wrong: trial " $1 ", " $at["variant"] ", " $at["planted"] ": " $at["ratio"] ", " $at["verdict"] }
        END { for (k in n) print k ": " ok[k] " of " n[k] " rows as expected"; if (!total) print "no row was judged"; exit bad > 0 || !total }' "$file" || failures=1
    exit $failures
    ;;
*) echo "found $1; expected build, run or judge" >&2 && exit 2 ;;
esac
