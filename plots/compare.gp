# Ratios of kernel times with their intervals: what `warpladder compare --out` writes.
#   gnuplot -e "input='results/compare.tsv'; output='results/compare'" plots/compare.gp    writes .svg and .png
#   gnuplot -e "input='results/compare.tsv'; terminal='dumb'" plots/compare.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
load here . "style.gp"

# Rows without a time in both files are left out.
there(row) = strcol("ratio") eq "NA" ? 0 : 1
n = 0
reach = 0.02
further(x) = (reach = abs(x - 1) > reach ? abs(x - 1) : reach)
set table $ignored
plot input using (there(0) ? (n = n + 1, further(column("ratio_low")), further(column("ratio_high"))) : 0) with table
unset table
# A kernel of another speed altogether must not squeeze the others.
reach = reach > 1 ? 1 : 1.15 * reach

at = 0
place(row) = (at = at + there(0), there(0) ? -at : NaN)
is(word) = strcol("verdict") eq word ? 1 : NaN
label(row) = strcol("problem") . "/" . strcol("variant") . (strcol("backend") eq "cpu" ? ", CPU" : strcol("backend") eq "sim" ? ", simulated" : "")
size = n <= 24 ? "DejaVu Sans,9" : "DejaVu Sans,7"
if (n > 36) { height = 15 * n } # a line of small letters per row

do for [target in targets] {
    eval begin(target)
    set title "Kernel times of the other file over those of the first, with 95 % intervals"
    if (n == 0) {
        eval nothing("no row has times in both files")
        eval finish
        continue
    }
    set xrange [1 - reach:1 + reach]
    set yrange [-n - 0.7:-0.3]
    set xlabel "ratio (above 1: slower)" textcolor rgb ink
    set format x "%.3g"
    unset ytics
    set arrow 1 from 1, graph 0 to 1, graph 1 nohead linewidth 1 linecolor rgb ink
    if (!dumb) { set lmargin at screen 0.30 }
    at = 0
    plot input using "ratio":(place(0)):"ratio_low":"ratio_high" with xerrorbars linewidth 1.5 pointtype 7 \
             linecolor rgb paper_colour title "same", \
         at = 0, input using (is("slower") * column("ratio")):(place(0)):"ratio_low":"ratio_high" with xerrorbars linewidth 2 \
             pointtype 7 linecolor rgb vermilion title "slower", \
         at = 0, input using (is("faster") * column("ratio")):(place(0)):"ratio_low":"ratio_high" with xerrorbars linewidth 2 \
             pointtype 7 linecolor rgb blue title "faster", \
         for [k = 1:hovers] at = 0, input using "ratio":(place(0)):(sprintf("%s: %s (95 %%: %s to %s), %s", label(0), \
             strcol("ratio"), strcol("ratio_low"), strcol("ratio_high"), strcol("verdict"))) @over, \
         at = 0, input using (1 - reach):(place(0)):(label(0)) with labels right offset -1,0 font size textcolor rgb ink notitle
    eval finish
}
