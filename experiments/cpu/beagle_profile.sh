#!/usr/bin/env bash
# beagle_profile.sh WARPLADDER OUT.tsv: where the processor time of MrBayes' primates goes (GTR+I+G, 20,000 generations, one thread), with BEAGLE's
# library and with ours: samples of perf (linux-perf). results/beagle_profile.tsv was made by it. Processor time, so that others may be at work.
set -euo pipefail
warpladder=$(readlink -f "$1") out=$(readlink -f "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
printf '%s\n' 'begin mrbayes;' 'set autoclose=yes nowarn=yes seed=11 swapseed=7;' 'execute /usr/share/doc/mrbayes/examples/primates.nex;' \
    'lset nst=6 rates=invgamma;' 'set usebeagle=yes beagledevice=cpu beagleprecision=double beaglescaling=dynamic;' \
    'mcmc ngen=20000 samplefreq=2000 printfreq=100000 filename=run;' 'end;' >run.nex
{
    echo "# Processor time of MrBayes' primates by parts, in seconds, with BEAGLE's library and with ours on one thread; samples of perf."
    echo "# cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
    "$warpladder" machine --json | sed -n 's/.*"commit": *"\([^"]*\)".*/# commit: \1/p'
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "# command: experiments/cpu/beagle_profile.sh WARPLADDER OUT.tsv"
    printf 'library\tpart\tseconds\tshare\n'
    for library in BEAGLE ours; do
        if [ $library = ours ]; then start=("$warpladder" beagle --threads 1 --); else start=(env); fi
        perf record -q -F 1000 -e cpu-clock -o "$library.data" "${start[@]}" mb run.nex >said 2>&1
        perf script -i "$library.data" -F dso,sym,ip 2>/dev/null | awk -v library=$library '
            NF < 2 { next }
            { n++ }
            /libhmsbeagle/ && /join_few|calc(States|Partials)(States|Partials)/ { part["joins"]++; next }
            /libhmsbeagle/ && /make_matrices|product|store_few|[uU]pdateTransitionMatrices|Eigen/ { part["transition matrices"]++; next }
            /libhmsbeagle/ && /root|EdgeLog|RootLog|mix|logarithm|answer|add_up|sum_tile/ { part["likelihoods at the root"]++; next }
            /libhmsbeagle/ { part["the rest of the library"]++; next }
            /libm[.-]/ { part["logarithms and exponentials of libm"]++; next }
            /\/mb\)/ { part["MrBayes"]++; next }
            { part["kernel and C library"]++ }
            END { for (p in part) printf "%s\t%s\t%.2f\t%.3f\n", library, p, part[p] / 1000, part[p] / n }' | sort -t $'\t' -k3,3gr
    done
} >result
mv result "$out"
cat "$out"
