# Figure 4 of Ligowski & Rudnicki (2009): cell updates per second over the query's length, the paper's numbers and this machine's,
# both axes logarithmic.
#   warpladder reproduce ligowski2009                                     writes the file and calls this script
#   gnuplot -e "input='results/ligowski2009.tsv'" plots/ligowski2009.gp   writes results/ligowski2009.svg and .png
#   gnuplot -e "input='results/ligowski2009.tsv'; terminal='dumb'" plots/ligowski2009.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
height = 680
load here . "style.gp"
eval header("database"); database = found

# The lines, as words "variant|devices", and the scales around everything in the file.
lines = ""
shortest = 1e300
longest = 0
key_of(row) = strcol("variant") . "|" . strcol("devices")
is_line(row) = strcol("backend") ne "paper" && strcol("gcups") ne "NA"
add(row) = is_line(0) && strstrt(" " . lines, " " . key_of(0) . " ") == 0 ? (lines = lines . key_of(0) . " ", 0) : 0
range(x) = (shortest = smaller(shortest, x), longest = larger(longest, x), 0)
set table $ignored
plot input using (add(0)) with table
plot input using (strcol("gcups") eq "NA" ? 0 : note(column("gcups"))) with table
plot input using (strcol("query_length") eq "NA" ? 0 : range(column("query_length")) + range(column("query_to"))) with table
unset table
bottom = 10 ** floor(log10(low) - 0.1)
top = 10 ** ceil(log10(high) + 0.1)

variant_of(k) = k[1:strstrt(k, "|") - 1]
devices_of(k) = k[strstrt(k, "|") + 1:]
name(k) = variant_of(k) . (devices_of(k) eq "2" ? " on two GPUs" : "")
shade(i) = word("0xE69F00 0x009E73 0x56B4E9 0x0072B2 0xD55E00 0xCC79A7 0x333333 0x9A9A9A", (i - 1) % 8 + 1) + 0
letter(i) = "BCDEFGHIJKLMNOPQ"[i:i]

# One row's place in a series, or nowhere.
at(k, base) = strcol("database") eq base && key_of(0) eq k ? column("query_length") : NaN
said(base, relation) = strcol("backend") eq "paper" && strcol("database") eq base && strcol("relation") eq relation ? column("query_length") : NaN
legend = "A the paper"
do for [i = 1:words(lines)] { legend = legend . (i % 4 == 0 ? "\n" : "   ") . letter(i) . " " . name(word(lines, i)) }

do for [target in targets] {
    eval begin(target)
    set title sprintf("%s\n%s: %s\nhere: %s, %s", title_text, paper, paper_machine, machine, date) . (dumb ? "\n" . legend : "")
    if (!dumb) {
        set tmargin at screen 0.87
        set bmargin at screen 0.29
        set key maxrows 4 width -3 font "DejaVu Sans,11"
    }
    set logscale xy
    set format y "%g"
    set yrange [bottom:top]
    set xrange [shortest * 0.9:longest * 1.15]
    set xtics (10, 20, 50, 100, 200, 500, 1000)
    set xlabel "query, residues (log scale)" textcolor rgb ink
    set ylabel "GCUPS (log scale)" textcolor rgb ink
    # Random1000 and Regular1000 stand to the right of the longest query they were run with.
    plot input using (said("Swiss-Prot", "=")):"gcups" with points pointtype (dumb ? 1 : 7) linecolor rgb paper_colour title "paper, one and two cores", \
         input using (said("Swiss-Prot", ">")):"gcups":(column("query_to") - column("query_length")):(0) with vectors nohead linewidth 2 linecolor rgb paper_colour notitle, \
         input using (said("Swiss-Prot", "~")):"gcups" with points pointtype (dumb ? 1 : 7) linecolor rgb paper_colour notitle, \
         for [base in dumb ? "" : "Random1000 Regular1000"] input using (said(base, "=") > 0 ? shortest : NaN):"gcups":(longest - shortest):(0) \
             with vectors nohead dashtype 2 linecolor rgb paper_colour title (base eq "Random1000" ? "Random1000, Regular1000 of the paper" : ""), \
         for [i = 1:words(lines)] input using (at(word(lines, i), "Swiss-Prot")):"gcups" with linespoints pointtype (dumb ? i + 1 : 7) pointsize 0.6 \
             linecolor rgb shade(i) title name(word(lines, i)), \
         for [k = 1:dumb ? 0 : 1] for [i = 1:words(lines)] input using (1.06 * at(word(lines, i), "Random1000")):"gcups" \
             with points pointtype 8 linecolor rgb shade(i) title (i == 1 ? "Random1000 here" : ""), \
         for [k = 1:dumb ? 0 : 1] for [i = 1:words(lines)] input using (1.06 * at(word(lines, i), "Regular1000")):"gcups" \
             with points pointtype 4 linecolor rgb shade(i) title (i == 1 ? "Regular1000 here" : ""), \
         for [k = 1:hovers] for [i = 1:words(lines)] for [base in "Swiss-Prot Random1000 Regular1000"] \
             input using ((base eq "Swiss-Prot" ? 1 : 1.06) * at(word(lines, i), base)):"gcups": \
             (sprintf("%s, %s, query of %s: %s GCUPS", name(word(lines, i)), base, strcol("query_length"), digits(column("gcups")))) @over
    eval finish
}
