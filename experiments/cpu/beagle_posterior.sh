#!/usr/bin/env bash
# beagle_posterior.sh WARPLADDER OUT.tsv: the posterior of MrBayes' primates in three ways: by MrBayes with BEAGLE's library, by MrBayes with
# ours, and by `likelihood --chain`. The model and the priors are the same (docs/chain.md): GTR+G4, frequencies fixed. Three chains each, of
# other random numbers, from which come the means, and their standard errors. results/beagle_posterior.tsv was made by it; six minutes of one core.
# MB_STEPS, CHAIN_STEPS: how many steps each.
set -euo pipefail
warpladder=$(readlink -f "$1") out=$(readlink -f "$2")
here=$(cd "$(dirname "$0")" && pwd)
data=/usr/share/doc/mrbayes/examples/primates.nex frequencies=0.33,0.30,0.10,0.27
mb_steps=${MB_STEPS:-800000} chain_steps=${CHAIN_STEPS:-2500000} every=200
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

for chain in 1 2 3; do
    printf '%s\n' 'begin mrbayes;' "set autoclose=yes nowarn=yes seed=$((10 + chain)) swapseed=7;" "execute $data;" \
        'lset nst=6 rates=gamma;' "prset statefreqpr=fixed($frequencies) revmatpr=dirichlet(1,1,1,1,1,1) shapepr=exponential(1);" \
        'prset brlenspr=unconstrained:exponential(10) topologypr=uniform;' \
        'set usebeagle=yes beagledevice=cpu beagleprecision=double beaglescaling=dynamic;' \
        "mcmc ngen=$mb_steps nruns=1 nchains=1 samplefreq=$every printfreq=1000000 filename=SAMPLES;" 'end;' >commands
    for library in theirs ours; do
        sed "s/SAMPLES/mb_${library}_$chain/" commands >run.nex
        if [ $library = ours ]; then "$warpladder" beagle -- mb run.nex; else mb run.nex; fi >"said_$library" 2>&1
    done
    grep -q 'Impl Name : Warpladder' said_ours
    # From a tree that knows nothing: a caterpillar.
    python3 - "$data" >start.nwk <<'END'
import re, sys
text = open(sys.argv[1]).read()
rows = text[text.lower().index("matrix"):].split(";")[0].splitlines()[1:]
names = list(dict.fromkeys(row.split()[0] for row in rows if row.split()))
tree = "(" + ",".join(name + ":0.1" for name in names[:2]) + ")"
for name in names[2:]:
    tree = f"({tree}:0.1,{name}:0.1)"
print(tree + ";")
END
    "$warpladder" likelihood --tree start.nwk --alignment "$data" --model GTR+G4 --frequencies $frequencies --chain "$chain_steps" \
        --chain-number $chain --trace "chain_$chain" --make-folders --trace-every $((every * 5)) --device cpu --quiet >/dev/null
done
{
    echo "# The posterior of MrBayes' example primates (12 taxa), GTR+G4, by three programs: means of three chains, and their standard errors."
    echo "# cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) threads"
    "$warpladder" machine --json | sed -n 's/.*"commit": *"\([^"]*\)".*/# commit: \1/p'
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "# steps: MrBayes $mb_steps, likelihood --chain $chain_steps; the first quarter of each left out"
    echo "# command: experiments/cpu/beagle_posterior.sh WARPLADDER OUT.tsv"
    python3 "$here/beagle_posterior.py" .
} >result
mv result "$out"
cat "$out"
