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

# References in the database's order, whatever their lengths; names that SAM does not have; a FASTQ file's qualities, on both strands.
case_names_and_qualities() {
    printf '>chr"M\nACGTACGGTTCAGGACATAGGATTAC\n>chr1\nTTACGTACGGTTCAGGACATAGGATTACGG\n>chr1\nGGGGGGGGGGACGTACGGTTCAGGACATAGGATTAC\n' >references.fa
    printf '@%s\nTTTTT\n+\n!!!!!\n' "$(printf 'n%.0s' $(seq 300))" >reads.fq
    printf '@plus\nACGTACGGTTCAGGACATAGGATTAC\n+\nABCDEFGHIJKLMNOPQRSTUVWXYZ\n@r@x\nCCGTAATCCTATGTCCTGAACCGTACGT\n+\n01abcdefghijklmnopqrstuvwxyz\n' >>reads.fq
    "$program" search --nucleotide --db references.fa --query reads.fq --format sam --evalue 1e-3 --device cpu >hits.sam 2>err
    [ "$(awk '/^@SQ/ { printf "%s ", $2 }' hits.sam)" = "SN:chr_M SN:chr1 SN:chr1_3 " ] || fail "references: $(cat hits.sam)"
    grep -q "note: names of subjects: 1 with '_' for what SAM does not allow, 1 with a number, since another has the same; names of queries: 1 with '_' .*, 1 cut to 254 characters" err ||
        fail "said $(cat err)"
    awk '$1 == "plus" && $11 != "ABCDEFGHIJKLMNOPQRSTUVWXYZ" || $1 ~ /^nnn/ && $11 != "!!!!!" { exit 1 }' hits.sam || fail "$(cat hits.sam)"
    # Backwards where the read is; of all but the best only what is shown.
    awk '$1 == "r_x" && $2 == 16 && $11 == "zyxwvutsrqponmlkjihgfedcba10" { first++ }
        $1 == "r_x" && $2 == 272 && $11 == substr("zyxwvutsrqponmlkjihgfedcba10", 1, length($10)) { others++ }
        END { exit first != 1 || others != 2 }' hits.sam || fail "$(cat hits.sam)"
    "$program" search --nucleotide --strip-gaps --db references.fa --query <(sed 's/^ACGTACGG/AC-TACGG/' reads.fq) --format sam --evalue 1e-3 \
        --device cpu --quiet | awk '$1 == "plus" { exit $11 != "ABDEFGHIJKLMNOPQRSTUVWXYZ" }' || fail "qualities of letters that are left out"
}

"case_$3"
