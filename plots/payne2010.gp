# Figure 4 of Payne et al. (2010): the paper's milliseconds and this machine's, side by side on a log scale.
#   gnuplot -e "input='results/payne2010.tsv'" plots/payne2010.gp        writes results/payne2010.svg and .png
#   gnuplot -e "input='results/payne2010.tsv'; terminal='dumb'" plots/payne2010.gp

here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }
load here . "style.gp"

eval header("gpu"); device = found
eval header("cpu"); cpu = found
eval header("date"); date = found

stats input using (larger(column("paper_ms"), column("kernel_ms_mean"))) nooutput
do for [target in targets] {
    eval begin(target)
    set title sprintf("All-pairs distance, 112 x 512: Payne et al. (2010), Figure 4, measured again\n%s, %s, %s", device, cpu, date)
    set logscale y
    set yrange [0.01:200000]
    set ylabel "milliseconds (log scale)"
    set xrange [-0.6:7.6]
    plot input using ($0 - 0.2):"paper_ms":(0.38):xtic(stringcolumn("method")) with boxes linecolor rgb paper_colour title "paper", \
         input using ($0 + 0.2):"kernel_ms_mean":(0.38) with boxes linecolor rgb blue title "this machine, kernel time", \
         input using ($0 - 0.2):"paper_ms":(digits(column("paper_ms"))) with labels offset 0,0.6 notitle, \
         input using ($0 + 0.2):"kernel_ms_mean":(digits(column("kernel_ms_mean"))) with labels offset 0,0.6 notitle
    eval finish
}
