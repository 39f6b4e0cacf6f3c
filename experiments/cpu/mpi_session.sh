#!/usr/bin/env bash
# mpi_session.sh BUILD OUT.tsv: do N ranks of one thread scale as N threads do? search, distances and align-reads by 1 and 2 threads and by
# 1 and 2 ranks (RANKS="1 2 4" for more), by turns; the median of ROUNDS (3) whole commands each, the output compared with the single
# run's. About two and a half minutes on two cores. results/mpi_*core.tsv were made by it. A benchmark, not a test: the machine should have
# nothing else to do.
set -euo pipefail
build=$(cd "$1" && pwd) out=$(readlink -f "$2")
rounds=${ROUNDS:-3} counts=${RANKS:-1 2} launcher=${LAUNCHER:-mpirun}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
options=()
if "$launcher" --version 2>&1 | grep -qi 'open.*mpi'; then options=(--bind-to none); fi

# random COUNT LENGTH LETTERS: FASTA.
random() {
    awk -v count="$1" -v length_of="$2" -v letters="$3" 'BEGIN { srand(1); for (i = 0; i < count; i++) { printf ">s%d\n", i
        for (k = 0; k < length_of; k++) printf "%s", substr(letters, 1 + int(rand() * length(letters)), 1); print "" } }'
}
random 8000 350 ARNDCQEGHILKMFPSTWYV >db.fasta
head -500 db.fasta >q.fasta
random 8000 10000 ACGT >al.fasta
"$build/warpladder" simulate-reads --taxa 300 --sites 1500 --reads 1500 --length 150 --seed 1 --out data --quiet --make-folders
lines=("search --db db.fasta --query q.fasta --format tabular" "distances al.fasta --layout list --max-distance 10"
    "align-reads --tree data/tree.nwk --reference data/reference.fasta --reads data/reads.fasta --format phylip")

now() { date +%s.%N; }
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { printf "%.2f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
# timed NAME COMMAND...: its seconds to NAME.
timed() {
    local name=$1 begin
    shift
    begin=$(now)
    "$@" >said 2>&1 || { cat said >&2 && exit 1; }
    awk "BEGIN { print $(now) - $begin }" >>"$name"
}

# What is known so far, so that a run that is cut short leaves something.
write_table() {
    {
        "$build/warpladder" machine | sed -n 's/^\([a-z_]*\)  *\(.*\)$/# \1: \2/p'
        echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
        echo "# mpi: $("$launcher" --version 2>&1 | head -n 1)"
        echo "# command: experiments/cpu/mpi_session.sh BUILD OUT.tsv; ROUNDS=$1 RANKS='$counts'; medians of whole commands"
        printf 'tool\tcommand\tcount\tthreads_s\tranks_s\tthreads_speedup\tranks_speedup\n'
        for line in "${lines[@]}"; do
            tool=${line%% *}
            for count in $counts; do
                awk -v tool="$tool" -v line="$line" -v count="$count" -v t1="$(median "$tool.threads.1")" -v r1="$(median "$tool.ranks.1")" \
                    -v t="$(median "$tool.threads.$count")" -v r="$(median "$tool.ranks.$count")" \
                    'BEGIN { printf "%s\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\n", tool, line, count, t, r, t1 / t, r1 / r }'
            done
        done
    } >"$out"
}

for ((round = 0; round < rounds; round++)); do
    for line in "${lines[@]}"; do
        read -ra words <<<"$line"
        tool=${words[0]}
        for count in $counts; do
            timed "$tool.threads.$count" env OMP_NUM_THREADS="$count" "$build/warpladder" "${words[@]}" --threads "$count" --device cpu --quiet -o single
            timed "$tool.ranks.$count" env OMP_NUM_THREADS=1 "$launcher" "${options[@]}" -n "$count" "$build/warpladder-mpi" "${words[@]}" --device cpu --quiet -o parallel
            cmp single parallel
        done
    done
    write_table $((round + 1))
done
