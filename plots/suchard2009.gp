# Figure 3 of Suchard & Rambaut (2009): how many times as fast as serial C code a Markov chain's steps are, as the paper's text says and
# here. Both are logarithmic bars, a group a model and precision.
#   warpladder reproduce suchard2009                                    writes the file and calls this script
#   gnuplot -e "input='results/suchard2009.tsv'" plots/suchard2009.gp   writes results/suchard2009.svg and .png
#   gnuplot -e "input='results/suchard2009.tsv'; terminal='dumb'" plots/suchard2009.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
height = 600
load here . "style.gp"

# Lines as words "variant|backend|devices", and bars as words "group|line|value".
groups = "codon/single codon/double nucleotide/single nucleotide/double"
group_of(row) = strcol("model") . "/" . strcol("precision")
key_of(row) = strcol("variant") . "|" . strcol("backend") . "|" . strcol("devices")
place(list, item) = strstrt(" " . list, " " . item . " ")
number_in(list, item) = words((" " . list)[1:place(list, item)]) + 1
lines = ""
bars = ""
low = 1.0
high = 1.0
note(row) = place(lines, key_of(0)) == 0 ? (lines = lines . key_of(0) . " ", 0) : 0
add(row) = (note(0), low = smaller(low, column("speedup_serial")), high = larger(high, column("speedup_serial")), \
    bars = bars . sprintf("%d|%d|%.6g ", number_in(groups . " ", group_of(0)), number_in(lines, key_of(0)), column("speedup_serial")), 0)
is_bar(row) = strcol("speedup_serial") ne "NA" && strcol("variant") ne "serial_O3"
set table $ignored
plot input using (is_bar(0) ? add(0) : 0) with table
unset table

panel_of(b) = int(part(word(bars, b), 1))
line_of(b) = int(part(word(bars, b), 2))
speed(b) = real(part(word(bars, b), 3))
x(b) = (panel_of(b) - 1) * (words(lines) + 1.5) + line_of(b)
gpus(k) = part(k, 2) eq "cpu" ? ", all cores" : part(k, 3) eq "1" ? ", one GPU" : ", " . part(k, 3) . " GPUs"
name(k) = (part(k, 2) eq "paper" ? "the paper" : part(k, 1)) . gpus(k)
shade(k) = part(word(lines, k), 2) eq "paper" ? 0x9A9A9A + (part(word(lines, k), 3) eq "1" ? 0x222222 : 0) : \
    word("0xE69F00 0x56B4E9 0x0072B2 0x009E73 0xD55E00 0xCC79A7 0x333333", (k - 1) % 7 + 1) + 0
is_first(b) = (sum [i = 1:b - 1] (line_of(i) == line_of(b))) == 0
legend = ""
do for [k = 1:words(lines)] { legend = legend . (k > 1 ? (k % 3 == 1 ? "\n" : "   ") : "") . "ABCDEFGHIJKLMNOP"[k:k] . " " . name(word(lines, k)) }

do for [target in targets] {
    eval begin(target)
    set title sprintf("%s: times as fast as the serial C code\n%s: %s\nhere: %s, %s", title_text, paper, paper_machine, machine, date) . (dumb ? "\n" . legend : "")
    if (!dumb) {
        set bmargin at screen 0.2
        set tmargin at screen 0.86
        set key maxrows 3 width -2 font "DejaVu Sans,11"
    }
    set logscale y
    set format y "%g"
    set yrange [smaller(0.5, low / 2):high * 2.5]
    set xrange [0:4 * (words(lines) + 1.5)]
    set xtics scale 0
    set xtics ()
    do for [g = 1:4] { set xtics add (word(groups, g)[1:strstrt(word(groups, g), "/") - 1] . "s, " . word(groups, g)[strstrt(word(groups, g), "/") + 1:] (g - 1) * (words(lines) + 1.5) + (words(lines) + 1) / 2.0) }
    set boxwidth 0.85
    plot for [b = 1:words(bars)] $one using (x(b)):(speed(b)) with boxes linecolor rgb shade(line_of(b)) title (is_first(b) ? name(word(lines, line_of(b))) : ""), \
         for [b = 1:words(bars) * hovers] $one using (x(b)):(speed(b)): \
             (sprintf("%s, %s: %.4g times as fast", word(groups, panel_of(b)), name(word(lines, line_of(b))), speed(b))) @over, \
         for [b = 1:words(bars)] $one using (x(b)):(speed(b)):(dumb ? "ABCDEFGHIJKLMNOP"[line_of(b):line_of(b)] : compact(speed(b))) with labels offset 0,0.6 font ",9" textcolor rgb ink notitle
    eval finish
}
