# Counted memory traffic of each stage on the simulated device, per unit of work, on a log scale; where the file has a
# paper's times beside them, these under the stages' names.
#   warpladder explain lessons --out out                                  writes the file and calls this script
#   gnuplot -e "input='out/lessons_traffic.tsv'" plots/traffic.gp         writes out/lessons_traffic.svg and .png
#   gnuplot -e "input='out/lessons_traffic.tsv'; terminal='dumb'" plots/traffic.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
load here . "style.gp"
eval header("shape"); shape = found
eval header("unit"); unit = found[1:strlen(found) - 1]
eval header("work"); work = real(found) > 0 ? real(found) : 1

# What is drawn: a name for the key, and the columns it adds up.
sectors(row) = (column("global_load_sectors") + column("global_store_sectors")) / work
requests(row) = (column("global_load_requests") + column("global_store_requests") + column("atomic_requests")) / work
atomics(row) = column("atomic_operations") / work
passes(row) = column("shared_passes") / work
series = 4
amount(k) = k == 1 ? sectors(0) : k == 2 ? requests(0) : k == 3 ? atomics(0) : passes(0)
name(k) = k == 1 ? "global sectors" : k == 2 ? "global requests" : k == 3 ? "atomics" : "shared passes"
shade(k) = k == 1 ? 0x0072B2 : k == 2 ? 0x56B4E9 : k == 3 ? 0xD55E00 : 0x009E73

# The scale: whole decades around everything that is not zero.
stages = 0
longest = 0
set table $ignored
plot input using (longest = larger(longest, strlen(strcol("variant")))) with table
plot input using (stages = stages + 1, note(sectors(0)) + note(requests(0)) + note(atomics(0)) + note(passes(0))) with table
unset table
if (high == 0) { low = 1; high = 1 }
bottom = 10 ** (floor(log10(low)) - (dumb ? 0 : 0.15))
top = 10 ** (ceil(log10(high) + 0.25))

stage_name(row) = strcol("variant") . (paper eq "" ? "" : "\npaper: " . digits(column("paper_ms")) . " ms")

wide = 0.88 / series
place(k) = wide * (k - (series + 1) / 2.0)
# Every bar is labelled as long as the labels have room.
labelled = !dumb && stages <= 8
small = stages <= 5 ? "DejaVu Sans,9" : "DejaVu Sans,7"

do for [target in targets] {
    eval begin(target)
    set title sprintf("%s, %s: counted memory traffic per %s, by stage\nsimulated device, %s%s", title_text, shape, unit, date, paper eq "" ? "" : "; times: " . paper) . \
        (dumb ? "\n* global sectors   # global requests   $ atomics   % shared passes" : "")
    set logscale y
    set format y "%g"
    set yrange [bottom:top]
    set xrange [-0.55:stages - 0.45]
    set xtics scale 0
    set ylabel sprintf("per %s (log scale)", unit) textcolor rgb ink
    if (!dumb) {
        set key width -2
    }
    if (crowded(stages, longest)) { eval turned }
    plot for [k = 1:series] input using ($0 + place(k)):(larger(amount(k), bottom)):(wide * 0.94) \
             with boxes linecolor rgb shade(k) title name(k), \
         for [k = 1:labelled ? series : 0] input using ($0 + place(k)):(larger(amount(k), bottom)):(digits(amount(k))) \
             with labels offset 0,0.5 font small textcolor rgb ink notitle, \
         input using 0:(bottom):xtic(stage_name(0)) with points pointtype 0 notitle
    eval finish
}
