#!/usr/bin/env bash
# reproduce ligowski2009 as a command, on tables of its own: the paper's, with a run that takes seconds. That the program holds
# none of the paper's numbers shows in that it takes these; that the stages move what the paper's sums say, in what was counted.
# shellcheck source=tests/support/figures.sh
. "$(dirname "$0")/../support/figures.sh"
mkdir -p "$work/data/plots/papers"
cp "$source_folder"/plots/*.gp "$work/data/plots/"
sed -e 's/^# subjects: .*/# subjects: 301/; s/^# letters: .*/# letters: 30007/; s/^# queries: .*/# queries: 4/' \
    -e 's/^# query_longest: .*/# query_longest: 61/; s/^# synthetic_subjects: .*/# synthetic_subjects: 33/' \
    -e 's/^# synthetic_length: .*/# synthetic_length: 50/; s/4\.65/4.321/' \
    "$source_folder/plots/papers/ligowski2009_figure4.tsv" >"$work/data/plots/papers/ligowski2009_figure4.tsv"
sed -e 's/^# reached: .*/# reached: 0.61/' "$source_folder/plots/papers/ligowski2009_limits.tsv" \
    >"$work/data/plots/papers/ligowski2009_limits.tsv"
export WL_DATA=$work/data

expect 0 "$program" reproduce ligowski2009 --device sim --out "$work/o"
says out "4 queries of 10 to 61 residues"
says out "301 random sequences, 30,007 residues"
says out "4.32"
says out "61 % of its limit"
says out "this machine: "
# 36, 8 and 8/12 bytes per cell, and less than a tenth more for sequences and edges.
for sum in "01_naive 36 39" "02_packed 8 8.8" "03_shared_band 0.65 0.73"; do
    read -r stage low high <<<"$sum"
    awk -v stage="$stage" -v low="$low" -v high="$high" '
        NF > 1 && $(NF - 1) == stage { found = 1; if ($NF < low || $NF > high) exit 1 }
        END { exit !found }' "$work/out" || fail "$stage does not move what the paper's sum says"
done
points() { grep -c "^\"$1\".*\"$2\".*\"ok\"" "$work/o/ligowski2009.tsv"; }
for variant in cpu_simd serial_O3; do
    [ "$(points Swiss-Prot $variant)" -eq 4 ] || fail "$variant has not four queries"
    [ "$(points Random1000 $variant)" -eq 1 ] || fail "$variant has no Random1000"
    [ "$(points Regular1000 $variant)" -eq 1 ] || fail "$variant has no Regular1000"
done
awk -F'\t' '$3 == "query_to" { next } /^"Swiss-Prot".*"cpu"/ { if ($2 < 10 || $2 > 61) exit 1; if (!($13 > 0)) exit 1 }' "$work/o/ligowski2009.tsv" ||
    fail "a query or a speed is out of range"
grep -q '^"the paper".*0.61$' "$work/o/ligowski2009_limits.tsv" || fail "the limits lack the paper"
# What the table shows of the sums stands in the file, too: the paper's limits, and what was counted.
grep -q "$(printf '^"128 bits read and written for 4 cells"\t"02_packed"\t"paper"\tNA\t8\t4$')" "$work/o/ligowski2009_sums.tsv" ||
    fail "the sums lack the paper's limit by 128-bit accesses"
awk -F'\t' '$2 == "\"03_shared_band\"" && $3 == "\"sim\"" && $5 > 0.65 && $5 < 0.73 { found = 1 } END { exit !found }' \
    "$work/o/ligowski2009_sums.tsv" || fail "the sums lack what was counted"
if have_gnuplot; then
    is_chart "$work/o/ligowski2009"
    is_chart "$work/o/ligowski2009_limits"
fi
[ -z "$(find "$work/o" -name '.*' -type f)" ] || fail "temporary files were left"

expect 0 "$program" reproduce ligowski2009 --device cpu --json --out "$work/j"
says out '"reproduction": "ligowski2009"'
same_rows "$work/o/ligowski2009.tsv" "$work/j/ligowski2009.tsv" 1-7 '"cpu"'
if command -v python3 >/dev/null; then python3 -m json.tool <"$work/out" >"$work/json" || fail "that is no JSON"; fi

: >"$work/file"
expect 2 "$program" reproduce ligowski2009 --device cpu --out "$work/file"
broken() { # SED WORDS: a broken table is refused with words
    mkdir -p "$work/broken"
    cp -r "$work/data/." "$work/broken/"
    sed -i -e "$1" "$work/broken/plots/papers/ligowski2009_figure4.tsv"
    expect 3 env WL_DATA="$work/broken" "$program" reproduce ligowski2009 --device cpu --out "$work/o"
    says err "$2"
}
broken 's/^# queries: .*/# queries: 2.5/' "expected a whole number from 1 to 1000"
broken '/^# letters: /d' "# letters: "
broken 's/^# letters: .*/# letters: 300/' "expected 301 to 300699"
