#!/usr/bin/env bash
# session_mpi.sh BUILD OUT [TOOL...]: on a host with two GPUs, two ranks of warpladder-mpi beside two threads of warpladder, on the data of
# session_search.sh and session_papara.sh: search and align-reads, by turns, ROUNDS (3) whole commands each. The outputs are compared, and
# the times go to OUT/mpi_2gpu_h200.tsv, run by run. Required: the ranks' median within 3 % of the threads'. About four minutes.
#
# BUILD has warpladder and warpladder-mpi for the machine's GPUs. LAUNCHER=path is MPI's launcher (default: mpirun), LD_LIBRARY_PATH its
# library where that is not installed. Exit code 1 if an output differs, 3 if the ranks are too slow.
set -uo pipefail
build=$(cd "$1" && pwd) out=$2
shift 2
[ $# -gt 0 ] || set -- search align-reads
cd "$(dirname "$0")/../.." || exit
export WL_DATA=$PWD OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launcher=${LAUNCHER:-mpirun} rounds=${ROUNDS:-3} table=$out/mpi_2gpu_h200.tsv failed=0
mkdir -p "$out"
gpus=$(nvidia-smi -L | wc -l)
[ "$gpus" -ge 2 ] || { echo "found $gpus GPUs; expected two" >&2 && exit 4; }
"$launcher" --version >/dev/null 2>&1 || { echo "found no MPI launcher $launcher; expected mpirun, or LAUNCHER=path" >&2 && exit 4; }
options=()
if "$launcher" --version 2>&1 | grep -qi 'open.*mpi'; then options=(--bind-to none); fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lengths=144,189,222,375,464,567,657,729,850,1000,1500,2005,2504,3005,3564,4061,4548,4743,5147,5478
five=$lengths,$lengths,$lengths,$lengths,$lengths

now() { date +%s.%N; }
median() { sort -g | awk '{ v[NR] = $1 } END { printf "%.3f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
# timed TOOL RUN WAY COMMAND...: one line of the table.
timed() {
    local tool=$1 run=$2 way=$3 begin
    shift 3
    begin=$(now)
    "$@" >"$work/said" 2>&1 || { cat "$work/said" && failed=1; }
    awk -v begin="$begin" -v end="$(now)" -v tool="$tool" -v run="$run" -v way="$way" 'BEGIN { printf "%s\t%s\t%d\t%.3f\n", tool, way, run, end - begin }' | tee -a "$table"
}

{
    echo "# what: whole commands on two GPUs of one host: two threads of warpladder (--device gpu:0,1), two ranks of warpladder-mpi"
    "$build/warpladder" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /'
    echo "# mpi: $("$launcher" --version 2>&1 | head -n 1)"
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "# command: experiments/gpu/session_mpi.sh BUILD OUT $*; ROUNDS=$rounds"
    printf 'tool\tway\trun\tseconds\n'
} >"$table"
for tool; do
    case $tool in
        search)
            python3 experiments/gpu/proteins.py 570000 1 $lengths "$work/proteins.fasta" "$work/20.fasta" || exit
            python3 experiments/gpu/proteins.py 1 2 $five "$work/one.fasta" "$work/100.fasta" || exit
            "$build/warpladder" makedb "$work/proteins.fasta" "$work/proteins.wdb" || exit
            words=(search --db "$work/proteins.wdb" --query "$work/100.fasta" --format tabular)
            ;;
        align-reads)
            "$build/warpladder" simulate-reads --taxa 13822 --sites 6857 --reads 6910 --length 29-483 --seed 1 --out "$work/data" --quiet || exit
            words=(align-reads --tree "$work/data/tree.nwk" --reference "$work/data/reference.fasta" --reads "$work/data/reads.fasta" --format phylip)
            ;;
        *) echo "found $tool; expected search or align-reads" >&2 && exit 2 ;;
    esac
    for ((run = 1; run <= rounds; run++)); do
        timed "$tool" $run threads "$build/warpladder" "${words[@]}" --device gpu:0,1 --quiet -o "$work/threads"
        timed "$tool" $run ranks "$launcher" "${options[@]}" -n 2 "$build/warpladder-mpi" "${words[@]}" --quiet -o "$work/ranks"
        # Units of as many parts as there are ranks: each GPU reads and prepares once.
        timed "$tool" $run ranks_2_units "$launcher" "${options[@]}" -n 2 "$build/warpladder-mpi" "${words[@]}" --units 2 --quiet -o "$work/two"
        cmp "$work/threads" "$work/ranks" || failed=1
        cmp "$work/threads" "$work/two" || failed=1
    done
    threads=$(awk -v tool="$tool" '$1 == tool && $2 == "threads" { print $4 }' "$table" | median)
    ranks=$(awk -v tool="$tool" '$1 == tool && $2 == "ranks" { print $4 }' "$table" | median)
    awk -v tool="$tool" -v t="$threads" -v r="$ranks" 'BEGIN { printf "%s: threads %s s, ranks %s s, %+.1f %%\n", tool, t, r, 100 * (r / t - 1); exit r > 1.03 * t }' ||
        [ $failed -ne 0 ] || failed=3
done
exit $failed
