# Table 3 of Alachiotis et al. (2012): what CPU and GPU do alone and together, stacked bars, the paper's hybrid beside this machine's
# hybrid and its parts; a panel each, since a decade or two lie between them.
#   warpladder reproduce alachiotis2012 --table 3                                       writes the file and calls this script
#   gnuplot -e "input='results/alachiotis2012_table3.tsv'" plots/alachiotis2012_table3.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
load here . "style.gp"

# The bars of the paper and those of this machine, each as a list of words: "data set|mode", and what CPU and GPU did.
mode(row) = strcol("system_mode") eq "paper" ? "the paper" : strcol("system_mode") eq "gpus" ? "all GPUs" : \
    strcol("system_mode") eq "one_gpu" ? "one GPU" : strcol("system_mode") eq "cpu" ? "CPU" : "hybrid"
joined(text) = strstrt(text, " ") > 0 ? text[1:strstrt(text, " ") - 1] . "_" . joined(text[strstrt(text, " ") + 1:]) : text
parted(text) = strstrt(text, "_") > 0 ? text[1:strstrt(text, "_") - 1] . " " . parted(text[strstrt(text, "_") + 1:]) : text
amount(name) = strcol(name) eq "NA" ? "0" : strcol(name)
bar(row) = sprintf("%s|%s|%s|%s ", joined(strcol("dataset")), joined(mode(0)), amount("gcups_cpu"), amount("gcups_gpu"))
of_paper = ""
of_here = ""
add(row) = strcol("system_mode") eq "paper" ? (of_paper = of_paper . bar(0), 0) : (of_here = of_here . bar(0), 0)
set table $ignored
plot input using (strcol("gcups_all") eq "NA" ? 0 : add(0)) with table
unset table

cpu(k) = real(part(word(bars, k), 3))
gpu(k) = real(part(word(bars, k), 4))
label(k) = parted(part(word(bars, k), 1)) . "\n" . parted(part(word(bars, k), 2))
wide = words(of_paper) + words(of_here) + 1.0

do for [target in targets] {
    eval begin(target)
    set multiplot
    set key off
    do for [panel = 1:(words(of_here) > 0 ? 2 : 1)] {
        bars = panel == 1 ? of_paper : of_here
        count = words(bars)
        low = 0.08 + (panel == 1 ? 0 : 0.9 * (words(of_paper) + 1) / wide)
        set lmargin at screen low
        set rmargin at screen low + 0.9 * count / wide - 0.01
        set tmargin at screen 0.78
        set bmargin at screen 0.17
        top = 0
        do for [k = 1:count] { top = larger(top, cpu(k) + gpu(k)) }
        unset label
        if (panel == 1) {
            set label 1 sprintf("%s: GCUPS of the CPU%s and, on top of it, the GPU%s\n%s: %s\nhere: %s, %s", title_text, \
                dumb ? " (#)" : " (orange)", dumb ? " (*)" : " (blue)", paper, paper_machine, machine, date) \
                at screen 0.03, screen 0.95 left textcolor rgb ink
        }
        set xrange [-0.6:count - 0.4]
        set yrange [0:top * 1.15]
        set xtics scale 0 font ",9"
        set xtics ()
        do for [k = 1:count] { set xtics add (label(k) k - 1) }
        set format y "%g"
        set boxwidth 0.7
        plot for [k = 1:count] $one using (k - 1):(cpu(k) + gpu(k)) with boxes linetype 1 linecolor rgb blue, \
             for [k = 1:count] $one using (k - 1):(cpu(k)) with boxes linetype 2 linecolor rgb orange, \
             for [k = 1:count * hovers] $one using (k - 1):(cpu(k) + gpu(k)):(sprintf("%s, %s: %s GCUPS, %s of them by the CPU", \
                 parted(part(word(bars, k), 1)), parted(part(word(bars, k), 2)), digits(cpu(k) + gpu(k)), digits(cpu(k)))) @over, \
             for [k = 1:count] $one using (k - 1):(cpu(k) + gpu(k)):(digits(cpu(k) + gpu(k))) with labels offset 0,0.6 textcolor rgb ink
    }
    unset multiplot
    eval finish
}
