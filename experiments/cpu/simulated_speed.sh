#!/usr/bin/env bash
# simulated_speed.sh BUILD OUT [ROUNDS]: user seconds of four programs on the simulated device beside plain C at -O1, by turns, and the
# memory that the simulated device takes for each byte that they touch. OUT/simulated_speed.tsv is results/simulated_speed.tsv. Medians of
# the rounds (5), on one worker. Other work on the machine changes user seconds by up to a fifth.
set -euo pipefail
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2") rounds=${3:-5}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
cpu=$(awk '/^Cpus_allowed_list/ { split($2, all, "[-,]"); print all[1] }' /proc/self/status) # the simulated device has a worker for each
trap 'rm -rf "$work"' EXIT
"$build/warpladder" cc experiments/cpu/simulated_speed.cu -o "$work/simulated"
gcc -O1 experiments/cpu/simulated_speed.c -o "$work/plain"

# Program, N, and repetitions: plain, simulated.
programs='axpy 1000000 200 2
sum 1000000 200 4
product 160 20 1
histogram 1000000 200 4'
for ((round = 0; round < rounds; round++)); do
    while read -r name n plain simulated; do
        seconds=$("$work/plain" "$name" "$n" "$plain")
        printf '%s\t%s\t%s\n' "$name" "$seconds" "$(WL_SIM_QUIET=1 taskset -c "$cpu" "$work/simulated" "$name" "$n" "$simulated")"
    done <<<"$programs"
done >"$work/rounds"

column() { # PROGRAM COLUMN: the median
    awk -F'\t' -v name="$1" -v c="$2" '$1 == name { print $c }' "$work/rounds" | sort -g |
        awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
{
    printf '# date: %s\n' "$(date -u +%Y-%m-%d)"
    printf '# machine: %s\n' "$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)"
    printf '# compiler: %s\n' "$(g++ --version | head -n 1)"
    printf '# commit: %s\n' "$(git describe --always)"
    printf '# sources: unknown\n' # docs/sources knows variants and tools
    printf '# command: experiments/cpu/simulated_speed.sh BUILD OUT %s\n' "$rounds"
    printf '# seconds: of user time, the median of %s rounds; shadow: bytes of memory for each byte that the kernel touches\n' "$rounds"
    printf 'program\tn\tplain_s\tsimulated_s\tratio\tshadow_bytes_per_byte\n'
    while read -r name n _; do
        plain=$(column "$name" 2) simulated=$(column "$name" 3)
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$n" "$plain" "$simulated" \
            "$(awk -v s="$simulated" -v p="$plain" 'BEGIN { printf "%.0f", s / p }')" "$(column "$name" 4)"
    done <<<"$programs"
} >"$out/simulated_speed.tsv.part"
mv "$out/simulated_speed.tsv.part" "$out/simulated_speed.tsv"
