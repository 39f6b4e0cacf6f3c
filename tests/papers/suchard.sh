#!/usr/bin/env bash
# reproduce suchard2009 as a command, on the paper's tables with other numbers in them, and `run peeling --chain`: what they check, print and
# write.
# shellcheck source=tests/support/figures.sh
. "$(dirname "$0")/../support/figures.sh"
mkdir -p "$work/data/plots/papers"
cp "$source_folder"/plots/*.gp "$work/data/plots/"
sed -e 's/\t90\t/\t87\t/' "$source_folder/plots/papers/suchard2009_figure3.tsv" >"$work/data/plots/papers/suchard2009_figure3.tsv"
sed -e 's/^# saturation_patterns: .*/# saturation_patterns: 21/' "$source_folder/plots/papers/suchard2009_figure4.tsv" \
    >"$work/data/plots/papers/suchard2009_figure4.tsv"
export WL_DATA=$work/data OMP_WAIT_POLICY=passive

expect 0 "$program" reproduce suchard2009 --quick --device cpu --out "$work/o"
says out "~87"
says out "saturated from around 21 unique columns"
says out "this machine: "
column() { # FILE NAME: numbers the column
    awk -F'\t' -v name="$2" '$1 == "by" { for (i = 1; i <= NF; i++) if ($i == name) print i }' "$1"
}
for figure in "" _figure4; do
    file=$work/o/suchard2009$figure.tsv
    if grep -q FAILED "$file"; then fail "$(grep FAILED "$file")"; fi
    awk -F'\t' -v ms="$(column "$file" ms_step)" -v steps="$(column "$file" steps)" -v check="$(column "$file" check)" \
        -v agreed="$(column "$file" agreed)" -v variant="$(column "$file" variant)" '
        $variant == "\"serial_O3\"" { serial++; did = $steps }
        $variant == "\"cpu_simd\"" { simd++; if ($agreed < 3) { print "nothing was compared"; exit 1 } }
        $check == "\"ok\"" && (!($ms > 0) || $steps < 3) { print "no time"; exit 1 }
        END { if (serial < 4 || simd < 4) { print "rows are missing"; exit 1 } }' "$file" || fail "$file"
done
grep -q '"paper".*87' "$work/o/suchard2009.tsv" || fail "the paper's number is missing"
grep -q '^"columns".*"not stated".*"paper"' "$work/o/suchard2009_figure4.tsv" || fail "Figure 4 has a precision, which the paper does not state"
for by in columns taxa; do grep -q "^\"$by\"" "$work/o/suchard2009_figure4.tsv" || fail "Figure 4 has nothing over $by"; done
if have_gnuplot; then
    is_chart "$work/o/suchard2009"
    is_chart "$work/o/suchard2009_figure4"
fi
[ -z "$(find "$work/o" -name '.*' -type f)" ] || fail "temporary files were left"

expect 0 "$program" reproduce suchard2009 --quick --device cpu --json --out "$work/j"
says out '"reproduction": "suchard2009"'
same_rows "$work/o/suchard2009.tsv" "$work/j/suchard2009.tsv" 1-8
same_rows "$work/o/suchard2009_figure4.tsv" "$work/j/suchard2009_figure4.tsv" 1-8
if command -v python3 >/dev/null; then python3 -m json.tool <"$work/out" >"$work/json" || fail "that is no JSON"; fi
expect 2 "$program" reproduce suchard2009 --table 1
sed -i -e 's/^# taxa: .*/# taxa: 2.5/' "$work/data/plots/papers/suchard2009_figure3.tsv"
expect 3 "$program" reproduce suchard2009 --quick --device cpu --out "$work/o"
says err "# taxa: N"

# Every stage takes the serial code's steps; the log and the trees are there.
expect 0 "$program" run peeling --chain 6 --model HKY85+G2 --taxa 6 --patterns 12 --device sim --out "$work/c" --trace "$work/t" --trace-every 2
says out "08_fused"
says out "accepted: "
if grep -q FAILED "$work/c/peeling.tsv"; then fail "$(grep FAILED "$work/c/peeling.tsv")"; fi
[ "$(grep -c '"serial_O3 on 6 steps' "$work/c/peeling.tsv")" -ge 2 ] || fail "the stages were not compared with the serial code"
[ "$(grep -c '^[0-9]' "$work/t/peeling.log")" -eq 4 ] || fail "the log has not four lines"
[ "$(grep -c '^tree STATE_' "$work/t/peeling.trees")" -eq 4 ] || fail "there are not four trees"
# Nobody waits for simulated steps who has not asked for them.
expect 0 "$program" run peeling --chain 6 --model HKY85+G2 --taxa 6 --patterns 12 --max-time 0.1
if grep -q ' sim ' "$work/out"; then fail "there are simulated steps"; fi
expect 2 "$program" run peeling --chain 0 --device cpu
expect 2 "$program" run peeling --chain 5 --device cpu --samples "$work/samples"
expect 2 "$program" check peeling --chain 5 --device cpu

# The posterior of files: the right neighbours, from a wrong tree.
printf '>a\nACGTACGTACGTACGTAAAA\n>b\nACGTACGTACGTACGTAAAA\n>c\nTTGTACGAACGGACCTCCCA\n>d\nTTGTACGAACGGACCTCCCA\n' >"$work/four.fasta"
echo '((a:.1,c:.1):.1,b:.1,d:.1);' >"$work/four.nwk"
expect 0 "$program" likelihood --tree "$work/four.nwk" --alignment "$work/four.fasta" --model JC69 --device cpu --chain 3000 --trace "$work/p"
says out "treeLength"
[ "$(tail -n 2 "$work/p/chain.trees" | grep -Ec '\(1:[^(),]*,\(?\(?(2:[^(),]*,\([34]:|\([34]:[^(),]*,[34]:[^(),]*\):[^(),]*,2:)')" -eq 1 ] ||
    fail "a's neighbour is not b: $(tail -n 2 "$work/p/chain.trees")"
expect 2 "$program" likelihood --tree "$work/four.nwk" --alignment "$work/four.fasta" --model JC69 --trace "$work/p"
