# Work per second: a result file of `warpladder run`, kernel times, on a log scale; for each variant a tick where the limit of its
# bytes or operations lies, by the rates measured on the machine.
#   gnuplot -e "input='results/sw.tsv'; output='results/sw_throughput'" plots/throughput.gp    writes .svg and .png
#   gnuplot -e "input='results/sw.tsv'; terminal='dumb'" plots/throughput.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
load here . "style.gp"

# Only what was timed and has work is drawn.
timed(row) = strcol("work_per_s") eq "NA" || column("work_per_s") <= 0 ? NaN : 1
limit(row) = strcol("limit_fraction") eq "NA" || timed(0) != 1 ? NaN : column("work_per_s") / column("limit_fraction")
n = 0
problem = ""
shape = ""
shapes = 0
look(row) = (shapes = shapes + (shape ne strcol("shape")), shape = strcol("shape"), n = n + 1, \
    note(column("work_per_s")))
set table $ignored
plot input using (problem = strcol("problem"), 0) with table
plot input using (timed(0) == 1 ? look(0) : 0) with table
plot input using (limit(0) > 0 ? note(limit(0)) : 0) with table
unset table
if (n == 0) { low = 1; high = 10 }
bottom = 10 ** floor(log10(low) - 0.35) # the lowest bar is higher than its label
top = 10 ** ceil(log10(high) + 0.1)

wide = 0.7
at = -1
next(row) = (at = at + (timed(0) == 1), timed(0) * at)
# A label on the axis itself is dropped where the axis' end is rounded up.
name(row) = strcol("variant") . (shapes > 1 ? ", " . strcol("shape") : "") . (strcol("backend") eq "cpu" ? ", CPU" : "")
small = n <= 9 ? "DejaVu Sans,9" : "DejaVu Sans,7.5"
unit(x) = x >= 1e15 ? sprintf("%.3g P", x / 1e15) : x >= 1e12 ? sprintf("%.3g T", x / 1e12) : x >= 1e9 ? sprintf("%.3g G", x / 1e9) : sprintf("%.3g M", x / 1e6)

do for [target in targets] {
    eval begin(target)
    set title sprintf("%s%s: work per second, by kernel times\n%s; %s, %s", problem, shapes == 1 ? ", " . shape : "", \
        gpu[1:4] eq "none" ? "no GPU" : gpu, cpu, date)
    if (n == 0) {
        eval nothing("no row of this file was timed")
        eval finish
        continue
    }
    set logscale y
    set format y "%.0s%c"
    set yrange [bottom:top]
    set xrange [-0.6:n - 0.4]
    unset xtics
    set ylabel "work per second (log scale)" textcolor rgb ink
    if (!dumb) {
        set bmargin at screen 0.29
    }
    at = -1
    plot input using (next(0)):"work_per_s":(wide) with boxes linecolor rgb blue title "reached", \
         at = -1, input using (next(0) - wide / 2):(limit(0)):(wide):(0) with vectors nohead linewidth 2 linecolor rgb vermilion \
             title "limit by bytes or operations", \
         for [k = 1:dumb ? 0 : 1] at = -1, input using (next(0)):"work_per_s":(unit(column("work_per_s"))) \
             with labels offset 0,-0.8 font small textcolor rgb "#FFFFFF" notitle, \
         for [k = 1:dumb ? 0 : 1] at = -1, input using (next(0) + 0.15):(bottom * 1.0000001):(name(0)) \
             with labels rotate by 35 right offset 0,-0.7 font small textcolor rgb ink notitle, \
         for [k = 1:dumb ? 1 : 0] at = -1, input using (next(0)):(bottom * 1.0000001):(strcol("variant")[1:11]) \
             with labels offset 0,-1 textcolor rgb ink notitle
    eval finish
}
