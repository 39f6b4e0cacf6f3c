#!/usr/bin/env bash
# explain --figure: the paper's Figure 3 from the addresses a block touched.
# shellcheck source=tests/support/figures.sh
. "$(dirname "$0")/../../support/figures.sh"

expect 0 "$program" explain lessons/01_naive --figure --out "$work/o"
says out "rows are attributes, columns are instances"
says out "     15 # . # . . . . ."
says out "128 useful bytes in 16 sectors; 2 requests fetch 32 sectors"
[ -s "$work/o/lessons_01_naive_figure.tsv" ] || fail "no file"
if have_gnuplot; then is_chart "$work/o/lessons_01_naive_figure"; fi

expect 0 "$program" explain lessons/02_coalesced --figure --block 0,2 --out "$work/o"
says out "rows are instances, columns are attributes"
says out "128 useful bytes in 4 sectors; 2 requests fetch 4 sectors"

expect 0 "$program" explain lessons/03_char4 --figure --attributes 17 --out "$work/o"
says out "1-byte elements"

expect 0 "$program" explain lessons/05_shared --figure --block 1,1 --out "$work/o"
says out "W"
# Arrays have the names of the kernel's pointers.
says out "    data, 1-byte elements"
says out "    distance, 4-byte elements"

# The default block moves into a grid that is too small for it; one that was asked for does not.
expect 0 "$program" explain lessons/01_naive --figure --instances 1 --out "$work/o"
says out "block (0,0)"
expect 2 "$program" explain lessons/01_naive --figure --block 9,0 --out "$work/o"
says err "8 x 8 x 1"
for block in x 1 1,x 1,2,3,4 -1,2 ',' 99999999999999999999,0; do
    expect 2 "$program" explain lessons/01_naive --figure "--block=$block" --out "$work/o"
    says err "--block"
done
