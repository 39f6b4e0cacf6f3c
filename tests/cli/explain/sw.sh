#!/usr/bin/env bash
# Smith-Waterman's ladder does to memory what Ligowski & Rudnicki 2009 compute in sections II.2 and II.3: 36, 8 and 8/12 bytes a
# cell. What each stage has to store is counted here by hand, from the recurrence and the shape alone.
# shellcheck source=tests/support/figures.sh
. "$(dirname "$0")/../../support/figures.sh"
m=144 n=200 warps=2 # `explain sw` without options: 64 subjects of n residues, full warps

expect 0 "$program" explain 'sw/0[1-5]*' --tsv
cp "$work/out" "$work/table"
value() { # VARIANT COLUMN, summed over kernels
    awk -F '\t' -v variant="$1" -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == variant { sum += $at[column] } END { printf "%d", sum }' "$work/table"
}
stores() { # VARIANT REQUESTS SECTORS
    [ "$(value "$1" global_store_requests)" -eq "$2" ] || fail "$1: $(value "$1" global_store_requests) stores, not $2"
    [ "$(value "$1" global_store_sectors)" -eq "$3" ] || fail "$1: $(value "$1" global_store_sectors) sectors, not $3"
}
# A warp's integers are 4 sectors, its 64-bit words 8, its 128-bit words 16. Last, the scores.
first=$((2 * (m + 1) + 2 + n * m * 3 + 1)) # row 0 and column 0; H, E, F of each cell
stores 01_naive $((warps * first)) $((warps * first * 4))
second=$((m / 4 + n * m / 4)) # column 0; four cells together
stores 02_packed $((warps * (second + 1))) $((warps * (second * 16 + 4)))
edges=$(((m / 12 - 1) * n)) # below each band but the last
stores 03_shared_band $((warps * (edges + 1))) $((warps * (edges + 1) * 4))
stores 04_register_band $((warps * (edges + 1))) $((warps * (edges + 1) * 4))
# One warp for all subjects; of its scores, every second integer, twice.
stores 05_two_in_one $((edges + 2)) $((edges * 8 + 2 * 8))

# Loads and stores together. Beside the paper's bytes there are the residues: less than half a byte a cell.
bytes_within() { # VARIANT LEAST MOST
    local sectors=$(($(value "$1" global_load_sectors) + $(value "$1" global_store_sectors)))
    awk -v bytes="$((32 * sectors))" -v cells="$((m * n * 32 * warps))" -v least="$2" -v most="$3" \
        'BEGIN { exit !(bytes / cells >= least && bytes / cells <= most) }' ||
        fail "$1 moves $((32 * sectors)) bytes for $((m * n * 32 * warps)) cells, not $2 to $3 a cell"
}
bytes_within 01_naive 35.5 36.5
bytes_within 02_packed 8 8.5
bytes_within 03_shared_band 0.61 0.75 # 11 of 12 edges: 0.611, and the subjects' residues
bytes_within 04_register_band 0.61 0.75
bytes_within 05_two_in_one 0.61 0.75
for variant in 02_packed 03_shared_band 04_register_band 05_two_in_one; do
    [ "$(value "$variant" shared_passes)" -eq "$(value "$variant" shared_requests)" ] || fail "$variant has bank conflicts"
done
# One look-up for four cells, and the profile is written: 3 words a letter and band.
[ "$(value 04_register_band shared_requests)" -eq $((warps * n * m / 4 + 3 * m / 12)) ] || fail "04 looks up otherwise"

# The same numbers a unit of work, for people.
expect 0 "$program" explain 'sw/0[1-3]*'
says out "global"
grep -qE '^01_naive +36(\.[0-9])? ' "$work/out" || fail "no 36 bytes per cell in the table"
