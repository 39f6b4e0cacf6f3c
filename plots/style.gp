# What every chart of the suite shares: the targets, the fonts, the colours, and how our files are read.
# A chart script loads this first, then draws once for each word of `targets`:
#
#   do for [target in targets] { eval begin(target); plot ... ; eval finish }
#
# input     the file to draw (tab-separated, "# key: value" header lines, one line of column names)
# output    the charts' name without its ending; the input's name when not given
# terminal  'dumb' draws on standard output in plain characters; else output.svg and output.png are written

if (!exists("terminal")) terminal = ""
if (!exists("output")) output = input[strlen(input) - 3:] eq ".tsv" ? input[1:strlen(input) - 4] : input
# gnuplot runs what follows a < or | as a command.
if (input[1:1] eq "<") input = "./" . input
if (output[1:1] eq "|") output = "./" . output
if (!exists("rows")) rows = 28          # of a terminal drawing
if (!exists("columns")) columns = 100

if (!exists("targets")) targets = "svg png" # 'svg': that file only
if (terminal eq "dumb") targets = "dumb"
dumb = terminal eq "dumb"

set encoding utf8
set datafile separator tab    # NA is no number: it is skipped, and strcol() sees it as it is
set datafile columnheaders

# ---- colours: Okabe and Ito's set, told apart by every kind of colour vision and, mostly, in print
paper_colour = "#9A9A9A"
blue = "#0072B2"
sky = "#56B4E9"
orange = "#E69F00"
vermilion = "#D55E00"
green = "#009E73"
purple = "#CC79A7"
ink = "#333333"
faint = "#DDDDDD"

# ---- values where the mouse is, for a page that has the drawing in it: "plot ... using x:y:(text) @over" draws a point that is not seen
if (!exists("hover")) hover = 0
hovers = hover && !dumb ? 1 : 0
over = 'with labels hypertext point pointtype 7 pointsize 2 linecolor rgb "#FF000000" notitle'

# ---- where a chart goes. Both files are drawn 960 points wide, the width of a README on a laptop.
if (!exists("width")) width = 960
if (!exists("height")) height = 540
terminal_of(target) = \
    target eq "dumb" ? sprintf("set terminal dumb noenhanced nofeed mono size %d,%d", columns, rows) : \
    target eq "svg" ? sprintf("set terminal svg noenhanced size %d,%d dynamic font 'DejaVu Sans,Verdana,Arial,sans-serif,12' background '#FFFFFF'", width, height) : \
    sprintf("set terminal pngcairo noenhanced size %d,%d font 'DejaVu Sans,12' background '#FFFFFF' fontscale 1.5 linewidth 2", 2 * width, 2 * height)
begin(target) = terminal_of(target) . (target eq "dumb" ? "" : sprintf("; set output output . '.%s'", target)) # not the name itself: eval would run what it has in backticks
finish = "unset output"

# ---- plain axes: no box around, a faint grid to read values off, keys above the plot
set border 3 linecolor rgb ink
set tics nomirror textcolor rgb ink
set grid ytics linetype 1 linecolor rgb faint linewidth 0.7
if (dumb) unset grid
set key at screen 0.98, screen 0.035 right bottom horizontal maxrows 1 noenhanced textcolor rgb ink samplen 2
set style fill solid 1.0 noborder
set boxwidth 0.8
set lmargin at screen 0.1; set rmargin at screen 0.98
set tmargin at screen 0.87; set bmargin at screen 0.19
if (dumb) {
    # Bars are drawn with * # $ % & in this order, which a title says better than samples in a key.
    unset key
    set lmargin -1; set rmargin -1; set tmargin -1; set bmargin -1
}

# ---- reading the header: one pass over the file as bare lines, keeping the value of `key`
found = ""
keep(line, key) = line[1:strlen(key) + 4] eq "# " . key . ": " ? line[strlen(key) + 5:] : found
# eval header("machine") leaves the value in `found`, "" when there is none
header(key) = "found = \"\"; set datafile separator \"\\n\"; set datafile commentschars \"\"; unset datafile columnheaders; set table $ignored; " . \
    "plot input using (found = keep(strcol(1), \"" . key . "\"), 0) with table; unset table; " . \
    "set datafile separator tab; set datafile commentschars \"#\"; set datafile columnheaders"

# What most scripts say in their titles.
eval header("title"); title_text = found
eval header("paper"); paper = found
eval header("paper_machine"); paper_machine = found
eval header("machine"); machine = found
eval header("gpu"); gpu = found
eval header("cpu"); cpu = found
eval header("date"); date = found[1:10]

# ---- what scripts gather on the way through the file: the scale around all positive numbers; words of several parts, "a|b|c"
low = 1e300
high = 0
note(x) = (low = x > 0 && x < low ? x : low, high = x > high ? x : high, 0)
part(text, n) = n > 1 ? part(text[strstrt(text, "|") + 1:], n - 1) : strstrt(text, "|") > 0 ? text[1:strstrt(text, "|") - 1] : text
# One row, for plots whose numbers come from words.
$one << EOD
x
0
EOD

# ---- where nothing can be drawn, an empty frame that says why: gnuplot does not survive some plots without a point
nothing(why) = "unset logscale; unset xtics; unset ytics; unset ylabel; unset arrow; set xrange [0:1]; set yrange [0:1]; " . \
    "set label 1 \"" . why . "\" at graph 0.5,0.5 center textcolor rgb ink; plot -1 notitle"

# ---- names under n places of the axis: turned where they would run into each other; `longest` in letters of the usual font
crowded(n, longest) = !dumb && n * (longest + 1.5) * 7.6 > 0.86 * width
turned = "set xtics rotate by 30 right font \"DejaVu Sans,9\"; set bmargin at screen 0.29"

# ---- values above bars, in as many digits as are worth reading
digits(x) = x >= 1e6 ? sprintf("%.3g M", x / 1e6) : x >= 999.5 ? sprintf("%d,%03d", int(x + 0.5) / 1000, int(x + 0.5) % 1000) : \
    x >= 0.1 ? sprintf("%.3g", x) : sprintf("%.2g", x)
# ... and in few letters, where bars are narrow: 3.2k
compact(x) = x >= 9.95e5 ? sprintf("%.2gM", x / 1e6) : x >= 9950 ? sprintf("%.0fk", x / 1000) : x >= 995 ? sprintf("%.2gk", x / 1000) : \
    x >= 9.95 ? sprintf("%.0f", x) : sprintf("%.2g", x)
larger(a, b) = a > b ? a : b
smaller(a, b) = a < b ? a : b

# ---- axes of many decades: 0.01, 1, 100, 10k, 1M; every second one where there are many.    eval decades("y", bottom, top)
tick(x) = x >= 0.999e6 ? sprintf("%gM", x / 1e6) : x >= 0.999e4 ? sprintf("%gk", x / 1000) : sprintf("%g", x)
ticks(k, last, step) = k > last ? "" : sprintf("%s\"%s\" %g", k > first_tick ? ", " : "", tick(10.0 ** k), 10.0 ** k) . ticks(k + step, last, step)
decades(axis, low, high) = (tick_step = log10(high / low) > 7.5 ? 2 : 1, first_tick = int(tick_step * ceil(log10(low) / tick_step - 1e-9)), \
    "set " . axis . "tics (" . ticks(first_tick, floor(log10(high) + 1e-9), tick_step) . ")")
