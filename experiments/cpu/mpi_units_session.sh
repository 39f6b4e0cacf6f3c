#!/usr/bin/env bash
# mpi_units_session.sh BUILD OUT.tsv: how long each unit of a run takes: search, distances and align-reads by one rank, UNITS (48) units each.
# A unit's time is that between its part file and the one before it. docs/cluster_model replays them for more GPUs.
# results/mpi_units_2core.tsv was made by it. A benchmark, not a test: the machine should have nothing else to do.
set -euo pipefail
build=$(cd "$1" && pwd) out=$(readlink -f "$2")
units=${UNITS:-48} launcher=${LAUNCHER:-mpirun}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
options=()
if "$launcher" --version 2>&1 | grep -qi 'open.*mpi'; then options=(--bind-to none); fi

# random COUNT SHORTEST LONGEST LETTERS: FASTA.
random() {
    awk -v count="$1" -v shortest="$2" -v longest="$3" -v letters="$4" 'BEGIN { srand(1); for (i = 0; i < count; i++) { printf ">s%d\n", i
        for (k = shortest + int(rand() * (longest - shortest + 1)); k > 0; k--) printf "%s", substr(letters, 1 + int(rand() * length(letters)), 1)
        print "" } }'
}
random 8000 50 650 ARNDCQEGHILKMFPSTWYV >db.fasta
head -500 db.fasta >q.fasta
random 6000 10000 10000 ACGT >al.fasta
"$build/warpladder" simulate-reads --taxa 300 --sites 1500 --reads 1500 --length 50-250 --seed 1 --out data --quiet --make-folders

{
    "$build/warpladder" machine | sed -n 's/^\([a-z_]*\)  *\(.*\)$/# \1: \2/p'
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "# mpi: $("$launcher" --version 2>&1 | head -n 1)"
    echo "# command: experiments/cpu/mpi_units_session.sh BUILD OUT.tsv; UNITS=$units"
    printf 'tool\tunit\tseconds\n'
    for line in "search --db db.fasta --query q.fasta --format tabular" "distances al.fasta --layout list --max-distance 10" \
        "align-reads --tree data/tree.nwk --reference data/reference.fasta --reads data/reads.fasta --format phylip"; do
        read -ra words <<<"$line"
        rm -rf work
        "$launcher" "${options[@]}" -n 1 "$build/warpladder-mpi" "${words[@]}" --device cpu --units "$units" --work work --quiet -o output >&2
        for ((unit = 1; unit <= units; unit++)); do
            stat -c %.9Y "work/$unit-of-$units.part"
        done | awk -v tool="${words[0]}" 'NR > 1 { printf "%s\t%d\t%.4f\n", tool, NR, $1 - before } { before = $1 }'
    done
} >units.tsv
cp units.tsv "$out"
