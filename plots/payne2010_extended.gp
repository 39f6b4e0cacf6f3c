# Payne et al. 2010, Figure 4, extended: how many times as fast as CPU code every lesson is, the paper's stages and those
# after them, on a log scale; the paper's own numbers beside its stages.
#   warpladder reproduce payne2010 --extended                             writes the file and calls this script
#   gnuplot -e "input='results/payne2010_extended.tsv'" plots/payne2010_extended.gp
#   gnuplot -e "input='results/payne2010_extended.tsv'; terminal='dumb'" plots/payne2010_extended.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
load here . "style.gp"

# The serial codes, which come first, are what is compared with and have no bars of their own.
is_stage(row) = strcol("variant")[1:6] ne "serial" && strcol("method")[1:6] ne "serial"
low = 1
high = 1
n = 0
serials = 0
gpus = 0
papers = 0 # stages that the paper timed; at another size than its own, none
paper_serial = NaN
set table $ignored
plot input using (n = n + is_stage(0), serials = serials + !is_stage(0), gpus = gpus + (strcol("backend") eq "gpu"), 0) with table
plot input using (paper_serial = is_stage(0) || strcol("paper_ms") eq "NA" ? paper_serial : column("paper_ms"), 0) with table
plot input using (is_stage(0) && strcol("paper_ms") ne "NA" ? (papers = papers + 1, note(paper_serial / column("paper_ms"))) : 0) with table
do for [c in "speedup_serial_O0 speedup_serial_O3 speedup_best_cpu"] {
    plot input using (is_stage(0) && strcol(c) ne "NA" ? note(column(c)) : 0) with table
}
unset table
bottom = 10 ** floor(log10(low))
top = 10 ** ceil(log10(high) + 0.15)

# Four bars a stage; which of them there are differs, and they stand together in the middle. A number there is none of is not
# asked for: that would take the whole line away.
series(k) = k == 1 ? "paper_ms" : k == 2 ? "speedup_serial_O0" : k == 3 ? "speedup_serial_O3" : "speedup_best_cpu"
has(k) = is_stage(0) && strcol(series(k)) ne "NA" ? 1 : 0
amount(k) = !has(k) ? NaN : k == 1 ? paper_serial / column("paper_ms") : column(series(k))
name(k) = k == 1 ? "the paper" : k == 2 ? "over serial -O0" : k == 3 ? "over serial -O3" : "over best CPU"
shade(k) = k == 1 ? 0x9A9A9A : k == 2 ? 0x56B4E9 : k == 3 ? 0x0072B2 : 0xE69F00
bars(row) = has(1) + has(2) + has(3) + has(4)
slot(k) = has(1) + (k > 1 ? has(2) : 0) + (k > 2 ? has(3) : 0) + (k > 3 ? has(4) : 0)
wide = 0.215
at(row) = is_stage(0) ? column(0) - serials : NaN
place(k) = at(0) + wide * (slot(k) - (bars(0) + 1) / 2.0)
# Bars start at 1, as fast as the baseline, and go down where a stage is slower.
from(x) = x < 1 ? x : 1
to(x) = x < 1 ? 1 : x
label(row) = strcol("variant") eq "" || strcol("variant") eq "NA" ? strcol("method") : strcol("variant")

do for [target in targets] {
    eval begin(target)
    set title sprintf("%s\n%s%s, %s%s", title_text, papers > 0 ? paper . ": " . paper_machine . "\nhere: " : "", machine, date, \
        gpus > 0 ? "" : "; no GPU: its stages are not timed") . \
        (dumb ? "\n" . (papers > 0 ? "* the paper   # over serial -O0   $ over serial -O3   % over best CPU" : \
                                     "* over serial -O0   # over serial -O3   $ over best CPU") : "")
    set logscale y
    eval decades("y", bottom, top)
    set yrange [bottom:top]
    set xrange [-0.6:n - 0.4]
    unset xtics
    set ylabel "times as fast, kernel times (log scale)" textcolor rgb ink
    set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb ink linewidth 1 back
    small = "DejaVu Sans,7"
    if (!dumb) {
        set tmargin at screen 0.82
        set bmargin at screen 0.29
        set key width -2
    } else {
        set bmargin 3
    }
    plot for [k = papers > 0 ? 1 : 2:4] input using (place(k)):(amount(k)):(place(k) - wide * 0.47):(place(k) + wide * 0.47): \
             (from(amount(k))):(to(amount(k))) with boxxyerror linecolor rgb shade(k) fillstyle solid noborder title name(k), \
         for [k = 1:dumb ? 0 : 4] input using (place(k)):(to(amount(k))):(compact(amount(k))) \
             with labels offset 0,0.5 font small textcolor rgb ink notitle, \
         for [k = 1:hovers * 4] input using (place(k)):(to(amount(k))): \
             (sprintf("%s, %s: %.4g times as fast", label(0), name(k), amount(k))) @over, \
         for [k = 1:dumb ? 0 : 1] input using (at(0) + 0.15):(bottom * 1.0000001):(label(0)) \
             with labels rotate by 35 right offset 0,-0.7 font "DejaVu Sans,9" textcolor rgb ink notitle, \
         for [k = 1:dumb ? 1 : 0] input using (at(0)):(bottom * 1.0000001):(label(0)[1:6]) \
             with labels offset 0,-1 textcolor rgb ink notitle
    eval finish
}
