#!/usr/bin/env bash
# beast_analysis.sh BUILD OUT [PART...]: the analysis of Suchard and Rambaut (2009) by BEAST 1, on simulated data of the paper's size
# (beast_data.py), with BEAST's Java code, Debian's BEAGLE and our library. Needs Debian's beast-mcmc and libhmsbeagle-java. Parts:
#   times    short chains of the same random numbers: seconds per 1,000 states of each library               ten minutes
#   chains   CHAINS="gtr.ours.double.1 gtr.ours.single.1", one after the other, each SECONDS=1500 long
#   tables   OUT/beast_posterior_1core.tsv, beast_agreement_1core.tsv and beast_times_1core.tsv; results/ has them
# RUNS=FOLDER: where the chains are, OUT/runs unless it is named. A chain goes on where the last call left it, with another number. The
# topology is free, as in the paper; a chain starts from the tree that the data evolved on, so that it need not search for it.
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
    local library short=1000
    rm -f "$runs/times.tsv" "$runs"/last_*
    for library in 'java double' 'debian double' 'debian single' 'ours double' 'ours single'; do
        # shellcheck disable=SC2086 # two words
        for states in $short $((5 * short)); do beast_time gtr $library 1 "$states"; done
    done
    for library in 'java double' 'debian double' 'debian single' 'ours double' 'ours single'; do
        case $library in ours*) short=20 ;; *) short=4 ;; esac
        # shellcheck disable=SC2086
        for states in $short $((5 * short)); do beast_time gy94 $library 1 "$states"; done
    done
}
chains() {
    local chain
    for chain in ${CHAINS:-gtr.ours.double.1 gtr.ours.single.1}; do
        # shellcheck disable=SC2086 # model, library, precision, number
        beast_chain ${chain//./ } "${SECONDS_EACH:-1500}"
    done
}
tables() {
    local table
    for table in posterior agreement times; do
        [ $table != times ] || [ -s "$runs/times.tsv" ] || continue
        {
            case $table in
                posterior) echo "# BEAST on data that evolved with known values: what each chain sampled." ;;
                agreement) echo "# Chains of BEAST with two libraries or precisions: whether they sampled the same distribution." ;;
                times) echo "# BEAST with its own Java code, Debian's BEAGLE and ours: seconds per 1,000 states, without the start." ;;
            esac
            echo "# cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) threads"
            "$build/warpladder" machine --json | sed -n 's/.*"commit": *"\([^"]*\)".*/# commit: \1/p'
            echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
            echo "# command: experiments/cpu/beast_analysis.sh BUILD OUT"
            python3 -B "$here/beast_analysis.py" "$runs" $table
        } >"$out/new"
        mv "$out/new" "$out/beast_${table}_1core.tsv"
    done
}
for part; do "$part"; done
