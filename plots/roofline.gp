# What limits each stage: the operations per second that it reached over its operations per byte, on log scales, under the roof of the
# measured bandwidth and of the measured rate of each kind of operation. Operations and bytes are what the stage declares that it cannot
# avoid: its own layout read and written once. Of lessons, counted.tsv has the bytes that do move: their points are full, and a hollow
# one stands where the ideal layout would be.
#   gnuplot -e "input='results/lessons.tsv'; output='results/lessons_roofline'" plots/roofline.gp    writes .svg and .png
#   gnuplot -e "input='results/lessons.tsv'; terminal='dumb'" plots/roofline.gp
# The GPU's rows where there are any; backend='cpu' for the others.

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
if (!exists("height")) height = 640
load here . "style.gp"

# ---- reading: words of a string, since what comes out of a plot is a number; with a point, without which gnuplot reads none
is_point(row) = strcol("operations") ne "NA" && strcol("bytes") ne "NA" && strcol("kernel_ms_median") ne "NA"
num(text) = text + 0.0
gpus = 0
eval header("unit"); unit = found
eval header("work"); work = found
set table $ignored
plot input using (gpus = gpus + (is_point(0) && strcol("backend") eq "gpu"), 0) with table
if (!exists("backend")) backend = gpus > 0 ? "gpu" : "cpu"
counts(row) = is_point(0) && strcol("backend") eq backend
names = ""; xs = ""; ideals = ""; ys = ""; kinds = ""; rates = ""
bandwidth = NaN
one_word(text) = strstrt(text, " ") ? one_word(text[1:strstrt(text, " ") - 1] . "_" . text[strstrt(text, " ") + 1:]) : text
moved_names = ""; moved_bytes = ""
plot here . "counted.tsv" using (moved_names = moved_names . " " . strcol("variant"), moved_bytes = moved_bytes . " " . strcol("bytes"), 0) with table
is_lessons(row) = title_text eq "" ? strcol("problem") eq "lessons" : unit eq "comparisons" && work ne ""
comparisons(row) = title_text eq "" ? column("work_per_s") * column("kernel_ms_median") / 1000 : num(work)
moved(name) = words(moved_names) == 0 ? 0 : sum [k = 1:words(moved_names)] (word(moved_names, k) eq name ? num(word(moved_bytes, k)) : 0)
bytes_of(row) = is_lessons(row) && moved(strcol("variant")) > 0 ? moved(strcol("variant")) * comparisons(row) : column("bytes")
look(row) = (names = names . " " . one_word(strcol("variant")), kinds = kinds . " " . strcol("rate"), \
    xs = xs . sprintf(" %.9e", column("operations") / bytes_of(row)), ideals = ideals . sprintf(" %.9e", column("operations") / column("bytes")), \
    ys = ys . sprintf(" %.9e", column("operations") / column("kernel_ms_median") * 1000), \
    rates = rates . (strcol("rate_per_s") eq "NA" ? " NA" : sprintf(" %.9e", column("rate_per_s"))), bandwidth = strcol("bandwidth") eq "NA" ? bandwidth : column("bandwidth"), 0)
plot input using (counts(0) ? look(0) : 0) with table
if (title_text eq "") {
    problem = ""; shape = ""; shapes = 0
    shaped(row) = (problem = strcol("problem"), shapes = shapes + (shape ne strcol("shape")), shape = strcol("shape"), 0)
    plot input using (shaped(0)) with table
    title_text = problem . (shapes == 1 ? ", " . shape : "")
}
unset table
n = words(names)

# The kinds of operations, each once, with their rates.
roofs = ""; roof_rates = ""
do for [i = 1:n] {
    known = 0
    do for [k = 1:words(roofs)] { if (word(roofs, k) eq word(kinds, i)) { known = 1 } }
    if (!known && word(rates, i) ne "NA") { roofs = roofs . " " . word(kinds, i); roof_rates = roof_rates . " " . word(rates, i) }
}
roof(k) = k <= words(roof_rates) ? num(word(roof_rates, k)) : NaN # gnuplot asks for the first of none, too
colours = blue . " " . vermilion . " " . green . " " . purple . " " . orange . " " . sky
hue(k) = word(colours, (int(k) - 1) % words(colours) + 1)
kind_of(i) = int(sum [k = 1:words(roofs)] (word(roofs, k) eq word(kinds, i) ? k : 0))

# ---- how far the axes go: whole decades, with room for names on the right
has_bandwidth = bandwidth > 0
low = 1e300; high = 0; left = 1e300; right = 0
do for [i = 1:n] {
    x = num(word(xs, i)); y = num(word(ys, i))
    ideal = num(word(ideals, i))
    left = smaller(left, smaller(x, ideal)); right = larger(right, larger(x, ideal)); low = smaller(low, y); high = larger(high, y)
}
do for [k = 1:words(roofs)] {
    y = num(word(roof_rates, k))
    high = larger(high, y)
    if (has_bandwidth) { left = smaller(left, y / bandwidth); right = larger(right, y / bandwidth) }
}
if (n == 0) { left = 1; right = 10; low = 1; high = 10 }
left = 10 ** floor(log10(left) - 0.3)
right = 10 ** ceil(log10(right) + 1)
bottom = 10 ** floor(log10(low) - 0.2)
top = 10 ** ceil(log10(high) + 0.3)

# ---- names stand beside their points, where they meet as little as may be: other names, points, roofs. In powers of ten:
letter = (log10(right) - log10(left)) / (dumb ? 64 : 120) # about as wide
gap = (log10(top) - log10(bottom)) / (dumb ? 18 : 26)
order = ""
do for [step = 1:n] {
    next = 0
    do for [i = 1:n] {
        taken = 0
        do for [k = 1:words(order)] { if (int(word(order, k)) == i) { taken = 1 } }
        if (!taken && (next == 0 || num(word(ys, i)) < num(word(ys, next)))) { next = i }
    }
    order = order . sprintf(" %d", next)
}
# What is in the way already: from, to, height, and what meeting it costs, in heights of a line that a name would rather move away.
array starts[1000]; array ends[1000]; array heights[1000]; array costs[1000]
boxes = 0
block(from, to, at, cost) = (boxes = boxes + 1, starts[boxes] = from - 0.6 * letter, ends[boxes] = to + 0.6 * letter, heights[boxes] = at, costs[boxes] = cost, 0)
room(cost) = cost < 2 ? 0.5 * gap : gap # a line is thinner than a name
meets(k, from, to, at) = from < ends[k] && to > starts[k] && abs(at - heights[k]) < 0.98 * room(costs[k]) ? costs[k] : 0
on_slope(from, to, at) = has_bandwidth && from < at - log10(bandwidth) && at - log10(bandwidth) < to ? 2 : 0
in_the_way(from, to, at) = (boxes == 0 ? 0.0 : sum [k = 1:boxes] meets(k, from, to, at)) + on_slope(from, to, at)
scale(x) = x >= 1e12 ? digits(x / 1e12) . " T" : x >= 1e9 ? sprintf("%.3g G", x / 1e9) : sprintf("%.3g M", x / 1e6)

do for [target in targets] {
    eval begin(target)
    set title sprintf("%s: what limits each stage\n%s, %s", title_text, \
        backend eq "gpu" ? gpu : cpu . (gpu eq "" || gpu[1:4] eq "none" ? " (no GPU)" : ""), date)
    set logscale xy
    eval decades("x", left, right)
    set format y "%.0s%c"
    set xrange [left:right]
    set yrange [bottom:top]
    set xlabel ideals eq xs ? "operations per byte of its own layout" : \
        "operations per byte that moves, counted (hollow: per byte of the ideal layout)" textcolor rgb ink offset 0,dumb ? 0 : 0.3
    set ylabel "operations per second" textcolor rgb ink
    if (!dumb) {
        set tmargin at screen 0.88
        set bmargin at screen 0.12
        set rmargin at screen 0.95 # half of the last number stands beyond it
        set style textbox opaque fillcolor rgb "#FFFFFF" noborder margins 0.3,0.1
    }
    small = "DejaVu Sans,9"
    unset arrow
    unset label
    unset key
    if (n == 0) {
        set label 1 "no timed row declares its bytes and operations" at graph 0.5,0.5 center textcolor rgb ink
    }
    # Roofs: from the slope of the bandwidth to the right edge, named there: above, or of two that are close, one below.
    boxes = 0
    do for [i = 1:n] { ignored = block(log10(num(word(xs, i))) - letter, log10(num(word(xs, i))) + letter, log10(num(word(ys, i))), 4.0) }
    do for [k = 1:words(roofs)] {
        y = num(word(roof_rates, k))
        from = has_bandwidth ? larger(left, y / bandwidth) : left
        if (!dumb) { set arrow from from,y to right,y nohead linewidth 1.5 linecolor rgb hue(k) back }
        ignored = block(log10(from), log10(right), log10(y), 1.0)
    }
    do for [k = 1:words(roofs)] {
        named = sprintf("%s, %s/s", word(roofs, k), scale(num(word(roof_rates, k))))
        own = log10(num(word(roof_rates, k)))
        from = log10(right) - strlen(named) * letter
        above = own + 0.5 * gap; under = own - 0.5 * gap
        best = in_the_way(from, log10(right), above + 0.05 * gap) <= in_the_way(from, log10(right), under - 0.05 * gap) ? above : under
        set label named at right,10 ** best right font small textcolor rgb hue(k)
        ignored = block(from, log10(right), best, 100.0)
    }
    if (has_bandwidth && !dumb) {
        from = larger(left, bottom / bandwidth)
        to = smaller(right, high / bandwidth)
        if (from < to) { set arrow from from,from * bandwidth to to,to * bandwidth nohead linewidth 1.5 linecolor rgb ink back }
    }
    if (has_bandwidth) {
        at = sqrt(larger(left, bottom / bandwidth) * smaller(right, high / bandwidth)) # the middle of the slope
        memory = sprintf("memory, %s bytes/s", scale(bandwidth))
        if (log10(at) - log10(left) > (strlen(memory) + 3) * letter) { # left of the slope, where there is room
            set label memory at at,at * bandwidth right offset -1,0.4 font small textcolor rgb ink
        } else {
            set label memory at at,at * bandwidth left offset 1,-0.4 font small textcolor rgb ink
        }
    }
    # Names, from below: of right and left and of heights up and down the place where they are nearest and least in the way; with a thin
    # line to the point where that is not beside it.
    do for [step = 1:n] {
        i = int(word(order, step))
        x = num(word(xs, i)); own = log10(num(word(ys, i))); colour = kind_of(i) > 0 ? hue(kind_of(i)) : ink
        long = strlen(word(names, i)) * letter
        least = 1e300
        do for [move = 0:24] { do for [side = 0:1] {
            up = own + (move % 2 ? 1 : -1) * int((move + 1) / 2) * 0.5 * gap
            away = abs(up - own) > 0.6 * gap ? 4 : 2
            start = log10(x) + (side == 0 ? away * letter : -away * letter - long)
            cost = in_the_way(start, start + long, up) + abs(up - own) / gap + 0.1 * side + \
                (start < log10(left) || start + long > log10(right) || up > log10(top) || up < log10(bottom) + 0.5 * gap ? 1000 : 0)
            if (cost < least) { least = cost; best = up; best_side = side; begins = start }
        } }
        ignored = block(begins, begins + long, best, 100.0)
        ideal = num(word(ideals, i))
        if (!dumb && ideal != x) { set arrow from x,10 ** own to ideal,10 ** own nohead linewidth 0.5 dashtype 3 linecolor rgb colour back }
        beside = best_side == 0 ? begins : begins + long
        if (!dumb && abs(best - own) > 0.6 * gap) {
            set arrow from x,10 ** own to 10 ** beside,10 ** best nohead linewidth 0.6 linecolor rgb colour back
        }
        if (best_side == 0) {
            set label word(names, i) at 10 ** beside,10 ** best left font small textcolor rgb colour boxed
        } else {
            set label word(names, i) at 10 ** beside,10 ** best right font small textcolor rgb colour boxed
        }
    }
    set print $points
    do for [i = 1:n] { print sprintf("%s\t%s\t%d\t%s: %s operations per second, %.3g per byte", word(xs, i), word(ys, i), kind_of(i), \
        word(names, i), scale(num(word(ys, i))), num(word(xs, i))) }
    if (n == 0) { print sprintf("%g\t%g\t0\tnothing", left / 10, bottom / 10) }
    set print $hollow
    do for [i = 1:n] { print sprintf("%s\t%s\t%d", word(ideals, i), word(ys, i), kind_of(i)) }
    if (n == 0) { print sprintf("%g\t%g\t0", left / 10, bottom / 10) }
    unset print
    unset datafile columnheaders
    colour_of(k) = int("0x" . (k > 0 ? hue(k)[2:] : "333333"))
    plot $points using 1:2:(colour_of($3)) with points pointtype 7 pointsize target eq "png" ? 1.6 : 0.8 linecolor rgb variable notitle, \
         for [k = 1:dumb ? 0 : 1] $hollow using 1:2:(colour_of($3)) with points pointtype 6 pointsize target eq "png" ? 1.6 : 0.8 linecolor rgb variable notitle, \
         for [k = 1:hovers] $points using 1:2:4 @over, \
         for [k = 1:dumb && has_bandwidth ? 1 : 0] bandwidth * x with dots notitle, \
         for [k = 1:dumb ? words(roofs) : 0] roof(k) with dots notitle
    set datafile columnheaders
    eval finish
}
