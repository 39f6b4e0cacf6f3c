#!/bin/bash
# Compare reports with BLAST's: compare.sh SW_REPORT_ALL CASE. Exit 77: BLAST or the proteins are not installed.
set -euo pipefail
program=$1
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$here/../../../.." && pwd)
examples=/usr/share/doc/hmmer/examples
if ! command -v blastp makeblastdb blastn >/dev/null || [ ! -f $examples/tutorial/globins45.fa ]; then
    echo "skipped: ncbi-blast+ or hmmer-examples is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OLD_FSC=1 # see tools/search/statistics/evalues.h
exact=(-comp_based_stats 0 -seg no -soft_masking false)
# What hits.awk expects, then the alignment's: start positions, BTOP, and all that follows from them.
columns="qseqid sseqid score bitscore evalue qlen slen qstart sstart btop qend send pident nident length mismatch positive \
gapopen gaps ppos qseq sseq qcovhsp stitle"

proteins() { # all.fa, and q.fa: one of every 25, from all families
    "$here/proteins.sh" >all.fa
    awk '/^>/ { take = ++n % 25 == 12 } take' all.fa >q.fa
    makeblastdb -in all.fa -dbtype prot -out all >/dev/null
}

hits() { # MATRIX OPEN EXTEND BLAST'S-OPTIONS...
    local matrix=$1 open=$2 extend=$3
    shift 3
    echo "$matrix $open/$extend $*"
    "$program" "$columns" q.fa all.fa "$matrix" "$open" "$extend" ${kind:+"$kind"} >ours
    blastp "${exact[@]}" -matrix "$matrix" -gapopen "$open" -gapextend "$extend" -query q.fa -db all \
        -max_target_seqs 5000 "$@" -outfmt "6 $columns" >theirs 2>log || { cat log; exit 1; }
    awk -v alignment=10 -v least="$least" -v lower_most="$lower_most" -v other_most="$other_most" \
        -f "$here/hits.awk" ours theirs
}

# As a user runs it; and with BLAST's short cuts made less short, down to scores that mean nothing.
case_hits() {
    proteins
    least=400 lower_most=0.06 other_most=0.05
    hits BLOSUM62 11 1 -evalue 10
    least=1500 lower_most=0.12 other_most=0.05
    hits BLOSUM62 11 1 -evalue 300 -window_size 0 -xdrop_gap 100 -xdrop_gap_final 200
}
case_matrices() {
    proteins
    least=400 lower_most=0.08 other_most=0.05
    hits BLOSUM62 9 2 -evalue 10
    hits BLOSUM62 9 1 -evalue 1
    hits BLOSUM45 14 2 -evalue 10
    hits BLOSUM50 13 2 -evalue 10
    hits BLOSUM80 10 1 -evalue 10
    hits BLOSUM90 10 1 -evalue 10
    least=200
    hits PAM30 9 1 -evalue 10
    hits PAM70 10 1 -evalue 10
    hits PAM250 14 2 -evalue 10
}

# blastp as it is today, with the finite-size correction: E-values to the digit, for every matrix and pair of gap costs.
case_spouge() {
    local matrix open extend rows=0 kind=spouge
    proteins
    unset OLD_FSC
    awk '/^>/ { take = ++n % 4 == 1 } take' q.fa >some && mv some q.fa # a row of few pairs: there are 88
    awk '/^>/ { take = ++n % 3 == 1 } take' all.fa >some && mv some all.fa
    makeblastdb -in all.fa -dbtype prot -out all >/dev/null
    least=25 lower_most=1 other_most=1 # other cases look at the scores and the alignments
    sed -n 's/^"\([A-Z0-9]*\)"\t\([0-9]*\)\t\([0-9]*\)\t.*/\1 \2 \3/p' "$root/tools/search/statistics/proteins.tsv" >rows
    while read -r matrix open extend; do
        rows=$((rows + 1))
        hits "$matrix" "$open" "$extend" -evalue 50
    done <rows
    [ $rows -gt 80 ] || { echo "FAILED: $rows rows"; exit 1; }
}

# Nucleotides, both strands: pieces of a chromosome against pieces of it and a repeat.
case_nucleotides() {
    columns="qseqid sseqid score bitscore evalue qlen slen qstart sstart btop sstrand qend send pident nident length mismatch \
gapopen gaps qseq sseq qcovhsp"
    awk '!/^>/ { s = s toupper($0) }
        END { for (i = 1; i < length(s); i += 8000) print ">piece" ++n "\n" substr(s, i, 2000) }' \
        $examples/tutorial/dna_target.fa >all.fa
    awk '!/^#/ && NF == 2 && ++n % 25 == 3 { gsub(/[-.]/, "", $2); print ">" $1 "\n" $2 }' \
        $examples/tutorial/MADE1.sto >q.fa
    awk '/^>/ { take = /^>piece(3|14|30)$/ } take { print /^>/ ? $0 "of" : substr($0, 1, 800) }' all.fa >>q.fa
    # the reverse complement of a piece, a base in twenty changed
    awk '/^>/ { take = /^>piece20$/ } take && !/^>/ { s = substr($0, 500, 900) }
        END {
            print ">minus"
            for (i = length(s); i > 0; i--)
                printf "%s", i % 20 ? substr("TGCA", index("ACGT", substr(s, i, 1)), 1) : "G"
            print ""
        }' \
        all.fa >>q.fa
    makeblastdb -in all.fa -dbtype nucl -out all >/dev/null
    local costs match mismatch open extend
    for costs in "1 -3 5 2" "2 -3 5 2" "1 -2 2 2" "1 -1 3 2" "4 -5 6 5" "2 -4 4 2" "5 -4 8 6"; do
        read -r match mismatch open extend <<<"$costs"
        lower_most=0.1
        [ "$costs" != "5 -4 8 6" ] || lower_most=0.5 # long alignments that mean little
        echo "$match/$mismatch $open/$extend"
        "$program" "$columns" q.fa all.fa "$match,$mismatch" "$open" "$extend" >ours
        blastn -task blastn -dust no -soft_masking false -evalue 1 -word_size 7 -xdrop_gap 100 -xdrop_gap_final 200 \
            -reward "$match" -penalty="$mismatch" -gapopen "$open" -gapextend "$extend" -query q.fa -db all -max_target_seqs 5000 -outfmt "6 $columns" >theirs
        awk -v alignment=10 -v least=40 -v lower_most="$lower_most" -v other_most=0.1 \
            -f "$here/hits.awk" ours theirs
    done
}

# The last lines of a pairwise report: "lambda K H" and the search space, for each query.
trailer() { awk '/^Gapped/ { getline; getline; print $1, $2, $3 } /^Effective search space used/ { print $NF }'; }

# Every pair of gap costs that blastp says it supports for a matrix, no more and no less: lambda, K, H, and through the search
# spaces of queries of several lengths alpha and beta.
case_statistics() {
    "$here/proteins.sh" >all.fa
    awk '/^>/ { take = /HBB_HUMAN |7LESS_DROME |PAX8/ || ++n == 60 } take' all.fa >q.fa
    awk '/^>/ { take = ++m % 4 == 1 } take' all.fa >some.fa
    makeblastdb -in some.fa -dbtype prot -out some >/dev/null
    local matrix open extend pairs=0
    for matrix in BLOSUM45 BLOSUM50 BLOSUM62 BLOSUM80 BLOSUM90 PAM30 PAM70 PAM250; do
        { blastp -query q.fa -db some -matrix $matrix -gapopen 1 -gapextend 7 2>&1 || true; } |
            sed -n 's/^\([0-9]\{1,2\}\), \([0-9]\{1,2\}\)$/\1 \2/p' >supported # 32767, 32767 is "no gaps"
        [ -s supported ] || { echo "FAILED: blastp did not say what it supports for $matrix"; exit 1; }
        while read -r open extend; do
            pairs=$((pairs + 1))
            "$program" pairwise q.fa some.fa $matrix "$open" "$extend" | trailer >ours
            blastp "${exact[@]}" -evalue 1e-9 -threshold 50 -query q.fa -db some \
                -matrix $matrix -gapopen "$open" -gapextend "$extend" | trailer >theirs
            if [ "$(wc -l <theirs)" -lt 8 ] || ! cmp -s ours theirs; then
                echo "FAILED: $matrix $open/$extend: ours, BLAST's"
                paste ours theirs
                exit 1
            fi
        done <supported
    done
    echo "$pairs pairs"
    [ "$(grep -c '^"' "$root/tools/search/statistics/proteins.tsv")" -eq $pairs ] ||
        { echo "FAILED: our table has others"; exit 1; }
}

# The same of every row of our tables for nucleotides, and of dearer gaps than the dearest. Not of 4/-6 and its like with
# dear gaps: BLAST's K is 1.17 there, while scores that are all doubled have the K of the simple ones, 0.408.
case_costs() {
    awk '!/^>/ { s = s toupper($0) }
        END { for (i = 1; i < 60000; i += 6000) print ">piece" ++n "\n" substr(s, i, 150 * n) }' \
        $examples/tutorial/dna_target.fa >all.fa
    awk '/^>/ { take = ++n % 3 == 1 } take' all.fa >q.fa
    local match mismatch open extend rows=0
    awk '/^[1-9]/ { print $1, $2, $3, $4 }' "$root"/tools/search/statistics/nucleotides{,_without_gaps}.tsv |
        awk '{ print }
            /^(1 -3 2 2|2 -3 6 4|4 -5 12 8)$/ { print $1, $2, $3 + 1, $4 + 1 }
            /^1 -3 2 2$/ { print 2, 2 * $2, 2 * $3 + 2, 2 * $4 + 2 }' >rows
    while read -r match mismatch open extend; do
        rows=$((rows + 1))
        "$program" pairwise q.fa q.fa "$match,$mismatch" "$open" "$extend" | trailer >ours
        blastn -task blastn -evalue 1e-9 -reward "$match" -penalty="$mismatch" -gapopen "$open" -gapextend "$extend" \
            -query q.fa -subject q.fa | trailer >theirs
        if [ "$(wc -l <theirs)" -lt 8 ] || ! cmp -s ours theirs; then
            echo "FAILED: $match/$mismatch $open/$extend: ours, BLAST's"
            paste ours theirs
            exit 1
        fi
    done <rows
    echo "$rows rows"
    [ $rows -gt 60 ] || { echo "FAILED: too few"; exit 1; }
}

# All of BLAST's columns, their headings, and its ways of naming them: the rows of the best hits are BLAST's bytes.
case_columns() {
    local known='qaccver saccver pident length mismatch gapopen qstart qend sstart send evalue bitscore qseqid sseqid qacc sacc qgi sgi
        sallgi sallacc salltitles sallseqid stitle qframe sframe frames sstrand qcovus qcovs qcovhsp score qlen slen nident positive
        ppos gaps qseq sseq btop staxid ssciname sscinames scomname scomnames sblastname sblastnames sskingdom sskingdoms'
    known=$(tr -s "[:space:]" " " <<<"$known")
    known=${known% }
    cp $examples/tutorial/HBB_HUMAN q.fa
    printf '>first\001second of two\n%s\n' "$(sed -n '/^>/d; /./p' q.fa)" >joined.fa
    makeblastdb -parse_seqids -in joined.fa -dbtype prot -out joined >/dev/null
    makeblastdb -in $examples/tutorial/globins45.fa -dbtype prot -out globins >/dev/null
    local format
    for format in 6 7 10 "6 $known" "7 $known" "10 $known" '6 delim=@ qseqid sseqid evalue' '10 qseqid std'; do
        "$program" "$format" q.fa $examples/tutorial/globins45.fa BLOSUM62 11 1 >all
        blastp "${exact[@]}" -query q.fa -db globins -outfmt "$format" 2>/dev/null >theirs
        # The best, where BLAST has no other alignment. It leaves a blank after a name without a title.
        for file in all theirs; do grep -v '^#' $file | sed 's/ \([\t,]\)/\1/g; s/ $//' >$file.rows; done
        head -n 25 theirs.rows | sort | comm -13 <(sort all.rows) - >missing
        [ ! -s missing ] || { echo "FAILED: '$format': rows of BLAST that are not ours:"; head -n 3 missing; exit 1; }
        diff <(grep '^# Fields' all) <(grep '^# Fields' theirs) || { echo "FAILED: '$format': headings"; exit 1; }
    done
    # Without a database of BLAST's there are no taxa; with one, their number is 0.
    blastp "${exact[@]}" -query q.fa -subject $examples/tutorial/globins45.fa -outfmt '6 staxid staxids' 2>/dev/null | head -n 1 >theirs
    "$program" '6 staxid,staxids' q.fa q.fa BLOSUM62 11 1 | diff - theirs || { echo "FAILED: taxa"; exit 1; }
    blastp "${exact[@]}" -query q.fa -db joined -outfmt '6 sseqid sallseqid sallacc' 2>/dev/null >theirs
    "$program" 'sseqid,sallseqid sallacc' q.fa joined.fa BLOSUM62 11 1 | diff - theirs || { echo "FAILED: joined headers"; exit 1; }
}

# Every hit of a pairwise report, as "query subject" and its lines from the score to the alignment's last row.
blocks() {
    awk '/^Query=/ { query = $2 }
        /^>/ { subject = substr($1, 2); on = 0 }
        /^ Score =/ { on = !((query, subject) in seen); seen[query, subject] = 1; if (on) printf "\n%s %s", query, subject }
        /^(Gapped|Lambda|Effective)/ { on = 0 }
        on && NF { sub(/[ ]+$/, ""); printf "|%s", $0 }
        END { print "" }' | sort
}
# The table's lines: name, bits, E-value.
lines() {
    awk '/^Query=/ { query = $2 }
        /^>/ { on = 0 }
        on && NF > 2 { print query, $1, $(NF - 1), $NF }
        /^Sequences producing/ { on = 1 }'
}

case_pairwise() {
    proteins
    "$program" pairwise q.fa all.fa BLOSUM62 11 1 >ours
    blastp "${exact[@]}" -query q.fa -db all -num_descriptions 500 -num_alignments 500 -max_hsps 1 >theirs
    blocks <ours >ours.blocks
    blocks <theirs >theirs.blocks
    awk -F'|' 'FNR == NR { ours[$1] = $0; next }
        !NF { next }
        { count++; split(ours[$1], a); score = a[2] }
        ours[$1] == $0 { same++; next }
        score == $2 { other++; next }
        { split(score, b, /[()]/); split($2, c, /[()]/); if (b[2] > c[2]) { lower++; next } }
        { print "FAILED: " $0 "\n   ours: " ours[$1]; failed = 1 }
        END { printf "%d hits: %d the same text, %d with another equally good alignment, %d lower in BLAST\n",
                  count, same, other, lower
              exit failed || count < 400 || same < 0.9 * count }' ours.blocks theirs.blocks
    lines <ours >ours.lines
    lines <theirs >theirs.lines
    awk 'FNR == NR { ours[$1, $2] = $3 " " $4; next }
        { count++; if (ours[$1, $2] == $3 " " $4) same++ }
        END { printf "%d lines of tables: %d the same\n", count, same
              exit count < 400 || same < 0.95 * count }' ours.lines theirs.lines
}

"case_$2"
