#!/bin/bash
# script.sh WARPLADDER CASE: scripts that call BLAST run with this program in its place and find what BLAST finds. Exit 77: BLAST or the
# proteins are not installed.
set -euo pipefail
program=$1
examples=/usr/share/doc/hmmer/examples
if ! command -v blastp makeblastdb blastn >/dev/null || [ ! -f $examples/tutorial/globins45.fa ]; then
    echo "skipped: ncbi-blast+ or hmmer-examples is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir links
for name in blastp blastn makeblastdb; do ln -s "$program" links/$name; done

fail() {
    echo "FAILED: $*"
    exit 1
}

# compare KEYS FILE: in the folders `theirs` and `ours`: all of BLAST's rows, of which the first KEYS fields say what they are of, are ours
# with the same values; where ours has a better score, BLAST's heuristics missed it.
compare() {
    awk -F'\t' -v keys="$1" -v file="$2" '
        /^#/ { next }
        { sub(/[ \t]+$/, ""); key = $1; for (i = 2; i <= keys; i++) key = key "\t" $i }
        FILENAME ~ /^ours/ { ours[key] = $0; next }
        { rows++; if (ours[key] == $0) same++; else if (!(key in ours)) missing++; else other = $0 "\n" ours[key] }
        END {
            printf "%s: %d rows of BLAST, %d the same, %d missing\n", file, rows, same, missing
            if (rows < 5 || missing > 0 || same < 0.95 * rows) { print "FAILED: " other; exit 1 }
        }' "ours/$2" "theirs/$2"
}

# One script, run twice: what precedes it in PATH is all that differs.
case_script() {
    cp $examples/tutorial/globins45.fa proteins.fa
    cp $examples/tutorial/HBB_HUMAN query.fa
    awk '!/^>/ { s = s toupper($0) } END { for (i = 1; i < 100000; i += 5000) print ">piece" ++n "\n" substr(s, i, 1500) }' \
        $examples/tutorial/dna_target.fa >dna.fa
    awk '/^>piece(3|14)$/ { take = 1; print $0 "of"; next } /^>/ { take = 0 } take { print substr($0, 1, 700) }' dna.fa >dna_query.fa
    cat >script.sh <<'END'
set -e
mkdir $1
makeblastdb -in proteins.fa -dbtype prot -out $1/db >/dev/null
exact="-comp_based_stats 0 -seg no"
blastp $exact -query query.fa -db $1/db -outfmt '6 qseqid sseqid bitscore score' -evalue 1e-10 -max_target_seqs 20 -num_threads 1 -out $1/few
blastp $exact -query=query.fa -subject proteins.fa -outfmt 6 -max_hsps 1 -word_size 3 -threshold 11 >$1/standard
blastp $exact -query query.fa -db $1/db -matrix BLOSUM45 -gapopen 14 -gapextend 2 -outfmt '7 qseqid sseqid evalue length pident' -max_hsps 1 >$1/matrix
blastp $exact -query query.fa -db $1/db -qcov_hsp_perc 99 -outfmt '6 qseqid sseqid qcovhsp qcovs bitscore' >$1/covering
blastp $exact -query - -db $1/db -outfmt '6 std qlen slen qframe' -max_hsps 1 -max_target_seqs 10 <query.fa >$1/input
blastn -task blastn -dust no -soft_masking false -query dna_query.fa -subject dna.fa -reward 2 -penalty -3 -gapopen 5 -gapextend 2 \
    -evalue 1e-3 -perc_identity 90 -max_hsps 1 -outfmt '6 qseqid sseqid sstrand pident length evalue bitscore' >$1/nucleotides
blastn -task blastn-short -dust no -soft_masking false -query dna_query.fa -subject dna.fa -strand minus -max_hsps 1 -outfmt 6 -evalue 1e-3 >$1/minus
END
    bash script.sh theirs >/dev/null 2>err || { cat err; exit 1; }
    PATH=$work/links:$PATH bash script.sh ours 2>err || { cat err; exit 1; }
    grep -q 'note: options without a meaning here, left out: -word_size, -threshold' err || fail "no note: $(cat err)"
    for file in few standard matrix covering input; do compare 2 $file; done
    cmp ours/minus theirs/minus || fail "the minus strand"
    sort ours/nucleotides >ours/sorted
    sort theirs/nucleotides | cmp - ours/sorted || fail "nucleotides"
    "$program" search -query query.fa -db theirs/db >/dev/null 2>err && fail "BLAST's database is no database of ours"
    grep -q "found a database of BLAST's" err || fail "said $(cat err)"
}

# Several alignments of a subject: repeated domains, on both strands of nucleotides.
case_hsps() {
    awk '/^ID/ { print ">" $2 } on && !/^\/\// { gsub(/ /, ""); print } /^SQ/ { on = 1 }' $examples/tutorial/7LESS_DROME >sevenless.fa
    awk '/^#/ || /^\/\// || NF == 0 || ++n > 3 { next } { gsub(/[-.]/, "", $2); print ">" $1 "\n" toupper($2) }' $examples/tutorial/fn3.sto >fn3.fa
    mkdir ours theirs
    local columns='qseqid sseqid qstart qend sstart send score evalue pident length'
    blastp -comp_based_stats 0 -seg no -soft_masking false -query fn3.fa -subject sevenless.fa -outfmt "6 $columns" -evalue 1 >theirs/domains 2>/dev/null
    links/blastp -query fn3.fa -subject sevenless.fa -outfmt "6 $columns" -evalue 1 >ours/domains 2>/dev/null
    compare 6 domains
    awk '!/^>/ { s = s toupper($0) } END { print ">two\n" substr(s, 1, 400) substr(s, 9000, 300) substr(s, 1, 350) }' $examples/tutorial/dna_target.fa >two.fa
    awk '!/^>/ { s = s $0 } END { print ">one\n" substr(s, 1, 400) }' two.fa >one.fa
    for where in ours theirs; do
        PATH=$([ $where = theirs ] || echo "$work/links:")$PATH blastn -task blastn -dust no -soft_masking false -query one.fa -subject two.fa \
            -evalue 1e-5 -outfmt '6 std qcovs qcovus sstrand' >$where/repeats 2>/dev/null
    done
    cmp ours/repeats theirs/repeats || { cat theirs/repeats ours/repeats; fail "repeats"; }
    [ "$(wc -l <ours/repeats)" -ge 2 ] || fail "one alignment only"
    # BLAST's SAM, but for names, the flag of all but the best, and what is clipped of that.
    blastn -task blastn -dust no -soft_masking false -query one.fa -subject two.fa -evalue 1e-5 -outfmt '17 SR SQ' 2>/dev/null >theirs/sam
    links/blastn -query one.fa -subject two.fa -evalue 1e-5 -outfmt 17 2>/dev/null >ours/sam
    for where in ours theirs; do
        awk '!/^@/ { delete tag; for (i = 12; i <= NF; i++) { split($i, t, ":"); tag[t[1]] = t[3] }
            print $4, $5, $6, $10, tag["AS"], tag["NM"], tag["PI"], tag["EV"], tag["BS"] }' $where/sam >$where/records
    done
    diff ours/records theirs/records || fail "SAM"
}

# Sets of bases in queries change blastn's parameters where gaps are dearer than its table has; odd scores count as even ones with some.
case_sets() {
    local match mismatch open extend
    awk '!/^>/ { s = s toupper($0) } END { for (i = 0; i < 4; i++) print ">p" i "\n" substr(s, 1 + i * 3000, 1500) }' \
        $examples/tutorial/dna_target.fa >db.fa
    awk 'NR == 2 {
        print ">plain\n" substr($0, 100, 80) "\n>n1\n" substr($0, 100, 40) "N" substr($0, 141, 39)
        print ">n8\n" substr($0, 100, 40) "NNNNNNNN" substr($0, 148, 32) "\n>r4\n" substr($0, 100, 40) "RYRY" substr($0, 144, 36)
        print ">r9\n" substr($0, 100, 40) "RYRYRRYYKMSWKMSWBDHV" substr($0, 160, 20) }' db.fa >q.fa
    while read -r match mismatch open extend; do
        local costs=(-reward "$match" -penalty="$mismatch" -gapopen "$open" -gapextend "$extend" -strand plus -evalue 1e-5 -max_hsps 1)
        "$program" search --nucleotide -query q.fa -db db.fa "${costs[@]}" --quiet -outfmt '6 qseqid sseqid score bitscore evalue' | sort >ours
        blastn -task blastn -dust no -soft_masking false -query q.fa -subject db.fa "${costs[@]}" \
            -outfmt '6 qseqid sseqid score bitscore evalue' | sort >theirs
        [ "$(wc -l <theirs)" -ge 5 ] || fail "BLAST found too little"
        diff ours theirs || fail "$match $mismatch $open $extend"
    done <<<'1 -3 10 10
2 -3 9 9
1 -2 5 5
1 -1 5 5
4 -5 13 9
3 -2 6 6
5 -4 26 11
3 -4 7 4
3 -4 5 2
2 -5 5 5'
}

"case_$2"
