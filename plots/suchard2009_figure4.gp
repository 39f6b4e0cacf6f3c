# Figure 4 of Suchard & Rambaut (2009): how many times as fast as serial C code a chain of codons is, over the number of unique
# columns (left) and of taxa (right), here; what the paper's text says is grey.
#   warpladder reproduce suchard2009                                                    writes the file and calls this script
#   gnuplot -e "input='results/suchard2009_figure4.tsv'" plots/suchard2009_figure4.gp   writes .svg and .png beside it

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
height = 560
load here . "style.gp"
eval header("saturation_patterns"); saturation = found + 0

# Lines as words "variant|backend|devices|panel", so that none is drawn where it has no point.
key_of(row) = strcol("variant") . "|" . strcol("backend") . "|" . strcol("devices") . "|" . strcol("by")
is_point(row) = strcol("speedup_serial") ne "NA" && strcol("variant") ne "serial_O3" && strcol("backend") ne "paper"
lines = ""
low = 1.0
high = 10.0
most_columns = 1
most_taxa = 1
add(row) = (strstrt(" " . lines, " " . key_of(0) . " ") == 0 ? (lines = lines . key_of(0) . " ") : "", \
    low = smaller(low, column("speedup_serial")), high = larger(high, column("speedup_serial")), \
    most_columns = larger(most_columns, column("patterns")), most_taxa = larger(most_taxa, column("taxa")), 0)
set table $ignored
plot input using (is_point(0) ? add(0) : 0) with table
unset table

gpus(k) = part(k, 2) eq "cpu" ? ", all cores" : part(k, 3) eq "1" ? ", one GPU" : ", " . part(k, 3) . " GPUs"
name(k) = part(k, 1) . gpus(k)
of_panel(by) = (made = "", sum [i = 1:words(lines)] (part(word(lines, i), 4) eq by ? (made = made . word(lines, i) . " ", 0) : 0), made)
shade(i) = word("0xE69F00 0x56B4E9 0x0072B2 0x009E73 0xD55E00 0xCC79A7 0x333333", (i - 1) % 7 + 1) + 0
at(k, by) = is_point(0) && key_of(0) eq k ? column(by eq "columns" ? "patterns" : "taxa") : NaN

do for [target in targets] {
    eval begin(target)
    set multiplot
    do for [panel = 1:2] {
        by = panel == 1 ? "columns" : "taxa"
        shown = of_panel(by)
        legend = ""
        do for [k = 1:words(shown)] { legend = legend . (k % 3 == 1 ? "\n" : "   ") . "BCDEFGHIJKLMNOP"[k:k] . " " . name(word(shown, k)) }
        set lmargin at screen (panel == 1 ? 0.08 : 0.64)
        set rmargin at screen (panel == 1 ? 0.58 : 0.97)
        set tmargin at screen (dumb ? 0.68 : 0.84)
        set bmargin at screen (dumb ? 0.12 : 0.25)
        unset label
        unset arrow
        if (panel == 1) {
            set label 1 sprintf("%s of codons, single precision: times as fast as the serial C code\n%s: %s\nhere: %s, %s", title_text, paper, paper_machine, machine, date) . \
                (dumb ? "\nA the paper's text" . legend : "") at screen 0.03, screen 0.95 left textcolor rgb ink
            if (saturation < most_columns) {
                set arrow 1 from saturation, graph 0 to saturation, graph 1 nohead dashtype 2 linecolor rgb paper_colour
                set label 2 "the paper: saturated" at saturation, graph 0.04 left offset 0.5,0 font ",9" textcolor rgb ink
            }
        }
        set logscale xy
        set format y "%g"
        set format x "%g"
        set yrange [low / 1.5:high * 2]
        set xrange [(panel == 1 ? 0.8 : 2.5):(panel == 1 ? most_columns : most_taxa) * 1.3]
        set xlabel (panel == 1 ? "unique columns" : "taxa") textcolor rgb ink
        if (panel == 1) { set xtics autofreq } else { set xtics (3, 6, 12, 20, 30, 62) }
        if (panel == 1 && !dumb) { set key maxrows 3 font "DejaVu Sans,11" } else { set key off }
        # The last line is style.gp's `over`: macros are not expanded in a block within a block.
        plot for [k = 1:panel == 1] $one using (1):(10) with points pointtype (dumb ? 1 : 9) pointsize 1.4 linecolor rgb paper_colour title "the paper: over 10", \
             for [k = 1:words(shown)] input using (at(word(shown, k), by)):"speedup_serial" with linespoints pointtype (dumb ? k + 1 : 7) pointsize 0.6 \
                 linecolor rgb shade(k) title name(word(shown, k)), \
             for [k = 1:words(shown) * hovers] input using (at(word(shown, k), by)):"speedup_serial": \
                 (sprintf("%s, %s %s: %.4g times", name(word(shown, k)), strcol(by eq "columns" ? "patterns" : "taxa"), by, column("speedup_serial"))) \
                 with labels hypertext point pointtype 7 pointsize 2 linecolor rgb "#FF000000" notitle
    }
    unset multiplot
    eval finish
}
