#!/usr/bin/env bash
# peers_session.sh BUILD OUT [ROUNDS]: Smith-Waterman programs on one core, for queries of lengths that Ligowski and Rudnicki's Figure 4 has.
# ssearch36 (Debian's fasta3) has Farrar's code, to which the paper compares; blastp (ncbi-blast+) is a heuristic, which computes few of the cells.
# Three programs by turns; OUT/search_peers_1core.tsv gets the medians, results/ has it. A database of 40,000 random sequences, BLOSUM62, gaps
# of 11 + k. Seconds of the whole command, with reading of the database, which each program has in its own format. Needs python3 and an idle
# machine; takes a minute.
set -euo pipefail
build=$(readlink -f "$1") rounds=${3:-3}
mkdir -p "$2"
out=$(readlink -f "$2")/search_peers_1core.tsv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
lengths=(10 31 144 464 1000)
python3 - "${lengths[@]}" <<'PYTHON'
import random
import sys

random.seed(2010)


def write(path, lengths):
    letters = "".join(random.choices("ARNDCQEGHILKMFPSTWYV", k=sum(lengths)))
    at = 0
    with open(path, "w", encoding="ascii") as file:
        for i, length in enumerate(lengths):
            file.write(f">s{i}\n{letters[at:at + length]}\n")
            at += length


write("db.fa", [max(30, int(random.lognormvariate(5.7, 0.55))) for _ in range(40000)])
for length in sys.argv[1:]:
    write(length + ".fa", [int(length)])
PYTHON
"$build/warpladder" makedb db.fa db.wdb --quiet
makeblastdb -in db.fa -dbtype prot -out db >/dev/null
letters=$(grep -v '>' db.fa | tr -d '\n' | wc -c)

program() { # NAME LENGTH
    case $1 in
        "warpladder search") taskset -c 0 "$build/warpladder" search --db db.wdb --query "$2.fa" --device cpu --format tabular --quiet ;;
        ssearch36) taskset -c 0 ssearch36 -q -T 1 -s BL62 -f -11 -g -1 -m 8 -d 0 "$2.fa" db.fa ;;
        blastp) taskset -c 0 blastp -db db -query "$2.fa" -num_threads 1 -outfmt 6 ;;
    esac >/dev/null 2>&1
}
for round in $(seq "$rounds"); do
    for length in "${lengths[@]}"; do
        for name in "warpladder search" ssearch36 blastp; do
            begin=$EPOCHREALTIME
            program "$name" "$length" || { echo "peers_session.sh: $name ended with $?" >&2 && exit 1; }
            printf '%s\t%s\t%s\t%s\n' "$name" "$length" "$round" "$(awk "BEGIN { print $EPOCHREALTIME - $begin }")" | tee -a samples >&2
        done
    done
done
{
    echo "# what: seconds of three programs on one core, $rounds rounds by turns; experiments/cpu/peers_session.sh BUILD OUT"
    echo "# database: 40,000 random proteins, $letters residues"
    echo "# peers: $(ssearch36 2>&1 | grep -oE 'version[^ ]* [^ ]+' | head -n 1 | sed 's/^/ssearch36 /'), $(blastp -version | sed -n '1s/: / /p')"
    "$build/warpladder" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /'
    printf 'peer\tquery_length\tseconds\tseconds_low\tseconds_high\tgcups\n'
    sort -t '	' -k1,1 -k2,2n -k4,4g samples | awk -F'\t' -v letters="$letters" -v OFS='\t' '
        function row() { if (n) print name, length_, s[int((n + 1) / 2)], s[1], s[n], sprintf("%.4g", letters * length_ / s[int((n + 1) / 2)] / 1e9) }
        $1 != name || $2 != length_ { row(); name = $1; length_ = $2; n = 0 }
        { s[++n] = $4 }
        END { row() }'
} >new && mv new "$out"
cat "$out"
