# How many times faster than the CPU: the speedups of a result file of `warpladder run`, over the serial CPU code and over
# the best CPU code, with their 95 % intervals, on a log scale.
#   gnuplot -e "input='results/lessons.tsv'" plots/speedup.gp             writes results/lessons.svg and .png
#   gnuplot -e "input='results/lessons.tsv'; terminal='dumb'" plots/speedup.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
load here . "style.gp"

# Only what has a speedup is drawn: a variant on the simulated device, or one whose check failed, has none.
timed(row) = strcol("speedup_serial") eq "NA" && strcol("speedup_best_cpu") eq "NA" ? NaN : 1
n = 0
problem = ""
shape = ""
shapes = 0
look(row) = (shapes = shapes + (shape ne strcol("shape")), shape = strcol("shape"), n = n + 1, 0)
set table $ignored
plot input using (problem = strcol("problem"), 0) with table
plot input using (timed(0) == 1 ? look(0) : 0) with table
plot input using (note(column("speedup_serial_low")) + note(column("speedup_serial_high"))) with table
plot input using (note(column("speedup_serial"))) with table
plot input using (note(column("speedup_best_cpu_low")) + note(column("speedup_best_cpu_high"))) with table
plot input using (note(column("speedup_best_cpu"))) with table
unset table
bottom = 10 ** floor(log10(smaller(low, 0.99)))
top = 10 ** ceil(log10(larger(high, 1.01)) + 0.1)

# Bars start at 1, as fast as the baseline, and go down where a variant is slower.
wide = 0.42
at = -1
next(row) = (at = at + (timed(0) == 1), timed(0) * at)
many = n > 8 && !dumb
name(row) = many ? strcol("variant") . (shapes > 1 ? ", " . strcol("shape") : "") : \
    (dumb ? strcol("variant")[1:9] : strcol("variant")) . (shapes > 1 ? "\n" . strcol("shape") : "") . "\n" . strcol("backend")
small = n <= 9 ? "DejaVu Sans,9" : "DejaVu Sans,7.5"
labelled = n <= 12 # more bars leave no room for their values
brief(x) = x < 0.1 ? sprintf("%.1g", x) : x < 1 ? sprintf("%.2g", x) : digits(x) # long labels would run into each other
told(of) = sprintf("%s, %s: %s times as fast as %s CPU code (95 %%: %s to %s)", strcol("variant"), strcol("shape"), \
    strcol("speedup_" . of), of eq "serial" ? "the serial" : "the best", strcol("speedup_" . of . "_low"), strcol("speedup_" . of . "_high"))
from(x) = x < 1 ? x : 1
to(x) = x < 1 ? 1 : x

do for [target in targets] {
    eval begin(target)
    set title sprintf("%s%s: speedup over CPU code, by kernel times\n%s; %s, %s", problem, \
        shapes == 1 ? ", " . shape : "", gpu[1:4] eq "none" ? "no GPU" : gpu, cpu, date) . \
        (dumb ? "\n* over the serial CPU code   # over the best CPU code" : "")
    if (n == 0) {
        eval nothing("no row of this file has a speedup")
        eval finish
        continue
    }
    set logscale y
    eval decades("y", bottom, top)
    set yrange [bottom:top]
    set xrange [-0.6:n - 0.4]
    set xtics scale 0
    set ylabel "times as fast (log scale)" textcolor rgb ink
    set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb ink linewidth 1 back
    unset xtics
    if (many) {
        set bmargin at screen 0.29
    }
    if (dumb) {
        set bmargin 3
    }
    # Each series counts the bars it has drawn anew; the first column of a plot is evaluated once a line.
    at = -1
    plot input using (next(0) - wide / 2):"speedup_serial":(at - wide):(at + 0):(from(column("speedup_serial"))): \
             (to(column("speedup_serial"))) with boxxyerror linecolor rgb blue fillstyle solid noborder \
             title "over serial CPU", \
         at = -1, input using (next(0) + wide / 2):"speedup_best_cpu":(at + 0.02):(at + 0.02 + wide): \
             (from(column("speedup_best_cpu"))):(to(column("speedup_best_cpu"))) \
             with boxxyerror linecolor rgb orange fillstyle solid noborder title "over best CPU", \
         for [k = 1:dumb ? 0 : 1] at = -1, input using (next(0) - wide / 2):"speedup_serial_low":(0): \
             (column("speedup_serial_high") - column("speedup_serial_low")) \
             with vectors heads size screen 0.004,90 linecolor rgb ink title "95 % interval", \
         for [k = 1:dumb ? 0 : 1] at = -1, input using (next(0) + wide / 2):"speedup_best_cpu_low":(0): \
             (column("speedup_best_cpu_high") - column("speedup_best_cpu_low")) \
             with vectors heads size screen 0.004,90 linecolor rgb ink notitle, \
         for [k = 1:labelled] at = -1, input using (next(0) - wide / 2):(to(column("speedup_serial"))):(brief(column("speedup_serial"))) \
             with labels offset 0,0.7 font small notitle, \
         for [k = 1:labelled] at = -1, input using (next(0) + wide / 2):(to(column("speedup_best_cpu"))):(brief(column("speedup_best_cpu"))) \
             with labels offset 0,0.7 font small notitle, \
         for [k = 1:hovers] at = -1, input using (next(0) - wide / 2):(to(column("speedup_serial"))): \
             (told("serial")) @over, \
         for [k = 1:hovers] at = -1, input using (next(0) + wide / 2):(to(column("speedup_best_cpu"))): \
             (told("best_cpu")) @over, \
         for [k = 1:many] at = -1, input using (next(0) + 0.15):(bottom):(name(0)) \
             with labels rotate by 35 right offset 0,-0.7 font small textcolor rgb ink notitle, \
         for [k = 1:!many] at = -1, input using (next(0)):(bottom):(name(0)) \
             with labels offset 0,dumb ? -2 : -1.5 textcolor rgb ink notitle
    eval finish
}
