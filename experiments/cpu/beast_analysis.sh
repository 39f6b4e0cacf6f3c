#!/usr/bin/env bash
# beast_analysis.sh BUILD OUT [PART...]: the analysis of Suchard and Rambaut (2009) by BEAST 1, on simulated data of about the paper's size
# (beast_data.py), with BEAST's Java code, Debian's BEAGLE and our library. Needs Debian's beast-mcmc and libhmsbeagle-java. Parts:
#   times    short chains of the same random numbers, on one core: seconds per 1,000 states of each library
#   chains   CHAINS="gtr.ours.double.1 gtr.ours.single.1", one after the other, each for EACH=1500 seconds
#   tables   OUT/beast_posterior.tsv, OUT/beast_agreement.tsv and OUT/beast_times_1core.tsv; results/ has them
# RUNS=FOLDER: where the chains are, OUT/runs unless it is named; beside those of a GPU machine (experiments/gpu/beast_analysis.sh) the times
# go to OUT/beast_times_h200.tsv. STATES=1000: length of the shorter chain of nucleotides. A chain goes on where the last call left it, with
# another number. The topology is free, as in the paper; a chain starts from the tree that the data evolved on, so that it need not search for it.
set -euo pipefail
build=$(readlink -f "$1")
mkdir -p "$2" "${RUNS:-$2/runs}"
out=$(readlink -f "$2") runs=$(readlink -f "${RUNS:-$2/runs}")
shift 2
[ $# -gt 0 ] || set -- times chains tables
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/cpu/beast_run.sh
. "$here/beast_run.sh"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
beast_home "$home" "$build/lib/warpladder/beagle"
python3 -B "$here/beast_data.py" "$home"
cp "$home"/*.truth "$runs/"

times() {
    local library states each
    rm -f "$runs/times.tsv" "$runs"/last_*
    for library in 'java double' 'debian double' 'debian single' 'ours double' 'ours single'; do
        states=${STATES:-1000} each=$((${STATES:-1000} / 250))
        [[ $library != ours* ]] || each=$((5 * each))
        # shellcheck disable=SC2086 # two words
        for states in "$states" $((5 * states)); do beast_time gtr $library 1 "$states"; done
        # shellcheck disable=SC2086
        for states in "$each" $((5 * each)); do beast_time gy94 $library 1 "$states"; done
    done
}
chains() {
    local chain
    for chain in ${CHAINS:-gtr.ours.double.1 gtr.ours.single.1}; do
        # shellcheck disable=SC2086 # model, library, precision, number
        beast_chain ${chain//./ } "${EACH:-1500}"
    done
}
machine() {
    [ ! -s "$runs/machine" ] || { cat "$runs/machine" && return; }
    echo "# cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) threads"
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "# commit: $(git -C "$here" rev-parse --short=12 HEAD)"
}
table() { # NAME FILE WHAT
    {
        echo "# $3"
        machine
        echo "# command: experiments/$([ -s "$runs/machine" ] && echo gpu || echo cpu)/beast_analysis.sh"
        python3 -B "$here/beast_analysis.py" "$runs" "$1"
    } >"$out/new"
    mv "$out/new" "$out/$2.tsv"
}
tables() {
    local at=1core
    [ ! -s "$runs/machine" ] || at=h200
    table posterior beast_posterior "BEAST on data that evolved with known values: what the chains sampled."
    table agreement beast_agreement "Chains of BEAST with two libraries or precisions: whether they sampled the same distribution."
    [ ! -s "$runs/times.tsv" ] || table times beast_times_$at "BEAST with its own Java code and with libraries of BEAGLE's interface: seconds per 1,000 states, without the start."
}
for part; do "$part"; done
