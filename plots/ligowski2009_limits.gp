# What limits Smith-Waterman, stage by stage: the limits by operations and by bytes from the rates measured on this machine,
# and what it reached, with the paper's numbers beside them; a log scale.
#   warpladder reproduce ligowski2009                                     writes the file and calls this script
#   gnuplot -e "input='results/ligowski2009_limits.tsv'" plots/ligowski2009_limits.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
load here . "style.gp"

series = 4
amount(k) = column(k == 1 ? "limit_operations_gcups" : k == 2 ? "limit_bytes_gcups" : k == 3 ? "swiss_prot_gcups" : "regular_gcups")
name(k) = k == 1 ? "limit by operations" : k == 2 ? "limit by bytes" : k == 3 ? "reached, Swiss-Prot" : "reached, Regular1000"
shade(k) = k == 1 ? 0x9A9A9A : k == 2 ? 0xDDDDDD : k == 3 ? 0x0072B2 : 0x56B4E9

bars = 0
set table $ignored
plot input using (bars = bars + 1, 0) with table
do for [c in "limit_operations_gcups limit_bytes_gcups swiss_prot_gcups regular_gcups"] {
    plot input using (strcol(c) eq "NA" ? 0 : note(column(c))) with table
}
unset table
bottom = 10 ** floor(log10(low) - 0.2)
top = 10 ** (ceil(log10(high)) + 0.2)

wide = 0.88 / series
place(k) = wide * (k - (series + 1) / 2.0)
label(row) = strcol("variant") . (strcol("devices") eq "2" ? "\non two" : "") . \
    (strcol("limit_fraction") eq "NA" ? "" : sprintf("\n%.0f %%", 100 * column("limit_fraction")))
brief(x) = x >= 1000 ? sprintf("%.1fk", x / 1000) : x >= 100 ? digits(x) : sprintf("%.2g", x)
small = bars <= 6 ? "DejaVu Sans,9" : "DejaVu Sans,7"

do for [target in targets] {
    eval begin(target)
    set title sprintf("%s\n%s: %s\nhere: %s, %s", title_text, paper, paper_machine, machine, date) . \
        (dumb ? "\n* limit by operations   # limit by bytes   $ reached, Swiss-Prot   % reached, Regular1000" : "")
    if (!dumb) {
        set tmargin at screen 0.84
        set bmargin at screen 0.25
        set key width -2
    }
    set logscale y
    set format y "%g"
    set yrange [bottom:top]
    set xrange [-0.6:bars - 0.4]
    set xtics scale 0
    set ylabel "GCUPS (log scale)" textcolor rgb ink
    plot for [k = 1:series] input using ($0 + place(k)):(amount(k)):(wide * 0.94) with boxes linecolor rgb shade(k) title name(k), \
         for [k = 1:dumb ? 0 : series] input using ($0 + place(k)):(amount(k)):(brief(amount(k))) \
             with labels offset 0,0.5 font small textcolor rgb ink notitle, \
         for [k = 1:series * hovers] input using ($0 + place(k)):(amount(k)):(sprintf("%s%s, %s: %s GCUPS", strcol("variant"), \
             strcol("devices") eq "2" ? " on two GPUs" : "", name(k), digits(amount(k)))) @over, \
         input using 0:(bottom):xtic(label(0)) with points pointtype 0 notitle
    eval finish
}
