# The stages of a ladder as a staircase: how many times as fast as the serial CPU code each is, with the limit that it could reach (its
# share of the bandwidth or the instruction rate as 1), and the best CPU code. Of a file with several shapes, the last is drawn.
#   gnuplot -e "input='results/lessons.tsv'" plots/staircase.gp         writes results/lessons.svg and .png
# narrow    1: for a telephone: numbers of stages in place of names

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
if (!exists("narrow")) narrow = 0
width = narrow ? 400 : 960
height = narrow ? 300 : 420
load here . "style.gp"

problem = ""
shape = ""
best = 0
is_gpu = 0
is_stage(row) = strstrt("0123456789", strcol("variant")[1:1]) > 0 && strcol("speedup_serial") ne "NA"
set table $ignored
plot input using (is_stage(0) ? (shape = strcol("shape"), problem = strcol("problem"), is_gpu = is_gpu || strcol("backend") eq "gpu", 0) : NaN) with table
# Each stage once: where a GPU has it, not its simulated or its CPU rows.
drawn(row) = is_stage(0) && strcol("shape") eq shape && (!is_gpu || strcol("backend") eq "gpu")
n = 0
longest = 0
plot input using (drawn(0) ? (n = n + 1, longest = larger(longest, strlen(strcol("variant"))), note(column("speedup_serial"))) : NaN) with table
limit(row) = column("limit_fraction") > 0 ? column("speedup_serial") / column("limit_fraction") : NaN
plot input using (drawn(0) && limit(0) > 0 ? note(limit(0)) : NaN) with table
plot input using (strcol("backend") eq "cpu" && strcol("shape") eq shape && column("speedup_serial") > best ? (best = column("speedup_serial"), note(best)) : NaN) with table
unset table
bottom = n > 0 ? 10 ** floor(log10(smaller(low, 1))) : 1
top = n > 0 ? 10 ** ceil(log10(larger(high, 10)) + (narrow ? 0.3 : 0.1)) : 10

at = -1
next(row) = (at = at + drawn(0), drawn(0) ? at : NaN)
named = !narrow && !dumb
label(row) = named ? strcol("variant") : strcol("variant")[1:2]
small = narrow ? "DejaVu Sans,9" : "DejaVu Sans,9.5"
told(row) = sprintf("%s, %s: %s times as fast as the serial CPU code, and %.0f %% of its limit (%s)", strcol("variant"), strcol("shape"), \
    digits(column("speedup_serial")), 100 * column("limit_fraction"), strcol("limit"))

do for [target in targets] {
    eval begin(target)
    set title sprintf(narrow ? "%s, %s\n%s" : "%s, %s: speedup of each stage over the serial CPU code, %s", problem, shape, \
        gpu[1:4] eq "none" ? "no GPU" : gpu) font (narrow ? "DejaVu Sans,11" : "DejaVu Sans,13")
    if (n == 0) {
        eval nothing("no stage of this file has a speedup")
        eval finish
        continue
    }
    set logscale y
    eval decades("y", bottom, top)
    set yrange [bottom:top]
    set xrange [-0.6:n - 0.4]
    unset xtics
    if (narrow) {
        set lmargin at screen 0.13
        set bmargin at screen 0.2
        set tmargin at screen 0.84
        set key font "DejaVu Sans,9" samplen 1.4 width -1
    }
    if (named) { set bmargin at screen 0.3 }
    if (!narrow) { set ylabel "times as fast (log scale)" textcolor rgb ink }
    at = -1
    plot input using (next(0)):"speedup_serial":(at - 0.5):(at + 0.5):(bottom):(column("speedup_serial")) \
             with boxxyerror linecolor rgb sky fillstyle solid 0.45 noborder title "speedup", \
         at = -1, input using (next(0) - 0.5):"speedup_serial":(1):(0) with vectors nohead linecolor rgb blue linewidth 2.5 notitle, \
         at = -1, input using (next(0) - 0.4):(limit(0)):(0.8):(0) with vectors nohead linecolor rgb vermilion linewidth 2 title "its limit", \
         best > 0 ? best : NaN with lines linecolor rgb green linewidth 1.5 dashtype 2 title (narrow ? "best CPU" : "best CPU code"), \
         at = -1, input using (next(0)):"speedup_serial":(n > 9 && narrow ? "" : digits(column("speedup_serial"))) \
             with labels offset 0,-0.7 font small textcolor rgb ink notitle, \
         for [k = 1:hovers] at = -1, input using (next(0)):"speedup_serial":(told(0)) @over, \
         for [k = 1:named] at = -1, input using (next(0) + 0.2):(bottom):(label(0)) \
             with labels rotate by 35 right offset 0,-0.6 font small textcolor rgb ink notitle, \
         for [k = 1:!named] at = -1, input using (next(0)):(bottom):(label(0)) \
             with labels offset 0,-0.8 font small textcolor rgb ink notitle
    eval finish
}
