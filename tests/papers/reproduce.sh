#!/usr/bin/env bash
# reproduce as a command, on a table of its own: the paper's machine, methods and milliseconds, but a run that takes
# seconds. That the harness holds none of the paper's numbers shows in that it takes these.
# shellcheck source=tests/support/figures.sh
. "$(dirname "$0")/../support/figures.sh"
mkdir -p "$work/data/plots/papers"
cp "$source_folder"/plots/{*.gp,counted.tsv} "$work/data/plots/"
sed -e 's/^# instances: .*/# instances: 6/; s/^# attributes: .*/# attributes: 40/; s/^# datasets: .*/# datasets: 3/' \
    -e 's/\t2140\t/\t4321\t/' \
    "$source_folder/plots/papers/payne2010_figure4.tsv" >"$work/data/plots/papers/payne2010_figure4.tsv"
export WL_DATA=$work/data

expect 0 "$program" reproduce
says out "payne2010"

expect 0 "$program" reproduce payne2010 --device sim --max-time 0.2 --out "$work/o"
says out "6x40, 3 data sets"
says out "4321"
says out "only CPU code is timed"
says out "6 x 6 x 40 = 1,440 comparisons"
says out "Measuring the factor here needs a GPU"
says out "serial CPU, -O0"
says out "GPUshared"
for stage in 01_naive 02_coalesced 03_char4 04_registers 05_shared; do
    grep -qE "$stage +ok" "$work/out" || fail "$stage is not ok"
done
[ "$(grep -c '^"' "$work/o/payne2010.tsv")" -ge 7 ] || fail "rows are missing"
if have_gnuplot; then
    is_chart "$work/o/payne2010"
    is_chart "$work/o/payne2010_traffic"
fi
[ -z "$(find "$work/o" -name '.*' -type f)" ] || fail "temporary files were left"

# All stages, and what limits those that were timed.
expect 0 "$program" reproduce payne2010 --extended --device sim --max-time 0.2 --out "$work/e"
for stage in 01_naive 05_shared 06_reduction 08_tiled 12_half_matrix; do
    grep -qE "$stage +ok" "$work/out" || fail "$stage is not ok"
done
says out "only with a GPU"
says out "operations per byte of its own layout"
[ "$(grep -c '"sim"' "$work/e/payne2010_extended.tsv")" -ge 12 ] || fail "stages are missing"
grep -qE '"cpu_simd".*"(logic512|bandwidth)"' "$work/e/payne2010_extended.tsv" || fail "cpu_simd has no rate"
if have_gnuplot; then
    is_chart "$work/e/payne2010_extended"
    is_chart "$work/e/payne2010_extended_roofline"
fi
# A size of one's own has none of the paper's numbers.
expect 0 "$program" reproduce payne2010 --extended --size 9x33 --device cpu --max-time 0.2 --out "$work/s"
says out "9x33, 1 data set,"
if grep -q 44865 "$work/s/payne2010_extended.tsv"; then fail "the paper's time stands beside another size"; fi
for size in 9 9x 9x33x2 x33 9,33 -1x3; do
    expect 2 "$program" reproduce payne2010 --extended --size=$size --device cpu --out "$work/s"
    says err "expected two whole numbers"
done
expect 2 "$program" reproduce payne2010 --size 9x33
says err "found without --extended"
expect 2 "$program" reproduce payne2010 --extended --size 99999999x33 --device cpu --out "$work/s"
expect 2 "$program" reproduce payne2010 --device cpu -o "$work/file"
says err "unknown option -o"
expect 2 "$program" reproduce payne2010 --quick
says err "expected with alachiotis2012"
expect 2 "$program" reproduce ligowski2009 --extended
says err "expected with payne2010"

# As JSON, and without gnuplot.
expect 0 env PATH=/nonexistent "$program" reproduce payne2010 --device cpu --max-time 0.2 --json --out "$work/j"
says out '"reproduction": "payne2010"'
says err "gnuplot is not installed"
if command -v python3 >/dev/null; then python3 -m json.tool <"$work/out" >"$work/json" || fail "that is no JSON"; fi
[ -s "$work/j/payne2010.tsv" ] || fail "no file without gnuplot"
[ ! -s "$work/j/payne2010_traffic.tsv" ] || fail "--device cpu counted"

expect 2 "$program" reproduce nobody1999
says err "nobody1999"
: >"$work/file"
expect 2 "$program" reproduce payne2010 --device cpu --out "$work/file"
expect 3 env WL_DATA="$work/nowhere" "$program" reproduce payne2010 --device cpu --out "$work/o"
says err "payne2010_figure4.tsv"
