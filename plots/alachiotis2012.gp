# Tables 1 and 2 of Alachiotis et al. (2012): cell updates per second over the reference's length, or over the number of reads; the
# paper's three columns and this machine's lines, both axes logarithmic.
#   warpladder reproduce alachiotis2012                                          writes the files and calls this script
#   gnuplot -e "input='results/alachiotis2012_table1.tsv'" plots/alachiotis2012.gp
#   gnuplot -e "input='results/alachiotis2012_table1.tsv'; terminal='dumb'" plots/alachiotis2012.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
height = 680
load here . "style.gp"

# The lines, as words "line|batch|variant", and the scales around everything in the file.
lines = ""
fewest = 1e300
most = 0
shortest = 1e300
longest = 0
key_of(row) = strcol("line") . "|" . strcol("batch") . "|" . strcol("variant")
is_number(row) = strcol("gcups") ne "NA"
add(row) = is_number(0) && strstrt(" " . lines, " " . key_of(0) . " ") == 0 ? (lines = lines . key_of(0) . " ", 0) : 0
note(x, sites, reads) = (low = smaller(low, x), high = larger(high, x), shortest = smaller(shortest, sites), \
    longest = larger(longest, sites), fewest = smaller(fewest, reads), most = larger(most, reads), 0)
set table $ignored
plot input using (add(0)) with table
plot input using (is_number(0) ? note(column("gcups"), column("sites"), column("reads")) : 0) with table
unset table
bottom = 10 ** floor(log10(low) - 0.1)
top = 10 ** ceil(log10(high) + 0.1)
over_sites = longest > shortest
x_name = over_sites ? "sites" : "reads"
left = over_sites ? shortest : fewest
right = over_sites ? longest : most

is_paper(k) = part(k, 3) eq "paper"
is_filling(k) = part(k, 2) eq "filling"
name(k) = is_paper(k) ? "paper's " . part(k, 1) : part(k, 3) . (is_filling(k) ? ", filling" : "")
shade(k) = is_paper(k) ? 0x9A9A9A : part(k, 1) eq "serial" ? 0x333333 : part(k, 1) eq "simd" ? 0xE69F00 : \
    part(k, 1) eq "paper_kernel" ? 0x009E73 : 0x0072B2
point(k) = part(k, 1) eq "Seq" ? 6 : part(k, 1) eq "SSE(4)" ? 4 : part(k, 1) eq "GPU" ? 8 : is_filling(k) ? 5 : 7
dash(k) = is_filling(k) ? 2 : 1
letter(i) = "ABCDEFGHIJKLMNOPQ"[i:i]
at(k) = key_of(0) eq k ? column(x_name) : NaN
legend = ""
do for [i = 1:words(lines)] { legend = legend . letter(i) . " " . name(word(lines, i)) . (i % 4 == 0 ? "\n" : "   ") }

do for [target in targets] {
    eval begin(target)
    set title sprintf("%s\n%s: %s\nhere: %s, %s", title_text, paper, paper_machine, machine, date) . (dumb ? "\n" . legend : "")
    if (!dumb) {
        set tmargin at screen 0.87
        set bmargin at screen 0.27
        set key maxrows 3 width -3 font "DejaVu Sans,11"
    }
    set logscale xy
    set format y "%g"
    set yrange [bottom:top]
    set xrange [left * 0.85:right * 1.2]
    if (over_sites) {
        set xtics (500, 1000, 5000, "10,000" 10000, "50,000" 50000, "100,000" 100000, "500,000" 500000)
    } else {
        set xtics (100, 250, 500, 750, 1000, 1250)
    }
    set xlabel (over_sites ? "sites of the reference" : "reads") . " (log scale)" textcolor rgb ink
    set ylabel "GCUPS (log scale)" textcolor rgb ink
    plot for [i = 1:words(lines)] input using (at(word(lines, i))):"gcups" with linespoints \
        pointtype (dumb ? i : point(word(lines, i))) pointsize 0.8 dashtype dash(word(lines, i)) \
        linecolor rgb shade(word(lines, i)) title name(word(lines, i)), \
         for [i = 1:words(lines) * hovers] input using (at(word(lines, i))):"gcups": \
            (sprintf("%s, %s %s: %s GCUPS", name(word(lines, i)), strcol(x_name), x_name, digits(column("gcups")))) @over
    eval finish
}
