#!/bin/bash
# sam.sh WARPLADDER SAM_READ CASE: what htslib reads of a report in SAM.
set -euo pipefail
program=$1 reader=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $*"
    exit 1
}

# Queries are pieces of the references, on both strands, with gaps, changes and sets of bases; the same name twice; one has no hit.
case_read() {
    awk 'BEGIN {
        srand(7)
        for (r = 0; r < 6; r++) {
            s = t = ""
            for (i = 0; i < 600; i++) s = s substr("ACGT", 1 + int(4 * rand()), 1)
            print ">r" (r == 5 ? 4 : r) " text\n" s >"references.fa"
            q = substr(s, 1 + 20 * r, 120) substr(s, 146 + 20 * r, 100) "ACG" substr(s, 250 + 20 * r, 90)
            if (r % 2) { for (i = length(q); i > 0; i--) t = t substr("TGCA", index("ACGT", substr(q, i, 1)), 1); q = t }
            print ">@q" r "\nTTTTT" substr(q, 1, 50) "N" substr(q, 52) >"queries.fa"
        }
        print ">none\nACGT" >"queries.fa"
    }'
    "$program" search --nucleotide --db references.fa --query queries.fa --format sam --max-hsps 3 --evalue 1e-6 --device cpu --quiet >hits.sam
    # What the reader looks names up in has the numbers that the report gives to repeated ones.
    awk '/^>/ { name = $1; if (name in seen) name = name "_" n + 1; seen[name] = 1; n++; print name; next } { print }' references.fa >named.fa
    "$reader" hits.sam named.fa >records || fail "$(cat records hits.sam)"
    "$program" search --nucleotide --db references.fa --query queries.fa --max-hsps 3 --evalue 1e-6 --device cpu --quiet \
        --format 'qseqid sstart send score' | awk '{ print "_" substr($1, 2), $2 < $3 ? $2 : $3, $4 }' | sort >table
    awk '$3 != "*" { print $1, $4, $5 }' records | sort | diff - table || fail "positions or scores differ from the table's"
    [ "$(wc -l <table)" -ge 6 ] || fail "too few hits"
    grep -q $'^none\t4\t\\*\t0\t' records || fail "the query without a hit: $(cat records)"
    [ "$(awk '$2 == 16' records | wc -l)" -eq 3 ] || fail "strands: $(cat records)"
    printf '>p\nMKVLAAWW\n' >p.fa
    "$program" search --db p.fa --query p.fa --format sam 2>err && fail "proteins"
    grep -q 'found sam with proteins; expected --nucleotide' err || fail "said $(cat err)"
}

"case_$3"
