# Figure 4 of Payne et al. (2010): the paper's milliseconds and this machine's, side by side on a log scale.
#   warpladder reproduce payne2010                                        writes the file and calls this script
#   gnuplot -e "input='results/payne2010.tsv'" plots/payne2010.gp         writes results/payne2010.svg and .png
#   gnuplot -e "input='results/payne2010.tsv'; terminal='dumb'" plots/payne2010.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
load here . "style.gp"

# The scale: whole decades around every time in the file.
methods = 0
set table $ignored
longest = 0
plot input using (methods = methods + 1, longest = larger(longest, strlen(strcol("method"))), 0) with table
plot input using (note(column("paper_ms"))) with table
plot input using (note(column("kernel_ms_mean"))) with table
plot input using (note(column("total_ms_median"))) with table
unset table
bottom = 10 ** floor(log10(low) - 0.1)
top = 10 ** ceil(log10(high) + 0.15)

# Up to three bars a method; those it has stand together in the middle. Slot 1: paper, 2: total, 3: kernel.
has(name) = strcol(name) eq "NA" ? 0 : 1
bars(row) = has("paper_ms") + has("total_ms_median") + has("kernel_ms_mean")
slot(k) = k == 1 ? 1 : k == 2 ? has("paper_ms") + 1 : bars(0)
wide = 0.29
place(k) = wide * (slot(k) - (bars(0) + 1) / 2.0)
# Neighbouring labels have room for two digits.
brief(x) = x >= 100 ? digits(x) : sprintf("%.2g", x)

# "serial CPU, -O0" in two lines
at = 0
is_turned = methods > 9 && crowded(methods, longest)
wrapped(name) = is_turned ? name : (at = strstrt(name, ", "), at > 0 ? name[1:at] . "\n" . name[at + 2:] : name)

do for [target in targets] {
    eval begin(target)
    set title sprintf("%s\n%s: %s\nhere: %s, %s", title_text, paper, paper_machine, machine, date) . \
        (dumb ? "\n* paper   # here, total   $ here, kernel alone" : "")
    set tmargin at screen 0.84
    set logscale y
    set format y "%g"
    set yrange [bottom:top]
    set xrange [dumb ? -0.9 : -0.6:methods - 0.4]
    set xtics scale 0
    set ylabel "milliseconds (log scale)" textcolor rgb ink
    small = "DejaVu Sans,9"
    if (is_turned) { eval turned }
    plot input using ($0 + place(1)):"paper_ms":(wide * 0.95) with boxes linecolor rgb paper_colour title "paper", \
         input using ($0 + place(2)):"total_ms_median":(wide * 0.95) with boxes linecolor rgb sky \
             title "here, total", \
         input using ($0 + place(3)):"kernel_ms_mean":(wide * 0.95) with boxes linecolor rgb blue title "here, kernel alone", \
         input using ($0 + place(1)):"paper_ms":(digits(column("paper_ms"))) with labels offset 0,0.6 font small notitle, \
         for [k = 1:dumb ? 0 : 1] input using ($0 + place(2)):"total_ms_median":(brief(column("total_ms_median"))) \
             with labels offset 0,0.6 font small notitle, \
         for [k = 1:dumb ? 0 : 1] input using ($0 + place(3)):"kernel_ms_mean":(brief(column("kernel_ms_mean"))) \
             with labels offset 0,0.6 font small notitle, \
         for [k = 1:hovers * 3] input using ($0 + place(k)):(column(word("paper_ms total_ms_median kernel_ms_mean", k))): \
             (sprintf("%s, %s: %s ms", strcol("method"), word("paper total kernel", k), strcol(word("paper_ms total_ms_median kernel_ms_mean", k)))) @over, \
         input using 0:(bottom):xtic(wrapped(strcol("method"))) with points pointtype 0 notitle
    eval finish
}
