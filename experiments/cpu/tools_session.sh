#!/usr/bin/env bash
# tools_session.sh OLD NEW OUT [ROUNDS]: whole commands of two builds of `warpladder`, by turns: distances, search, align-reads, likelihood
# and a chain, on one thread each, on inputs of about a third of a second. With few edges, aligning reads takes longer than scoring them.
# OUT/tools_1core.tsv has for each the median over the rounds of the ratio of NEW's to OLD's processor time (user and system) and wall time,
# with the interval of 95 % of a median (order statistics). results/tools_1core.tsv is made by it; its header names OLD. Both print the same
# bytes, or it ends with 1. A benchmark: of times it judges nothing. OLD_COMMIT says what a build without a repository cannot. Wants a machine that is idle; 35 rounds take two minutes.
set -euo pipefail
old=$(readlink -f "$1") new=$(readlink -f "$2") out=$3 rounds=${4:-35}
mkdir -p "$out"
out=$(readlink -f "$out")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

"$new" simulate-reads --taxa 96 --sites 1500 --reads 300 --seed 1 --out data --quiet 2>/dev/null
"$new" simulate-reads --taxa 6 --sites 1500 --reads 3000 --length 100-250 --seed 3 --out few --quiet 2>/dev/null
"$new" simulate-reads --taxa 200 --sites 100000 --reads 1 --seed 2 --out large --quiet 2>/dev/null
awk 'BEGIN {
    srand(1)
    for (k = 1; k <= 12000; k++) base[k] = substr("ACGT", 1 + int(4 * rand()), 1)
    for (i = 1; i <= 1500; i++) {
        split("", other)
        for (n = 0; n < 120; n++) other[1 + int(12000 * rand())] = substr("ACGTACGTACGTACGTN-", 1 + int(18 * rand()), 1)
        printf ">s%d\n", i
        for (k = 1; k <= 12000; k++) printf "%s", (k in other) ? other[k] : base[k]
        print ""
    }
}' >alignment.fasta
awk 'BEGIN {
    srand(2)
    for (i = 1; i <= 20000; i++) {
        printf ">p%d\n", i
        for (k = 1; k <= 200 + int(300 * rand()); k++) printf "%s", substr("ARNDCQEGHILKMFPSTWYV", 1 + int(20 * rand()), 1)
        print ""
    }
}' >proteins.fasta
awk '/^>/ { n++ } n <= 6' proteins.fasta >queries.fasta

declare -A command
command[distances]='distances alignment.fasta --device cpu --threads 1 --quiet -o distances.tsv'
command[search]='search --db proteins.fasta --query queries.fasta --format tabular --device cpu --threads 1 --quiet -o search.tsv'
command[align-reads]='align-reads --tree data/tree.nwk --reference data/reference.fasta --reads data/reads.fasta --device cpu --threads 1 --quiet -o align-reads.phy'
command[align-reads-few-edges]='align-reads --tree few/tree.nwk --reference few/reference.fasta --reads few/reads.fasta --device cpu --threads 1 --quiet -o align-reads-few-edges.phy'
command[likelihood]='likelihood --tree large/tree.nwk --alignment large/reference.fasta --model GTR+G4 --device cpu --threads 1 --quiet'
command[chain]='likelihood --tree data/tree.nwk --alignment data/reference.fasta --model HKY85+G4 --device cpu --threads 1 --quiet --chain 600 --seed 3'

tools=(distances search align-reads align-reads-few-edges likelihood chain)
TIMEFORMAT='%R %U %S'
times() { # PROGRAM TOOL: "wall cpu"
    local -a words
    read -ra words <<<"${command[$2]}"
    { time "$1" "${words[@]}" >standard 2>/dev/null; } 2>timed || { cat timed >&2 && exit 1; }
    awk '{ print $1, $2 + $3 }' timed
}

for tool in "${tools[@]}"; do
    for program in "$old" "$new"; do
        times "$program" "$tool" >/dev/null
        for file in "$tool".tsv "$tool".phy; do if [ -e "$file" ]; then mv "$file" standard; fi; done
        if [ "$program" = "$old" ]; then mv standard first; fi
    done
    cmp first standard
done
for ((round = 0; round < rounds; round++)); do
    for tool in "${tools[@]}"; do
        # Which is first changes from round to round.
        if ((round % 2)); then
            b=$(times "$new" "$tool") a=$(times "$old" "$tool")
        else
            a=$(times "$old" "$tool") b=$(times "$new" "$tool")
        fi
        echo "$tool $a $b"
    done
done >samples

{
    echo "# what: whole commands of two builds by turns, $rounds rounds: seconds, and new over old; experiments/cpu/tools_session.sh"
    echo "# old: ${OLD_COMMIT:-$("$old" machine | sed -n 's/^commit  *//p')}"
    "$new" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /'
    printf 'tool\told_cpu\tnew_cpu\told_wall\tnew_wall\tcpu_ratio\tcpu_low\tcpu_high\twall_ratio\twall_low\twall_high\n'
    for tool in "${tools[@]}"; do
        awk -v tool="$tool" '
            function sort(x, n,   i, j, t) { for (i = 2; i <= n; i++) for (j = i; j > 1 && x[j - 1] > x[j]; j--) { t = x[j]; x[j] = x[j - 1]; x[j - 1] = t } }
            function median(x, n) { sort(x, n); return n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2 }
            $1 == tool { n++; aw[n] = $2; ac[n] = $3; bw[n] = $4; bc[n] = $5; rw[n] = $4 / $2; rc[n] = $5 / $3 }
            END {
                k = int((n - 1.96 * sqrt(n)) / 2); if (k < 1) k = 1 # the k-th from either end
                c = median(rc, n); w = median(rw, n)
                printf "%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\n", tool, median(ac, n), median(bc, n), median(aw, n),
                    median(bw, n), c, rc[k], rc[n + 1 - k], w, rw[k], rw[n + 1 - k]
            }' samples
    done
} >"$out/tools_1core.tsv"
cat "$out/tools_1core.tsv"
