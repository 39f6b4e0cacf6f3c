#!/usr/bin/env bash
# explain as a command: tables, --tsv, files, and lines that are wrong.
# shellcheck source=tests/support/figures.sh
. "$(dirname "$0")/../../support/figures.sh"
shape=(--instances 8 --attributes 32)

expect 0 "$program" explain lessons "${shape[@]}"
says out "8x32"
says out "05_shared"
says out "change from the stage before"

expect 0 "$program" explain lessons --tsv "${shape[@]}"
columns='variant	kernel	global_load_requests	global_load_sectors	global_store_requests	global_store_sectors	atomic_requests	atomic_operations	shared_requests	shared_passes	barriers'
[ "$(head -n 1 "$work/out" | cut -f 1-11)" = "$columns" ] || fail "the columns are $(head -n 1 "$work/out")"
awk -F '\t' 'NR > 1 && NF != 17 { exit 1 }' "$work/out" || fail "a row is not as wide as the others"
# 8 x 8 pairs, two loads each: a lane a sector in lesson 01, 32 ints in four sectors in lesson 02.
[ "$(awk -F '\t' '$1 == "01_naive" { print $3, $4 }' "$work/out")" = "128 4096" ] || fail "lesson 01 counts differently"
[ "$(awk -F '\t' '$1 == "02_coalesced" { print $3, $4 }' "$work/out")" = "128 512" ] || fail "lesson 02 counts differently"
cp "$work/out" "$work/first"
expect 0 "$program" explain lessons --tsv "${shape[@]}"
cmp -s "$work/out" "$work/first" || fail "counted twice, two results"

expect 0 "$program" explain lessons "${shape[@]}" --out "$work/a b" --quiet
[ ! -s "$work/out" ] || fail "--quiet printed something"
grep -q '^# seed: ' "$work/a b/lessons_traffic.tsv" || fail "no header in the file"
if have_gnuplot; then is_chart "$work/a b/lessons_traffic"; fi

expect 0 "$program" explain lessons --instances 0 --out "$work/empty"
says out "no kernel"
expect 2 "$program" explain lessons/nothing
expect 2 "$program" explain nothing
expect 2 "$program" explain
expect 2 "$program" explain lessons --block 0,2
says err "--block"
expect 2 "$program" explain lessons --figure --tsv
expect 0 "$program" explain --help
says out "--figure"
# Charts are an extra: without gnuplot the table comes all the same.
expect 0 env PATH=/nonexistent "$program" explain lessons/01_naive "${shape[@]}" --out "$work/none"
says out "GPUnaive"
says err "gnuplot is not installed"
