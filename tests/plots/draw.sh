#!/usr/bin/env bash
# draw.sh SCRIPT SOURCE_FOLDER: plots/SCRIPT.gp draws samples/SCRIPT*.tsv, as SVG, PNG and with characters. SCRIPT "redraw":
# plots/redraw finds and draws all of them. Exit 4 (skipped) without gnuplot.
set -euo pipefail
script=$1 source_folder=$2
command -v gnuplot >/dev/null || exit 4
export LC_ALL=C.UTF-8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A folder as users have them, not one that is easy to quote.
folder="$work/it's \"a\" folder"
mkdir -p "$folder"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
is_chart() {
    [ "$(head -c 8 "$1.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "$1.png is no PNG"
    [ "$(stat -c %s "$1.png")" -gt 4000 ] || fail "$1.png is empty"
    if command -v xmllint >/dev/null; then xmllint --noout "$1.svg" || fail "$1.svg is no XML"; fi
    grep -q '</svg>' "$1.svg" || fail "$1.svg is not whole"
    # gnuplot writes a frame even where it drew nothing in it: bars and cells are polygons. Where there is nothing, it has to say so.
    case $1 in
        *-nothing) grep -q 'no row of this file\|no timed row' "$1.svg" || fail "$1.svg does not say why it is empty" ;;
        *) [ "$(grep -c '<polygon\|<path\|<rect' "$1.svg")" -gt 10 ] || fail "$1.svg has nothing in it" ;;
    esac
    if grep -qi 'nan\b' "$1.svg"; then fail "$1.svg says NaN"; fi
}

if [ "$script" = redraw ]; then
    cp "$source_folder"/tests/plots/samples/*.tsv "$folder/"
    printf '# a: b\nx\ty\n1\t2\n' >"$folder/unknown.tsv" # what no script knows is left alone
    # A reproduction is drawn by the script of its own name, whatever machine is added to it.
    cp "$folder/payne2010-no-gpu.tsv" "$folder/somebody1999.tsv"
    mv "$folder/payne2010-no-gpu.tsv" "$folder/payne2010_no_gpu.tsv"
    "$source_folder/plots/redraw" "$folder" >"$work/said"
    [ ! -e "$folder/unknown.svg" ] || fail "unknown.tsv was drawn"
    [ ! -e "$folder/somebody1999.svg" ] || fail "somebody1999.tsv was drawn by a script of another paper"
    [ "$(find "$folder" -name '*.svg' | wc -l)" -eq "$(grep -c . "$work/said")" ] || fail "not all that was said was drawn"
    for name in speedup roofline roofline_roofline payne2010_extended payne2010_extended_roofline throughput throughput_throughput traffic figure3 payne2010 payne2010_no_gpu ligowski2009 ligowski2009_limits alachiotis2012 \
        alachiotis2012_table3 suchard2009 suchard2009_figure4 compare sweep; do is_chart "$folder/$name"; done
    # Names are data: what a shell or gnuplot would run is not run, in the charts' own folder or here.
    mkdir "$work/names" && cd "$work/names"
    # shellcheck disable=SC2016 # names are to reach other programs as they are
    names=('a`touch one`' '$(touch two)' "it's" 'q"; !touch three; "' '-dash' '@at' '<touch four;' '|touch five;' $'new\n!touch six\n' '$data')
    for name in "${names[@]}"; do cp "$source_folder/tests/plots/samples/speedup.tsv" "./$name.tsv"; done
    ln -s victim it\'s.svg
    "$source_folder/plots/redraw" . >"$work/said"
    for name in "${names[@]}"; do is_chart "./$name"; rm "./$name".{tsv,svg,png}; done
    [ -z "$(ls -A)" ] || fail "drawing files with such names has made $(ls -A)"
    exit 0
fi
# A script that is run by hand takes its names as they are, too.
if [ "$script" = speedup ]; then
    (cd "$work" && cp "$source_folder/tests/plots/samples/speedup.tsv" . &&
        gnuplot -e 'input="speedup.tsv"; output=sprintf("%ctouch one%c", 96, 96); targets="svg"' "$source_folder/plots/speedup.gp" && [ ! -e one ] &&
        gnuplot -e "input='<touch two;speedup.tsv'; output='|touch three'; targets='svg'" "$source_folder/plots/speedup.gp") 2>"$work/err" || true
    { [ ! -e "$work/one" ] && [ ! -e "$work/two" ] && [ ! -e "$work/three" ]; } || fail "a script has run what a name says"
    [ -s "$work/\`touch one\`.svg" ] || fail "no chart of that name"
fi

count=0
for sample in "$source_folder/tests/plots/samples/$script".tsv "$source_folder/tests/plots/samples/$script"-*.tsv; do
    [ -e "$sample" ] || continue
    count=$((count + 1))
    name=$(basename "$sample" .tsv)
    cp "$sample" "$folder/"
    # Warnings count: they are bars or labels that were not drawn.
    (cd "$folder" && gnuplot -e "input='$name.tsv'" "$source_folder/plots/$script.gp") 2>"$work/err" || fail "$(cat "$work/err")"
    [ ! -s "$work/err" ] || fail "$name: $(cat "$work/err")"
    is_chart "$folder/$name"
    # The program draws figure 3 with characters itself.
    [ "$script" != figure3 ] || continue
    (cd "$folder" && gnuplot -e "input='$name.tsv'; terminal='dumb'" "$source_folder/plots/$script.gp") >"$work/out" 2>"$work/err"
    [ ! -s "$work/err" ] || fail "$name: $(cat "$work/err")"
    [ "$(grep -c . "$work/out")" -gt 20 ] || fail "$name: nothing was drawn with characters"
    if LC_ALL=C grep -q '[^[:print:][:space:]]' "$work/out"; then fail "$name: the drawing is not plain ASCII"; fi
done
[ "$count" -gt 0 ] || fail "there is no tests/plots/samples/$script.tsv"
