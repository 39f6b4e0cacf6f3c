# Figure 3 of Payne et al. (2010), drawn from the addresses a block really touched: the table as a grid on the left, the
# same memory by address on the right, so that one sees scattered from contiguous.
#   warpladder explain lessons/01_naive --figure --out out               writes the file and calls this script
#   gnuplot -e "input='out/lessons_01_naive_figure.tsv'" plots/figure3.gp
# There is no terminal='dumb' here: `warpladder explain --figure` draws with characters itself.

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
load here . "style.gp"
eval header("caption"); caption = found
eval header("caption2"); caption2 = found
eval header("grid_rows"); grid_rows = int(found)
eval header("grid_columns"); grid_columns = int(found)
eval header("row_name"); row_name = found
eval header("column_name"); column_name = found

# What the block did to a cell: 0 nothing, 1 fetched in the sector of another cell, 2 loaded, 3 written.
colour(state) = state == 1 ? 0xBFE0F5 : state == 2 ? 0x404040 : state == 3 ? 0xD55E00 : 0xFFFFFF
# The paper's figure has the cells touched in gray.
is(name) = strcol("panel") eq name ? 1 : NaN
stats input using (is("strip") * column("y1")) nooutput
lines = STATS_max
cells = larger(grid_rows, 1)

# The figure is as high as its parts need; everything is placed in points from the top (t) or the bottom (b).
strip_points = 42 * smaller(lines, 12) + 16 * larger(lines - 12, 0)
cell_points = grid_rows > 0 ? smaller(smaller(270.0 / grid_columns, 22), larger(330.0 / grid_rows, 6)) : 0
height = int(larger(strip_points, cell_points * grid_rows + 40) + 170)
t(points) = 1 - points / (1.0 * height)
b(points) = points / (1.0 * height)
start = grid_rows > 0 ? 0.46 : 0.10
# Numbers along an axis: all of few, else every fifth or tenth.
step(count, few) = count <= few ? 1 : count <= 30 ? 5 : 10

do for [target in targets] {
    eval begin(target)
    unset border; unset tics; unset grid; unset key
    set multiplot
    set label 1 title_text at screen 0.03, screen t(22) left textcolor rgb ink
    set label 2 caption at screen 0.03, screen b(42) left textcolor rgb ink
    set label 3 caption2 at screen 0.03, screen b(20) left textcolor rgb ink

    # --- by address
    set lmargin at screen start; set rmargin at screen 0.975
    set tmargin at screen t(48); set bmargin at screen t(48 + strip_points)
    set xrange [0:1]; set yrange [lines:0]
    names = "loaded fetched_along written untouched"
    do for [k = 1:4] {
        state = int(word("2 1 3 0", k))
        swatch = 0.03 + 0.15 * (k - 1)
        set object k rectangle from screen swatch, screen b(66) to screen swatch + 0.016, screen b(80) \
            fillcolor rgb sprintf("#%06X", colour(state)) fillstyle solid border linecolor rgb "#808080"
        name = word(names, k) eq "fetched_along" ? "fetched along" : word(names, k)
        set label 10 + k name at screen swatch + 0.023, screen b(73) left textcolor rgb ink
    }
    set label 15 "outlined: a sector of 32 bytes that moves" at screen 0.63, screen b(73) left textcolor rgb ink
    plot input using ((column("x0") + column("x1")) / 2 * is("strip")):((column("y0") + column("y1")) / 2): \
             "x0":"x1":"y0":"y1":(colour(column("state"))) \
             with boxxyerror linewidth 0.5 fillcolor rgb variable fillstyle solid border linecolor rgb "#B0B0B0", \
         input using ((column("x0") + column("x1")) / 2 * is("sector") / (column("state") > 0)): \
             ((column("y0") + column("y1")) / 2):"x0":"x1":"y0":"y1" \
             with boxxyerror linewidth 2 linecolor rgb blue fillstyle empty border linecolor rgb blue, \
         input using (0):(column("y0") * is("address")):(strcol("text")) with labels right offset -0.7,0 textcolor rgb ink, \
         input using (0):(column("y0") * is("heading")):(strcol("text")) with labels left textcolor rgb ink
    do for [k = 1:15] {
        unset label k
    }
    do for [k = 1:4] {
        unset object k
    }

    # --- as a table, square cells, its top level with the strip's
    if (grid_rows > 0) {
        set lmargin at screen 0.10; set rmargin at screen 0.10 + cell_points * grid_columns / (1.0 * width)
        set tmargin at screen t(90); set bmargin at screen t(90 + cell_points * grid_rows)
        set xrange [0:grid_columns]; set yrange [grid_rows:0]
        set label 1 column_name at graph 0.5, screen t(60) center textcolor rgb ink
        set label 2 row_name at screen 0.045, graph 0.5 center rotate by 90 textcolor rgb ink
        do for [c = 0:grid_columns - 1:step(grid_columns, 10)] {
            set label 100 + c sprintf("%d", c) at c + 0.5, screen t(80) center textcolor rgb ink
        }
        do for [r = 0:grid_rows - 1:step(grid_rows, 16)] {
            set label 300 + r sprintf("%d", r) at 0, r + 0.5 right offset -0.6,0 textcolor rgb ink
        }
        plot input using ((column("x0") + column("x1")) / 2 * is("grid")):((column("y0") + column("y1")) / 2): \
             "x0":"x1":"y0":"y1":(column("state") == 2 ? 0x9A9A9A : colour(column("state"))) \
             with boxxyerror linewidth 0.7 fillcolor rgb variable fillstyle solid border linecolor rgb "#808080"
        unset label
    }
    unset multiplot
    eval finish
}
