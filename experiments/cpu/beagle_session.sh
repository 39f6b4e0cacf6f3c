#!/usr/bin/env bash
# beagle_session.sh WARPLADDER OUT.tsv: MrBayes and BEAST with BEAGLE's library and with ours, by turns: the median of three whole runs
# each, and whether both sampled the same. Needs Debian's mrbayes, beast-mcmc and beast-mcmc-examples; what is missing is left out.
# MB=path: another mb. THEIRS=folder: where BEAGLE's library and its plug-ins are, if not where mb finds them. CODONS=file.nex: the
# alignment of 62 mitochondrial genomes of benchmark2, which is otherwise taken from BEAST's examples. GPU=1: ours on the GPU, too (MrBayes).
# CODON_GENERATIONS=N: more than 40, where a GPU's start would be most of the time. ONLY="primates codons": these analyses and no others.
# SINGLE=0: not ours on one thread. DEFAULT=0: not BEAGLE's as MrBayes starts it by default. MrBayes can also tell BEAGLE how many threads to
# use (beaglethreads), which need not be faster: BEAGLE's time is that of the faster way, which is named.
# results/beagle_*core.tsv and beagle_h200.tsv were made by it. A benchmark, not a test: the machine should have nothing else to do.
set -euo pipefail
warpladder=$(readlink -f "$1") out=$(readlink -f "$2")
mb=${MB:-mb} theirs=${THEIRS:-} rounds=${ROUNDS:-3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
examples=/usr/share/doc/beast-mcmc/examples beast=$examples/Benchmarks
primates=${PRIMATES:-/usr/share/doc/mrbayes/examples/primates.nex}

# The alignment of benchmark2 as codons of vertebrate mitochondria, without stops.
codons() {
    if [ -n "${CODONS:-}" ]; then cp "$CODONS" codons.nex && return; fi
    [ -r $beast/benchmark2.xml.gz ] || return
    zcat $beast/benchmark2.xml.gz | python3 -c '
import re, sys
rows = re.findall(r"<sequence>\s*<taxon idref=\"([^\"]+)\"\s*/>\s*([A-Za-z?\-\s]+)</sequence>", sys.stdin.read())
rows = [(re.sub(r"\W", "_", name), re.sub(r"\s", "", text).upper()) for name, text in rows]
sites = len(rows[0][1]) // 3 * 3
stop = {"TAA", "TAG", "AGA", "AGG"}
print("#NEXUS\nbegin data;\ndimensions ntax=%d nchar=%d;\nformat datatype=dna gap=- missing=?;\nmatrix" % (len(rows), sites))
for name, text in rows:
    print(name, "".join("---" if text[i:i + 3] in stop else text[i:i + 3] for i in range(0, sites, 3)))
print(";\nend;")' >codons.nex
}

now() { date +%s.%N; }
# run LIBRARY THREADS NAME COMMAND...: one run, its seconds to NAME.LIBRARY.THREADS, what it says to said.
run() {
    local library=$1 threads=$2 name=$3 begin
    shift 3
    begin=$(now)
    if [ "$library" = ours ]; then
        "$warpladder" beagle --threads "${threads/gpu/$all}" -- "$@" >said 2>&1
    else
        LD_LIBRARY_PATH=${theirs:+$theirs:}${LD_LIBRARY_PATH:-} "$@" >said 2>&1
    fi || { tail -n 3 said >&2 && return 1; }
    awk "BEGIN { print $(now) - $begin }" >>"$name.$library.$threads"
    # Without its plug-ins BEAGLE computes nothing, and MrBayes goes on without it.
    local is_ours=no
    grep -qE 'Impl Name|Using BEAGLE resource' said || { echo "$name: $library is not used" >&2 && return 1; }
    ! grep -qE 'Impl Name : Warpladder|resource 0: CPU .Warpladder' said || is_ours=yes
    [ "$library.$is_ours" = ours.yes ] || [ "$library.$is_ours" = theirs.no ] || { echo "$name: not $library is used" >&2 && return 1; }
}
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# row CLIENT NAME SAME DIFFERENT THREADS...: theirs, and ours on so many threads or on the GPU.
row() {
    local threads best=inf their_threads=$all client=$1 name=$2 same=$3 different=$4 file way
    shift 4
    for way in default "$all"; do
        file=$name.theirs.$way
        [ -e "$file" ] || continue
        if awk "BEGIN { exit !($(median "$file") < \"$best\" + 0 || \"$best\" == \"inf\") }"; then
            best=$(median "$file") their_threads=$way
        fi
    done
    for threads; do
        [ -e "$name.ours.$threads" ] || continue
        awk -v client="$client" -v name="$name" -v threads="$threads" -v same="$same" -v of="$different" -v theirs="$best" \
            -v their_threads="$their_threads" -v ours="$(median "$name.ours.$threads")" \
            'BEGIN { printf "%s\t%s\t%s\t%s\t%.2f\t%.2f\t%.2f\t%s\t%s\n", client, name, their_threads, threads, theirs, ours, theirs / ours, same, of }'
    done
}
is_wanted() { [ -z "${ONLY:-}" ] || [[ " $ONLY " == *" $1 "* ]]; }

all=$(nproc)
mrbayes_file() { # NAME ALIGNMENT GENERATIONS COMMANDS SAMPLES DEVICE [THREADS]
    local threads=
    [ -z "${7:-}" ] || threads="beaglethreads=yes beaglethreadcount=$7"
    printf '%s\n' 'begin mrbayes;' 'set autoclose=yes nowarn=yes seed=11 swapseed=7;' "execute $2;" "$4" \
        "set usebeagle=yes beagledevice=$6 $threads beagleprecision=double beaglescaling=dynamic;" \
        "mcmc ngen=$3 samplefreq=$(($3 / 10)) printfreq=100000 filename=$1.$5;" 'end;' >"$1.run.nex"
}
mrbayes() { # NAME ALIGNMENT GENERATIONS COMMANDS
    local round library threads samples told
    if ! is_wanted "$1" || ! [ -r "$2" ]; then return 0; fi
    for ((round = 0; round < rounds; round++)); do
        told=() samples=threaded # an instance that is told makes MrBayes begin with another tree, so that all or none are compared
        [ "${DEFAULT:-1}" = 1 ] || told=("$all") samples=theirs
        mrbayes_file "$@" $samples cpu "$all"
        run theirs "$all" "$1" "$mb" "$1.run.nex"
        for library in theirs ours; do
            [ "$library${DEFAULT:-1}" != theirs0 ] || continue
            mrbayes_file "$@" $library cpu "${told[@]}"
            threads=default
            [ $library = theirs ] || threads=$all
            run $library "$threads" "$1" "$mb" "$1.run.nex"
        done
        [ "${SINGLE:-1}" = 0 ] || run ours 1 "$1" "$mb" "$1.run.nex" # of ours, written over
        [ -n "${GPU:-}" ] || continue
        mrbayes_file "$@" gpu gpu "${told[@]}"
        run ours gpu "$1" "$mb" "$1.run.nex"
    done
    compare_runs "$1" ours 1 "$all"
    [ -z "${GPU:-}" ] || compare_runs "$1" gpu gpu
}
# compare_runs NAME SAMPLES THREADS...: trees byte for byte; of the parameters, how many of the printed values differ, and by how much.
compare_runs() {
    local name=$1 ours=$2 run of same=yes
    shift 2
    for run in "$name".theirs*.t; do cmp -s <(grep -v ID: "$run") <(grep -v ID: "${run/theirs/$ours}") || same=no; done
    of=$(for run in "$name".theirs*.p; do paste -d ' ' <(grep -v ID: "$run") <(grep -v ID: "${run/theirs/$ours}"); done | awk '
        { for (i = 1; i <= NF / 2; i++) { n++; d = $i - $(i + NF / 2); if ($i != $(i + NF / 2)) { k++; d /= $i; if (d < 0) d = -d; if (d > most) most = d } } }
        END { printf "%d of %d%s", k, n, k ? sprintf(", by %.1g", most) : "" }')
    row MrBayes "$name" "$same" "$of" "$@"
}
beast() { # NAME STEPS FILE.xml.gz: the files of its folder are at hand
    local round library same=yes of
    if ! is_wanted "$1" || [ ! -r "$3" ] || ! command -v beast-mcmc >/dev/null; then return 0; fi
    cp -r "$(dirname "$3")"/. .
    find . -name '*.gz' -exec gunzip -f {} +
    zcat "$3" | sed "s/chainLength=\"[0-9]*\"/chainLength=\"$2\"/; s/logEvery=\"[0-9]*\"/logEvery=\"$(($2 / 50))\"/" >"$1.xml"
    for ((round = 0; round < rounds; round++)); do
        for library in theirs ours; do
            run $library "$all" "$1" beast-mcmc -seed 666 -overwrite -beagle_CPU "$1.xml"
            # Posterior, prior and likelihood of all states on the screen.
            awk -F '\t' '/^[0-9]+\t/ { print $1, $2, $3, $4 }' said >"$1.$library.states"
            rm -f ./*.log ./*.trees ./*.ops
        done
    done
    # Printed with four decimals, of which the last may be rounded either way.
    of=$(paste "$1.theirs.states" "$1.ours.states" | awk '
        { for (i = 2; i <= 4; i++) { n++; d = $i - $(i + 4); if (d < 0) d = -d; if (d > 0) k++; if (d > most) most = d } }
        END { printf "%d of %d%s", k, n, k ? sprintf(", by %.1g", most) : ""; exit NR < 10 || most > 1.5e-4 }') || same=no
    row BEAST "$1" "$same" "$of" "$all"
}

codons
{
    echo "# Whole runs of MrBayes and BEAST with BEAGLE's CPU library and with ours, by turns: medians of $rounds."
    echo "# cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $all threads"
    "$warpladder" machine --json | sed -n 's/.*"commit": *"\([^"]*\)".*/# commit: \1/p'
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    [ -z "${GPU:-}" ] || nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/# gpu: /'
    echo "# command: ${COMMAND:-experiments/cpu/beagle_session.sh WARPLADDER OUT.tsv}"
    printf 'client\tanalysis\ttheir_threads\tthreads\ttheirs_s\tours_s\tspeedup\tsame_trees\tdifferent_parameters\n'
    mrbayes primates "$primates" 20000 'lset nst=6 rates=invgamma;'
    mrbayes codons "$PWD/codons.nex" "${CODON_GENERATIONS:-40}" $'lset nucmodel=codon code=vertmt;\nmcmcp nruns=1 nchains=2;'
    beast benchmark1 5000 $beast/benchmark1.xml.gz
    beast benchmark2 5000 $beast/benchmark2.xml.gz
    beast codon_model 1000 $examples/EmpiricalCodonModels/testECMcodonModel.xml.gz
} >result
mv result "$out"
cat "$out"
