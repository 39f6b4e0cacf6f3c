# A sweep: work per second over the first axis of numbers, a line for each variant, backend and value of the other axes.
#   warpladder run peeling --patterns 100:100000:x10 --out out    writes the file and calls this script
#   gnuplot -e "input='out/peeling.tsv'" plots/sweep.gp           writes out/peeling.svg and .png
#   gnuplot -e "input='out/peeling.tsv'; terminal='dumb'" plots/sweep.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
load here . "style.gp"

set datafile missing NaN # a line goes on across rows of other lines
eval header("axes"); axes = found
# The axis to draw over: the first that varies and whose values are numbers.
over_axis = ""
first = ""
varies = 0
differs(name) = (first = first eq "" ? strcol(name) : first, varies = varies + (strcol(name) ne first), 0)
do for [k = 1:words(axes)] {
    first = ""
    varies = 0
    set table $ignored
    plot input using (differs(word(axes, k))) with table
    unset table
    if (over_axis eq "" && varies > 0 && strstrt("-+.0123456789", first[1:1]) > 0) { over_axis = word(axes, k) }
}

# Lines as words "variant|backend|others"; the points of each as rows of a block.
timed(row) = strcol("work_per_s") eq "NA" || column("work_per_s") <= 0 ? 0 : 1
others = ""
do for [k = 1:words(axes)] { if (word(axes, k) ne over_axis) { others = others . word(axes, k) . " " } }
values_of(k) = k > words(others) ? "" : "|" . word(others, k) . "=" . strcol(word(others, k)) . values_of(k + 1)
key_of(row) = strcol("variant") . "|" . strcol("backend") . values_of(1)
lines = ""
problem = ""
left = 1e300
right = 0
add(row) = (lines = strstrt(" " . lines, " " . key_of(0) . " ") > 0 ? lines : lines . key_of(0) . " ", problem = strcol("problem"), \
    note(column("work_per_s")), left = smaller(left, column(over_axis)), right = larger(right, column(over_axis)), 0)
if (over_axis ne "") {
    set table $ignored
    plot input using (timed(0) ? add(0) : 0) with table
    unset table
}
n = words(lines)
# "02_coalesced, CPU, precision=single"
rest(key) = strstrt(key, "|") > 0 ? ", " . (part(key, 1)) . rest(key[strlen(part(key, 1)) + 2:]) : ", " . key
name(key) = part(key, 1) . (part(key, 2) eq "cpu" ? ", CPU" : "") . (strlen(key) > strlen(part(key, 1) . part(key, 2)) + 1 ? \
    rest(key[strlen(part(key, 1) . part(key, 2)) + 3:]) : "")
shade(k) = word("#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #333333", (k - 1) % 7 + 1)
rows_of_key = (n + 2) / 3
height = 490 + 18 * rows_of_key

do for [target in targets] {
    eval begin(target)
    set title sprintf("%s: work per second over %s, by kernel times\n%s; %s, %s", problem eq "" ? "sweep" : problem, \
        over_axis eq "" ? "its axis" : over_axis, gpu[1:4] eq "none" ? "no GPU" : gpu, cpu, date)
    if (n == 0) {
        eval nothing(over_axis eq "" ? "no row of this file has another value of its axis" : "no row of this file was timed")
        eval finish
        continue
    }
    set logscale y
    set format y "%.0s%c"
    set yrange [10 ** floor(log10(low) - 0.05):10 ** ceil(log10(high) + 0.05)]
    if (left > 0 && right / left >= 20) {
        set logscale x
        set xrange [left / 1.3:right * 1.3]
        eval decades("x", left / 1.3, right * 1.3)
    } else {
        set xrange [left - 0.04 * (right - left):right + 0.04 * (right - left)]
    }
    set xlabel over_axis textcolor rgb ink
    set ylabel "work per second (log scale)" textcolor rgb ink
    if (!dumb) { set key at screen 0.5, screen 0.01 center bottom horizontal maxrows rows_of_key font "DejaVu Sans,10" samplen 2; \
        set bmargin at screen (82 + 18.0 * rows_of_key) / height }
    if (dumb) { set key below }
    plot for [k = 1:n] input using (key_of(0) eq word(lines, k) && timed(0) ? column(over_axis) : NaN):"work_per_s" \
        with linespoints linewidth 1.5 pointtype 4 + k pointsize 0.7 linecolor rgb shade(k) title name(word(lines, k)), \
        for [k = 1:hovers] input using (timed(0) ? column(over_axis) : NaN):"work_per_s": \
        (sprintf("%s, %s %s: %s per second", name(key_of(0)), over_axis, strcol(over_axis), strcol("work_per_s"))) @over
    eval finish
}
