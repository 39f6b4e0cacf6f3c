#!/usr/bin/env bash
# bash cases.sh path/to/warpladder NAME: one case of how `warpladder align-reads` behaves.
set -u
# shellcheck source=tests/support/expect.sh
source "$(dirname "$0")/../../support/expect.sh"
tool=align-reads
source=$PWD # the repository
cd "$folder" || exit 1

# says REGEX: one of the lines on stderr.
says() { grep -Eq -- "$1" err || fail "expected $1; said $(cat err)"; }

# Five taxa, twenty sites; what fits where is plain to see.
cat >ref.nwk <<'END'
((a:1,b:1):1,(c:1,d:1):1,e:2);
END
cat >ref.phy <<'END'
5 20
a ACGTACGTACGTACGTACGT
b ACGTACGTAC--ACGTACGT
c TTGTACGAACGTACGGACGT
d TTGTACGAACGTACGGACCT
e GGGTACGTAAGTACGTACGA
END
printf '>r1\nGTACGTACGT\n>r2 from c\nTTGTACGAAC\n>r3\nACGTACGTACACGTACG\n' >reads.fasta
files=(--tree ref.nwk --reference ref.phy --reads reads.fasta)
cpu=("${files[@]}" --device cpu --quiet)

# random SEED TAXA SITES READS LONGEST LETTERS: random.nwk (a random tree), random.phy and random.fasta: sequences
# that differ a little, with gaps, and reads cut out of them with wrong, lost and added letters.
random() {
    awk -v seed="$1" -v taxa="$2" -v sites="$3" -v reads="$4" -v longest="$5" -v letters="$6" '
    function letter() { return substr(letters, 1 + int(rand() * length(letters)), 1) }
    BEGIN {
        srand(seed)
        for (i = 0; i < taxa; i++) part[i] = sprintf("t%d:%.3f", i, rand())
        for (n = taxa; n > 3; n--) { # join two of what is left
            i = int(rand() * n); j = int(rand() * (n - 1)); if (j >= i) j++
            part[i] = sprintf("(%s,%s):%.3f", part[i], part[j], rand()); part[j] = part[n - 1]
            if (i == n - 1) part[j] = sprintf("%s", part[i])
        }
        printf "(%s,%s,%s);\n", part[0], part[1], part[2] >"random.nwk"
        print taxa, sites >"random.phy"
        for (c = 1; c <= sites; c++) base[c] = letter()
        for (i = 0; i < taxa; i++) {
            gap = 0; row[i] = ""
            for (c = 1; c <= sites; c++) {
                if (rand() < 0.03) gap = int(rand() * 8)
                row[i] = row[i] (gap-- > 0 ? "-" : rand() < 0.15 ? letter() : base[c])
            }
            print "t" i, row[i] >"random.phy"
        }
        for (r = 0; r < reads; r++) {
            text = row[int(rand() * taxa)]; gsub("-", "", text)
            long = 5 + int(rand() * (longest - 4)); if (long > length(text)) long = length(text)
            text = substr(text, 1 + int(rand() * (length(text) - long + 1)), long); read = ""
            for (k = 1; k <= long && length(read) < longest; k++) {
                if (rand() < 0.03) read = read letter()
                if (rand() > 0.03) read = read (rand() < 0.02 ? letter() : substr(text, k, 1))
            }
            printf ">q%d cut\n%s\n", r, read == "" ? letter() : read >"random.fasta"
        }
    }'
}
of_random=(--tree random.nwk --reference random.phy --reads random.fasta)

# rows FILE: "name letters" a line, of PHYLIP or of FASTA.
rows() {
    if grep -q '^>' "$1"; then
        awk '/^>/ { name = substr($1, 2); next } { print name, $0 }' "$1"
    else
        tail -n +2 "$1"
    fi
}

case_help() {
    expect 0 '' --help
    grep -q '^Usage: warpladder align-reads' out || fail "no usage line"
    grep -q -- '-o, --output=FILE' out || fail "no -o"
    grep -q 'warpladder align-reads --tree ref.nwk' out || fail "no example"
}

case_options() {
    local all='expected --tree FILE --reference FILE --reads FILE'
    expect 2 "option --tree: not given; $all"
    expect 2 "option --reference: not given; $all" --tree ref.nwk
    expect 2 "option --reads: not given; $all" --tree ref.nwk --reference ref.phy
    expect 2 'option --tree: is empty; expected the name of a file' --tree '' --reference ref.phy --reads reads.fasta
    expect 2 'option --reads: is empty; expected the name of a file' --tree ref.nwk --reference ref.phy --reads ''
    expect 2 "options --tree, --reference, --reads: found '-' more than once" --tree - --reference ref.phy --reads -
    expect 2 'option --format: found .nexus.; expected auto, phylip or fasta' "${cpu[@]}" --format nexus
    expect 2 'option --input-format: found .clustal.' "${cpu[@]}" --input-format clustal
    expect 2 'option --reference-format: found with --input-format, whose former name it is; expected one of them' "${cpu[@]}" \
        --reference-format phylip --input-format phylip
    expect 0 '' "${cpu[@]}" --reference-format phylip
    "$program" align-reads "${files[@]}" --device cpu --reference-format phylip >out 2>err || fail "$(cat err)"
    says '^warpladder align-reads: note: option --reference-format: is called --input-format now; the old name works for one more version$'
    expect 2 "option --output: found 'out.txt'; expected a name that ends in" "${cpu[@]}" -o out.txt
    expect 2 "option --output: found 'out.phy.gz'" "${cpu[@]}" -o out.phy.gz
    expect 2 "option --output: found 'a.phy/out'" "${cpu[@]}" -o a.phy/out
    expect 2 'option --split: found without a file for the output; expected -o FILE' "${cpu[@]}" --split
    expect 2 'option --mismatch: 256 is out of range' "${cpu[@]}" --mismatch 256
    expect 2 'option --gap-open: found 1; expected at least --gap-extend, which is 2' "${cpu[@]}" --gap-open 1 --gap-extend 2
    expect 2 'option --device' "${files[@]}" --device abacus
    expect 2 'option --device: .gpu:x. is no device' "${files[@]}" --device hybrid:x
    expect 2 "option --variant: 'papara/99\*' is no stage of papara for the backend cpu" "${cpu[@]}" --variant 'papara/99*'
    expect 2 'option --threads' "${cpu[@]}" --threads 0
    expect 2 'option --memory: found .1X.; expected bytes' "${cpu[@]}" --memory 1X
    expect 2 'unexpected' "${cpu[@]}" another.fasta
}

# Outputs are never an input or each other, whatever the way to them; and nothing is left of those that were begun.
case_outputs_refused() {
    cp ref.phy kept.phy
    ln -s ref.phy link.phy
    mkdir sub
    expect 2 'ref.phy: is a file that is read' "${cpu[@]}" -o ref.phy
    expect 2 'link.phy: is a file that is read' "${cpu[@]}" -o link.phy
    expect 2 'reads.fasta: is a file that is read' "${cpu[@]}" -o x.phy --table reads.fasta
    ln reads.fasta hard.fasta
    expect 2 'hard.fasta: is a file that is read' "${cpu[@]:0:5}" - -o hard.fasta --device cpu <reads.fasta
    expect 2 'x.phy: is the name of two outputs' "${cpu[@]}" -o x.phy --table x.phy
    expect 2 'sub/../x.phy: is the name of two outputs' "${cpu[@]}" -o x.phy --table sub/../x.phy
    expect 2 -- '-: is the name of two outputs' "${cpu[@]}" --table -
    expect 2 '/dev/stdout: is the name of two outputs' "${cpu[@]}" --table /dev/stdout
    expect 0 '' "${cpu[@]}" -o /dev/null --format phylip --table /dev/null
    expect 2 'x.reads.phy: is the name of two outputs' "${cpu[@]}" -o x.phy --split --table x.reads.phy
    expect 3 'none.fasta: ' --tree ref.nwk --reference ref.phy --reads none.fasta -o x.phy --table t.tsv --quiet
    cmp ref.phy kept.phy || fail "an input was written over"
    [ "$(find . -name '*x.*' -o -name 't.tsv' -o -name '.warp*')" = '' ] || fail "left behind: $(ls -A)"
}

# The example that the page has, letter by letter.
case_known() {
    expect 0 '' "${cpu[@]}" --table t.tsv --numbered-tree n.nwk
    printf '%s\n' '8 20' "$(tail -n 5 ref.phy)" 'r1 --GTACGTACGT--------' 'r2 TTGTACGAAC----------' \
        'r3 ACGTACGTAC--ACGTACG-' | cmp - out || fail "wrote $(cat out)"
    [ "$(cut -f 1-3,6-9 t.tsv | tail -n 3)" = "$(printf 'r1\t0\t0\t10\t0\t3\t12\nr2\t3\t0\t10\t0\t1\t10\nr3\t0\t5\t17\t0\t1\t19')" ] ||
        fail "the table says $(cat t.tsv)"
    [ "$(sed 's/{[0-9]*}//g' n.nwk)" = "$(cat ref.nwk)" ] || fail "the tree is $(cat n.nwk)"
    [ "$(grep -o '{[0-9]*}' n.nwk | sort -u | wc -l)" -eq 7 ] || fail "the tree's edges: $(cat n.nwk)"
}

# Formats by suffix and by option hold the same rows; --split holds them apart.
case_formats() {
    local way
    random 1 12 60 30 40 ACGT
    expect 0 '' "${of_random[@]}" --device cpu --quiet
    rows out >whole
    [ "$(wc -l <whole)" -eq 42 ] || fail "$(wc -l <whole) rows"
    for way in o.phy o.PHYLIP o.fasta o.fa o.afa new/folder/o.fna; do
        mkdir -p new/folder
        expect 0 '' "${of_random[@]}" --device cpu --quiet -o "$way"
        [ ! -s out ] || fail "$way: standard output has something"
        rows "$way" | cmp - whole || fail "$way differs"
    done
    head -n 1 o.phy | grep -qx '42 60' || fail "header $(head -n 1 o.phy)"
    expect 0 '' "${of_random[@]}" --device cpu --quiet --format fasta
    grep -q '^>' out || fail "no FASTA"
    rows out | cmp - whole || fail "--format fasta differs"
    for way in fasta phy; do
        expect 0 '' "${of_random[@]}" --device cpu --quiet --split -o "s.v1.$way"
        [ ! -e "s.v1.$way" ] || fail "--split wrote s.v1.$way"
        { rows "s.v1.reference.$way" && rows "s.v1.reads.$way"; } | cmp - whole || fail "--split $way differs"
    done
}

# What EPA-ng's reader takes, as its source has it (v0.3.8; genesis' FASTA reader): a line '>' and a name of visible
# ASCII, a line of letters, IUPAC's and gaps; all rows of both files of one width; the reference's names the tips of the
# tree, the queries' none of them. From messy files, too: packed, wrapped, with Windows line ends, names with every sign.
case_split_for_epa_ng() {
    local width more file names="a|b=c/d#e{\"* it's (x,y):[z]; ~"
    # Names that FASTA can have and other formats cannot, quoted in the tree; reads with descriptions, gaps, lower case, U.
    printf "(('it''s(1)':1,'b:[2]'[c]:1):1,\n('c,d;':1,\"d\":1):1,e=|/#{}*:2)root;\n" >messy.nwk
    awk -v names="it's(1) b:[2] c,d; \"d\" e=|/#{}*" 'BEGIN { split(names, name, " ") }
        NR > 1 { printf ">%s a row\r\n%s\r\n\r\n%s\r\n", name[NR - 1], substr($2, 1, 9), substr($2, 10) }' ref.phy >messy.ref.fasta
    awk -v names="$names" 'BEGIN { count = split(names, name, " ")
        for (r = 1; r <= count; r++) {
            printf ">%s\tread %d\r\nGTacg-TA\r\n  CGUN\r\n", name[r], r
            if (r % 2) printf "TTTTGG\r\n"
        } }' | gzip >messy.fasta.gz
    for more in '' --keep-insertions; do
        # shellcheck disable=SC2086
        expect 0 '' --tree messy.nwk --reference messy.ref.fasta --reads messy.fasta.gz --device cpu --quiet --split \
            -o q.fasta --insertion 1 $more
        width=$(sed -n 2p q.reference.fasta | tr -d '\n' | wc -c)
        [ "$width" -ge 20 ] || fail "$width columns"
        [ -z "$more" ] || [ "$width" -gt 20 ] || fail "no insertion"
        for file in q.reference.fasta q.reads.fasta; do
            LC_ALL=C awk -v width="$width" 'NR % 2 ? !/^>[!-~]+$/ : !/^[ACGTUNacgtun-]+$/ || length($0) != width {
                print FILENAME ":" NR ": " $0; wrong = 1 } END { exit wrong || NR == 0 || NR % 2 }' $file || fail "no FASTA for EPA-ng"
        done
        [ "$(sed -n 's/^>//p' q.reference.fasta | xargs -d '\n')" = "it's(1) b:[2] c,d; \"d\" e=|/#{}*" ] ||
            fail "the reference's names: $(cat q.reference.fasta)"
        [ "$(sed -n 's/^>//p' q.reads.fasta | xargs -d '\n')" = "$names" ] || fail "the reads' names: $(cat q.reads.fasta)"
    done
    sed -n '2~2p' q.reads.fasta | tr -d - | sort | uniq -c | tr -s ' ' '\n' | xargs >letters
    [ "$(cat letters)" = '2 GTacgTACGUN 2 GTacgTACGUNTTTTGG' ] || fail "the reads' letters: $(cat letters)"
}

# The reference's rows are as they were; a read's row without gaps is the read without the letters that were left out,
# and the count of those is what is said; with --keep-insertions it is the read, and without the new columns all is as
# before.
case_written_alignment() {
    local said
    random 2 20 120 200 90 ACGT
    "$program" align-reads "${of_random[@]}" --device cpu --table t.tsv -o plain.phy 2>err || fail "$(cat err)"
    head -n 21 plain.phy | tail -n 20 | cmp - <(tail -n 20 random.phy) || fail "the reference has changed"
    rows random.fasta >reads
    said=$(sed -n 's/.*note: left out \([0-9]*\) letters without a site, in .* reads, the first of them .*/\1/p' err)
    tail -n 200 plain.phy | awk -v said="$said" '
        NR == FNR { read[$1] = $2; next }
        { text = $2; gsub("-", "", text); lost = length(read[$1]) - length(text); all += lost
          if (length($2) != 120) { print $1, "has", length($2), "columns"; exit 1 }
          # What is left is the read with letters taken out.
          k = 1
          for (i = 1; i <= length(read[$1]) && k <= length(text); i++)
              if (substr(read[$1], i, 1) == substr(text, k, 1)) k++
          if (k <= length(text)) { print $1, "is not its read"; exit 1 } }
        END { if (all == 0 || all != said) { print all, "letters lost, said", said; exit 1 } }' reads - ||
        fail "the reads' rows"
    awk -F'\t' 'NR > 1 { all += $7 } END { exit all == 0 }' t.tsv || fail "the table has no insertion"
    "$program" align-reads "${of_random[@]}" --device cpu --keep-insertions -o kept.phy 2>err || fail "$(cat err)"
    says "added [0-9]+ columns for $said letters without a site, in .* reads"
    tail -n 200 kept.phy | sed 's/-//g' | cmp - reads || fail "--keep-insertions lost letters"
    # New columns: those that are gaps in all of the reference. No column of the random reference is.
    awk 'FNR == 1 { next }
        NR == FNR && FNR <= 21 { for (c = 1; c <= length($2); c++) if (substr($2, c, 1) != "-") old[c] = 1 }
        NR != FNR { text = ""
            for (c = 1; c <= length($2); c++) if (c in old) text = text substr($2, c, 1)
            print $1, text }' kept.phy kept.phy | cmp - <(tail -n +2 plain.phy) || fail "old columns differ"
}

# Where insertions cost nothing there are many, before the first site and behind the last, and reads of nothing else;
# none gets lost.
case_many_insertions() {
    local costs
    random 6 12 70 60 60 ACGT
    rows random.fasta >reads
    for costs in '--insertion 0' '--insertion 0 --gap-open 0 --gap-extend 0' '--mismatch 255 --insertion 1 --cgap 0'; do
        # shellcheck disable=SC2086
        expect 0 '' "${of_random[@]}" --device cpu --quiet --keep-insertions -o kept.fasta --table t.tsv $costs
        rows kept.fasta | tail -n 60 | sed 's/-//g' | cmp - reads || fail "$costs: letters are lost"
        rows kept.fasta | awk '{ print length($2) }' | sort -u | wc -l | grep -qx 1 || fail "$costs: unequal rows"
        awk -F'\t' 'NR > 1 { all += $7; if (($8 == "NA") != ($6 == $7)) exit 1 } END { exit all < 100 }' t.tsv ||
            fail "$costs: the table: $(cat t.tsv)"
    done
}

# Every device, number of threads, limit of memory and stage gives the same bytes, in all files.
case_same_everywhere() {
    local way stage outputs=(-o o.phy --table t.tsv --numbered-tree n.nwk --keep-insertions --quiet)
    random 3 14 40 24 30 ACGT
    expect 0 '' "${of_random[@]}" "${outputs[@]}" --device cpu
    cat o.phy t.tsv n.nwk >first
    for way in '--device cpu --threads 1' '--device cpu --threads 5' '--device sim' '--device sim --memory 2M' \
        '--device hybrid:sim' '--device hybrid:sim --threads 1'; do
        # shellcheck disable=SC2086
        expect 0 '' "${of_random[@]}" "${outputs[@]}" $way
        cat o.phy t.tsv n.nwk | cmp - first || fail "$way differs"
    done
    expect 4 'takes a read of [0-9]+ letters and a vector of 40 sites in 1.0 MiB of its memory; 0' "${of_random[@]}" \
        --device sim --memory 1M --quiet
    head -n 8 random.fasta >few.fasta
    expect 0 '' "${of_random[@]:0:4}" --reads few.fasta "${outputs[@]}" --device cpu
    cat o.phy t.tsv n.nwk >first
    for stage in "$source"/papara/[0-9][0-9]_*/; do
        expect 0 '' "${of_random[@]:0:4}" --reads few.fasta "${outputs[@]}" --device sim --variant "papara/$(basename "$stage")"
        cat o.phy t.tsv n.nwk | cmp - first || fail "$stage differs"
    done
}

# Reads packed, from standard input, as FASTQ, with Windows line ends: the same. So is a packed reference.
case_input_forms() {
    random 4 8 50 20 40 ACGT
    expect 0 '' "${of_random[@]}" --device cpu --quiet
    mv out first
    local both=("${of_random[@]:0:4}" --device cpu --quiet)
    gzip -k random.fasta random.phy random.nwk
    expect 0 '' "${both[@]}" --reads random.fasta.gz
    cmp out first || fail "gzip differs"
    expect 0 '' --tree random.nwk.gz --reference random.phy.gz --reads random.fasta --device cpu --quiet
    cmp out first || fail "gzip of the reference differs"
    expect 0 '' "${both[@]}" --reads - <random.fasta
    cmp out first || fail "standard input differs"
    sed 's/$/\r/' random.fasta >dos.fasta
    expect 0 '' "${both[@]}" --reads dos.fasta
    cmp out first || fail "Windows line ends differ"
    awk '/^>/ { print "@" substr($0, 2); next } { print; print "+"; gsub(".", "I"); print }' random.fasta >random.fq
    expect 0 '' "${both[@]}" --reads random.fq
    cmp out first || fail "FASTQ differs"
    { printf '\xef\xbb\xbf' && sed 's/^>/\n>/' random.fasta; } >marked.fasta
    { printf '\xef\xbb\xbf' && sed 's/$/\r/' random.nwk; } >marked.nwk
    expect 0 '' --tree marked.nwk --reference random.phy --device cpu --quiet --reads marked.fasta
    cmp out first || fail "a byte-order mark and blank lines differ"
    rows random.phy | awk '{ print ">" $1; print substr($2, 1, 30); print substr($2, 31) }' >random.ref.fasta
    expect 0 '' --tree random.nwk --reference random.ref.fasta --reads random.fasta --device cpu --quiet
    cmp out first || fail "a reference in FASTA differs"
}

case_protein() {
    random 5 15 80 40 50 ARNDCQEGHILKMFPSTWYV
    expect 3 "random.phy:2: row 't0': found '[A-Z]' as letter [0-9]+; expected a nucleotide \(IUPAC\), '-', '.' or '\?'; proteins need --protein" \
        "${of_random[@]}" --device cpu --quiet
    expect 0 '' "${of_random[@]}" --device cpu --quiet --protein --table t.tsv
    mv out first
    expect 0 '' "${of_random[@]}" --device sim --quiet --protein
    cmp out first || fail "sim differs"
    awk -F'\t' 'NR > 1 && ($2 > 26 || $3 < 0) { exit 1 }' t.tsv || fail "the table: $(cat t.tsv)"
    "$program" align-reads "${files[@]}" --device cpu --protein >out 2>err || fail "$(cat err)"
    says 'note: reads.fasta: 100 % of the letters are A, C, G, T, U or N; --protein treats them as amino acids'
}

# A tree as deep as it has taxa.
case_ladder() {
    awk 'BEGIN { srand(1); taxa = 20000
        for (i = 2; i < taxa; i++) printf "(" >"ladder.nwk"
        printf "t0" >"ladder.nwk"
        for (i = 1; i < taxa - 2; i++) printf ",t%d)", i >"ladder.nwk"
        printf ",t%d,t%d);\n", taxa - 2, taxa - 1 >"ladder.nwk"
        print taxa, 12 >"ladder.phy"
        for (i = 0; i < taxa; i++) {
            text = ""
            for (c = 0; c < 12; c++) text = text substr("ACGT", 1 + int(rand() * 4), 1)
            print "t" i, text >"ladder.phy"
        } }'
    printf '>r\n%s\n' "$(awk '$1 == "t12345" { print $2 }' ladder.phy)" >r.fasta
    expect 0 '' --tree ladder.nwk --reference ladder.phy --reads r.fasta --device cpu --quiet --table t.tsv -o o.phy
    awk -F'\t' 'NR == 2 { exit !($3 == 0 && $2 < 39997) }' t.tsv || fail "$(cat t.tsv)"
}

# Letters as people have them: accepted, kept as they are, and counted where something is left out.
case_messy_letters() {
    printf '>r1\ngtacgTACgu\n>r2\nTTG-TAC..GAA?C\n>r3\nNNNRYACGT\n>r4\nA-C\n' >messy.fasta
    "$program" align-reads --tree ref.nwk --reference ref.phy --reads messy.fasta --device cpu >out 2>err ||
        fail "$(cat err)"
    grep -qx 'r1 --gtacgTACgu--------' out || fail "lower case, U: $(cat out)"
    grep -qx 'r2 TTGTACGAAC----------' out || fail "gaps: $(cat out)"
    says "note: messy.fasta: 5 '-', '.' or '\?' left out of 2 reads, the first of them 'r2'"
    sed 's/^a ACG/a ?.g/; s/^e .*/e --------------------/' ref.phy >messy.phy
    "$program" align-reads --tree ref.nwk --reference messy.phy --reads reads.fasta --device cpu >out 2>err ||
        fail "$(cat err)"
    grep -qx 'a ?-gTACGTACGTACGTACGT' out || fail "the reference's letters: $(cat out)"
    says "note: messy.phy: 2 '.' or '\?' taken for gaps in row 'a'; '.' is written as '-'"
    says "note: messy.phy: only gaps in row 'e'"
    sed 's/^e .*/e --nNN---------------/' ref.phy >messy.phy
    "$program" align-reads --tree ref.nwk --reference messy.phy --reads reads.fasta --device cpu >out 2>err ||
        fail "$(cat err)"
    says "note: messy.phy: only gaps and N in row 'e'"
    # '.' is a gap where the first row has one, or a '.' somewhere; else it may mean the first row's letter.
    local edit
    for edit in 's/^a ACG/a ?-g/; s/^c TTG/c ..G/' 's/^a ACG/a .CG/; s/^c TTG/c T../'; do
        sed "$edit" ref.phy >messy.phy
        "$program" align-reads --tree ref.nwk --reference messy.phy --reads reads.fasta --device cpu >out 2>err ||
            fail "$(cat err)"
        says "note: messy.phy: 3 '.' or '\?' taken for gaps in 2 rows, the first of them 'a'"
    done
    sed 's/^c TTG/c TT./' ref.phy >messy.phy
    expect 3 "messy.phy:4: row 'c': found '.' as letter 3, where the first row has 'G': a gap, or the same\? expected '-' or a letter\$" \
        --tree ref.nwk --reference messy.phy --reads reads.fasta --device cpu --quiet
    sed 's/^\(. ...\)./\1-/' ref.phy >column.phy
    expect 0 '' --tree ref.nwk --reference column.phy --reads reads.fasta --device cpu --quiet
}

case_letters_refused() {
    printf '>r1\nACGT\n>r2\nAC-GJT\n' >bad.fasta
    expect 3 "bad.fasta:3: read 'r2': found 'J' as letter 5; expected a nucleotide \(IUPAC\), '-', '.' or '\?'; proteins need --protein" \
        --tree ref.nwk --reference ref.phy --reads bad.fasta --device cpu --quiet
    printf '>r1\nACGT*\n' >bad.fasta
    expect 3 "bad.fasta:1: read 'r1': found '\*' as letter 5; expected an amino acid \(IUPAC\), '-', '.' or '\?'$" \
        --tree ref.nwk --reference ref.phy --reads bad.fasta --device cpu --quiet --protein
    sed 's/^c TT/c T!/' ref.phy >bad.phy
    expect 3 "bad.phy:4: row 'c': found '!' as letter 2; expected a nucleotide" \
        --tree ref.nwk --reference bad.phy --reads reads.fasta --device cpu --quiet
}

case_reads_refused() {
    local both=(--tree ref.nwk --reference ref.phy --device cpu --quiet)
    printf '>r1\nACGT\n>none\n>r3\nAC\n' >bad.fasta
    expect 3 "bad.fasta:3: sequence 'none' has no letters; expected at least one" "${both[@]}" --reads bad.fasta
    printf '>r1\nACGT\n>gaps\n-..?\n>more\n--\n' >bad.fasta
    expect 3 "bad.fasta:3: read 'gaps': found no letters, or only gaps; expected at least one letter \(2 such reads\)" \
        "${both[@]}" --reads bad.fasta
    printf '>fits\nACGTACGTACGTACGTACGT\n>gaps\nACGTACGTACGTACGTA--CGT\n>long\nACGTACGTACGTACGTACGTA\n' >bad.fasta
    expect 3 "bad.fasta:5: read 'long': found 21 letters; expected at most 20, the reference's sites \(1 read is longer\)" \
        "${both[@]}" --reads bad.fasta
    printf '>x\nACGT\n>y\nACG\n>x more\nACGT\n' >bad.fasta
    expect 3 "bad.fasta:5: read 'x': has the name of the read in line 1; expected another name" "${both[@]}" --reads bad.fasta
    printf '>x\nACGT\n>b\nACG\n' >bad.fasta
    expect 3 "bad.fasta:3: read 'b': has the name of the row in line 3 of ref.phy; expected another name" \
        "${both[@]}" --reads bad.fasta
    : >bad.fasta
    expect 3 'bad.fasta: ' "${both[@]}" --reads bad.fasta
}

# Two reads of one name are a pair, as in files of paired ends that were joined; three are a mistake.
case_paired_reads() {
    local both=(--tree ref.nwk --reference ref.phy --device cpu --quiet)
    printf '>x 1\nACGTACGT\n>y\nACGTTT\n>z\nACG\n>x 2\nACGTAC\n>y\nACGA\n' >pairs.fasta
    expect 3 "pairs.fasta:7: read 'x': has the name of the read in line 1; expected another name, or --paired for the two reads of a pair\$" \
        "${both[@]}" --reads pairs.fasta
    expect 0 '' "${both[@]}" --reads pairs.fasta --paired -o paired.phy --table paired.tsv
    sed 's,>x 1,>x/1,; s,>x 2,>x/2,; 3s,>y,>y/1,; 9s,>y,>y/2,' pairs.fasta >apart.fasta
    expect 0 '' "${both[@]}" --reads apart.fasta -o apart.phy --table apart.tsv
    cmp paired.phy apart.phy || fail 'the alignments differ'
    cmp paired.tsv apart.tsv || fail 'the tables differ'
    printf '>x\nACGA\n' >>pairs.fasta
    expect 3 "pairs.fasta:7: read 'x': has the name of the read in line 1; expected another name\$" "${both[@]}" --reads pairs.fasta --paired
    printf '>a\nACGT\n>a\nACGT\n' >rows.fasta # a row's name with a number is another one
    expect 0 '' "${both[@]}" --reads rows.fasta --paired -o rows.phy
    expect 0 '' "${both[@]}" --reads apart.fasta --paired -o again.phy
    cmp again.phy apart.phy || fail 'reads of different names are renamed'
}

case_tree_refused() {
    local both=(--reference ref.phy --reads reads.fasta --device cpu --quiet)
    echo '((a,b),(c,d),f);' >bad.nwk
    expect 3 "bad.nwk:1: found 1 tip of the tree that ref.phy lacks, the first 'f'; expected a row for every tip" \
        "${both[@]}" --tree bad.nwk
    echo "((a,b),(c,d),'b ');" >bad.nwk
    expect 3 "the first 'b '; expected a row for every tip \(it has 'b'\)\$" "${both[@]}" --tree bad.nwk
    sed 's/^e/e_x_e/' ref.phy >blanks.phy
    echo "((a,b),(c,d),'e x e');" >bad.nwk
    expect 3 "the first 'e x e'; expected a row for every tip \(it has 'e_x_e'\)\$" "${both[@]:2}" --reference blanks.phy \
        --tree bad.nwk
    echo "((a,b),(C,d),e);" >bad.nwk
    expect 3 "the first 'C'; expected a row for every tip \(it has 'c'\)\$" "${both[@]}" --tree bad.nwk
    echo "((a,b),(c,d),'e of the sea');" >bad.nwk # as in '>e of the sea'
    expect 3 "the first 'e of the sea'; expected a row for every tip \(it has 'e'\)\$" "${both[@]}" --tree bad.nwk
    echo "((a,b),(c,d),e_of);" >bad.nwk
    expect 3 "the first 'e_of'; expected a row for every tip\$" "${both[@]}" --tree bad.nwk
    echo '((a,b),(c,d));' >bad.nwk
    expect 3 "ref.phy: found 1 row that the tree in bad.nwk lacks, the first 'e'; expected a tip for every row" \
        "${both[@]}" --tree bad.nwk
    printf '((a,b),\n(c,d),(e,a));\n' >bad.nwk
    expect 3 "bad.nwk:2: found the taxon 'a' again, after line 1; expected every name once" "${both[@]}" --tree bad.nwk
    echo '((a,b),(c,d),e' >bad.nwk
    expect 3 "bad.nwk:2:1: the text ends with 1 '\(' open" "${both[@]}" --tree bad.nwk
    printf '2 4\na ACGT\nb ACGT\n' >two.phy
    echo '(a,b);' >two.nwk
    printf '>r\nAC\n' >r.fasta
    expect 3 'two.nwk: found a tree of 2 tips; expected at least 3' \
        --tree two.nwk --reference two.phy --reads r.fasta --device cpu --quiet
}

case_reference_refused() {
    local both=(--tree ref.nwk --reads reads.fasta --device cpu --quiet)
    sed 's/^c TT/c T/' ref.phy >bad.phy
    expect 3 "bad.phy:5: 'c' of line 4 has 40 letters with this line and 19 without; expected 20" \
        "${both[@]}" --reference bad.phy
    sed 's/^c /a /' ref.phy >bad.phy
    expect 3 "bad.phy:4: found the name 'a' again; expected one row of that name \(line 2 has it\)" \
        "${both[@]}" --reference bad.phy
    printf '>a\nACGT\n>b\nACG\n' >bad.fasta
    expect 3 "bad.fasta:3: sequence 'b' has 3 letters; expected 4, as 'a' in line 1 has" "${both[@]}" --reference bad.fasta
}

# The same output from NEXUS, named or not; another format is refused under this name.
case_reference_nexus() {
    printf '%s\n' '#NEXUS' 'begin data;' 'dimensions ntax=5 nchar=20;' 'format datatype=dna gap=-;' matrix "$(tail -n 5 ref.phy)" \
        ';' 'end;' >ref.nex
    local both=(--tree ref.nwk --reads reads.fasta --device cpu --quiet)
    expect 0 '' "${cpu[@]}" -o phylip.phy
    expect 0 '' "${both[@]}" --reference ref.nex -o auto.phy
    expect 0 '' "${both[@]}" --reference ref.nex --input-format nexus -o named.phy
    cmp phylip.phy auto.phy || fail "NEXUS gives another output"
    cmp phylip.phy named.phy || fail "nexus gives another output"
    expect 3 "ref.phy: found no '#NEXUS' at the beginning" "${both[@]}" --reference ref.phy --input-format nexus
}

# Names with blanks, quoted in the tree and in a strict PHYLIP file: every program would end them at the blank.
case_names_with_blanks() {
    awk 'NR == 1 { print; next } { printf "%-10s%s\n", "taxon " $1, $2 }' ref.phy >strict.phy
    sed "s/\([a-e]\):/'taxon \1':/g" ref.nwk >blank.nwk
    local both=(--tree blank.nwk --reference strict.phy --reads reads.fasta --device cpu --quiet)
    local blank="strict.phy:2: row 'taxon a': has a blank in its name, where programs end names; expected none, as in 'taxon_a'"
    expect 3 "$blank" "${both[@]}"
    expect 3 "$blank" "${both[@]}" -o o.fasta --split
    expect 3 "$blank" "${both[@]}" --input-format phylip-strict -o o.fasta
    expect 3 'strict.phy:' "${both[@]}" --input-format phylip -o o.fasta
    tr ' ' _ <blank.nwk >joined.nwk
    awk '$1 == "taxon" { $1 = $1 "_" $2; $2 = "" } { print }' strict.phy >joined.phy
    expect 0 '' --tree joined.nwk --reference joined.phy "${both[@]:4}" -o o.phy
    grep -q '^taxon_a ' o.phy || fail "$(cat o.phy)"
}

# RAxML places what was written, and refuses what a note says that it refuses. (Debian's raxml.)
case_raxml() {
    command -v raxmlHPC >/dev/null || exit 77
    local name long fits=(--tree small/tree.nwk --reference small/reference.fasta --device cpu)
    raxml() { raxmlHPC -f v -t small/tree.nwk -s "$1" -m GTRGAMMA -n "$2" >raxml.out 2>&1; }
    "$program" simulate-reads --taxa 8 --sites 120 --reads 6 --length 30-50 --indel-error 0.02 --seed 2 --out small \
        --quiet || fail "exit code $?"
    sed -i '2,/>/ s/-/./' small/reference.fasta
    expect 0 '' "${fits[@]}" --reads small/reads.fasta --quiet -o o.phy --keep-insertions --table t.tsv
    awk -F'\t' '{ inserted += $7 } END { exit inserted == 0 }' t.tsv || fail "no insertion: $(cat t.tsv)"
    raxml o.phy all || fail "$(cat raxml.out)"
    [ "$(grep -c '"n":\["r[1-6]"\]' RAxML_portableTree.all.jplace)" -eq 6 ] || fail "$(cat RAxML_portableTree.all.jplace)"
    # A sequencer's failed read is nothing but N. It has no place, and RAxML refuses the whole file if it is there.
    cp small/reads.fasta unknown.fasta
    printf '>failed\nNNNNNNNN\n>nothing\n--nN\n' >>unknown.fasta
    "$program" align-reads "${fits[@]}" --reads unknown.fasta -o unknown.phy --left-out left.fasta --keep-insertions 2>err ||
        fail "$(cat err)"
    says "note: left out 2 reads, the first of them 'failed', with nothing but N, or X in proteins\$"
    cmp o.phy unknown.phy || fail "they change other reads"
    printf '>%s\n' $'failed left out: nothing but N or X, line 13\nNNNNNNNN' $'nothing left out: nothing but N or X, line 15\nnN' |
        cmp - left.fasta || fail "$(cat left.fasta)"
    printf '>failed\nNNNN\n' >unknown.fasta
    expect 3 'unknown.fasta: found no read that can be aligned; all 1 are .*nothing but N' "${fits[@]}" --reads unknown.fasta
    # The tree that RAxML writes, without its numbers, gets the same ones here.
    sed -n 's/.*"tree": "\(.*;\)".*/\1/p' RAxML_portableTree.all.jplace >raxml.nwk
    sed 's/{[0-9]*}//g' raxml.nwk >plain.nwk
    expect 0 '' --tree plain.nwk "${fits[@]:2}" --reads small/reads.fasta --quiet -o o.phy --numbered-tree n.nwk
    [ "$(sed 's/:[0-9.]*//g' n.nwk)" = "$(sed 's/:[0-9.]*//g' raxml.nwk)" ] || fail "$(cat raxml.nwk) and $(cat n.nwk)"
    long=$(printf 'n%.0s' {1..256})
    for name in M001:45:1101 "$long" 'a|b=c/d#e{"*'; do
        awk -v name="$name" '$0 == ">r1" { $0 = ">" name } { print }' small/reads.fasta >names.fasta
        "$program" align-reads "${fits[@]}" --reads names.fasta -o o.phy 2>err || fail "$(cat err)"
        if raxml o.phy names; then
            grep -q 'RAxML' err && fail "RAxML takes $name, but: $(cat err)"
        else
            says "note: RAxML refuses name '${name:0:80}': a name may have none of :,\(\)\[\];' and at most 255 letters there\$"
        fi
        rm -f RAxML_*
    done
}

# EPA-ng, pplacer and RAxML number the edges of these trees in the same way. pplacer gives the root a number too, the last.
case_edge_numbers() {
    local by tree expected
    printf '>%s\nACGTACGT\n' t1 t2 t3 t4 t5 t6 t7 t8 >eight.fasta
    printf '>r\nACGT\n' >four.fasta
    while IFS=$'\t' read -r by tree expected; do
        echo "$tree" >tree.nwk
        expect 0 '' --tree tree.nwk --reference eight.fasta --reads four.fasta --device cpu --quiet -o /dev/null \
            --format phylip --numbered-tree n.nwk
        [ "$(sed 's/:[0-9.]*//g' n.nwk)" = "$(sed -E 's/\)\{[0-9]+\};/);/' <<<"$expected")" ] ||
            fail "$by: $expected, not $(cat n.nwk)"
    done < <(grep -v '^#' "$source/tests/tools/align_reads/edge_numbers.tsv")
}

# What a read costs by chance is found from a few reads turned around; those that cost as much are counted, tried on the other strand,
# or left out. (What each strand costs, compare.py checks.)
case_strands() {
    local fits=(--tree small/tree.nwk --reference small/reference.fasta --device cpu -o o.fasta)
    "$program" simulate-reads --taxa 8 --sites 300 --reads 40 --length 60-90 --depth 0.2 --seed 3 --out small --quiet || fail "exit code $?"
    awk '!/^>/ && NR <= 60 { read = ""; for (i = length($0); i > 0; i--) { c = substr($0, i, 1)
         read = read substr("TGCA", index("ACGT", c), 1) } $0 = read } { print }' small/reads.fasta >mixed.fasta
    expect 0 '' "${fits[@]}" --reads small/reads.fasta --quiet --table t.tsv
    "$program" align-reads "${fits[@]}" --reads small/reads.fasta 2>err
    grep -q 'score per letter' err && fail "of related reads: $(cat err)"
    "$program" align-reads "${fits[@]}" --reads mixed.fasta 2>err
    says "note: 30 reads, the first of them 'r01': score per letter above 0\.[0-9]+; unrelated reads have about [0-9.]+; [34] of 4 reads tried fit better on the other strand, see --strand\$"
    for way in auto both; do
        "$program" align-reads "${fits[@]}" --reads mixed.fasta --strand $way --table mixed.tsv 2>err
        says "note: aligned as reverse complement: 30 reads, the first of them 'r01'; --table shows the strands\$"
        [ "$(cut -f 10 mixed.tsv | tail -n +2 | uniq -c | awk '{ printf "%s%s", $1, $2 }')" = 30-10+ ] || fail "$(cat mixed.tsv)"
        diff <(cut -f 1-9 t.tsv) <(cut -f 1-9 mixed.tsv) || fail "--strand $way: not what the reads are the right way"
    done
    # As many are left out, as they were in the file.
    "$program" align-reads "${fits[@]}" --reads mixed.fasta --max-score-per-letter 0.5 --left-out left.fasta --table mixed.tsv 2>err
    says "note: left out 30 reads, the first of them 'r01', with a score per letter above --max-score-per-letter\$"
    diff <(sed -E 's/ left out: score per letter (0\.[5-9]|[1-9]\.)[0-9]+, line [0-9]+$//' left.fasta) <(head -n 60 mixed.fasta) ||
        fail "$(head left.fasta)"
    diff <(cut -f 1-9 t.tsv | tail -n 10) <(cut -f 1-9 mixed.tsv | tail -n +2) || fail "the reads that stay"
    "$program" align-reads "${fits[@]}" --reads mixed.fasta --strand minus --max-score-per-letter 0.5 --left-out left.fasta 2>err
    diff <(sed 's/ left out.*//' left.fasta) <(tail -n 20 mixed.fasta) || fail "not as they were: $(head left.fasta)"
    expect 2 "option --strand: found 'both' with --protein; expected plus" "${cpu[@]}" --protein --strand both
    expect 2 'option --max-score-per-letter: found .-1.; expected a number from 0' "${cpu[@]}" --max-score-per-letter -1
}

# A read that cannot be aligned need not refuse all.
case_bad_reads() {
    local both=(--tree ref.nwk --reference ref.phy --device cpu -o o.phy)
    printf '>r1\nACGT\n>none\n>gaps\n--\n>r1 again\nAC\n>b\nACG\n>r2\nGGGT\n>long\nACGTACGTACGTACGTACGTA\n>none\nACGT\n>end' >bad.fasta
    "$program" align-reads "${both[@]}" --reads bad.fasta --bad-reads skip --left-out left.fasta 2>err || fail "$(cat err)"
    says "note: left out 3 reads, the first of them 'none', without letters\$"
    says "note: left out read 'b', with the name of a row\$"
    says "note: left out read 'r1', with the name of another read\$"
    says "note: left out read 'long', with more letters than there are sites\$"
    says 'align-reads: 3 reads, 12 letters; '
    [ "$(tail -n 3 o.phy | cut -d' ' -f 1 | xargs)" = 'r1 r2 none' ] || fail "$(cat o.phy)"
    printf '>%s\n' 'none left out: no letters, line 3' 'gaps left out: no letters, line 4' \
        $'r1 left out: name of another read, line 6\nAC' $'b left out: name of a row, line 8\nACG' \
        $'long left out: 21 letters, 20 sites, line 12\nACGTACGTACGTACGTACGTA' 'end left out: no letters, line 16' |
        cmp - left.fasta || fail "$(cat left.fasta)"
    printf '@r1\nACGT\n+\n!!!!\n@none\n\n+\n\n@r2\nGG\n+\n!!\n' >bad.fastq
    expect 0 '' "${both[@]}" --reads bad.fastq --bad-reads skip --quiet
    [ "$(tail -n 2 o.phy | cut -d' ' -f 1 | xargs)" = 'r1 r2' ] || fail "$(cat o.phy)"
    expect 3 "bad.fastq:5: sequence 'none' has no letters" "${both[@]}" --reads bad.fastq --quiet
    printf '>none\n>b\nA\n' >bad.fasta
    expect 3 'bad.fasta: found no read that can be aligned; all 2 are' "${both[@]}" --reads bad.fasta --bad-reads skip
    printf '>r\nA*C\n' >bad.fasta # a letter of no nucleotide is no bad read but a wrong file
    expect 3 "bad.fasta:1: read 'r': found '\*' as letter 2" "${both[@]}" --reads bad.fasta --bad-reads skip
}

# The last line on stderr; nothing with --quiet.
case_summary() {
    local what='3 reads, 37 letters; 5 taxa, 20 sites, 7 edges; '
    local speed='scoring [0-9.]+ s, [0-9.]+ GCUPS, [0-9.]+ s of processor time, on 2 CPU threads \(cpu_simd, [^)]+\)'
    expect 0 "align-reads: $what$speed; aligning [0-9.]+ s; [0-9.]+ s in all\$" "${files[@]}" --device cpu --threads 2
    # Simulated time is no time.
    expect 0 "align-reads: ${what}on simulated device \(0[0-9]_[a-z_0-9]+\)\$" "${files[@]}" --device sim
    expect 0 "align-reads: ${what}on 1 CPU thread \(.*\) \([0-9.]+ %\) and simulated device \(.*\) \([0-9.]+ %\)\$" \
        "${files[@]}" --device hybrid:sim --threads 1
}

# Full disks and closed streams are told; a file that was there stays.
case_cannot_write() {
    [ -e /dev/full ] || exit 77
    expect 4 '/dev/full' "${cpu[@]}" -o /dev/full --format phylip
    echo old >t.tsv
    expect 4 '/dev/full' "${cpu[@]}" --format phylip --table t.tsv -o /dev/full
    [ "$(cat t.tsv)" = old ] || fail "the table was written"
    echo old >o.phy
    expect 4 '/dev/full' "${cpu[@]}" -o o.phy --numbered-tree n.nwk --table /dev/full
    [ "$(cat o.phy; ls n.nwk 2>/dev/null)" = old ] || fail "o.phy or n.nwk was written"
    "$program" align-reads "${cpu[@]}" 2>err >&-
    local code=$?
    [ $code -eq 4 ] || fail "standard output closed: exit code $code: $(cat err)"
    says 'standard output: '
    "$program" align-reads "${cpu[@]}" --table t.tsv 2>err >/dev/full
    code=$?
    [ $code -eq 4 ] || fail "standard output full: exit code $code: $(cat err)"
    [ "$(cat t.tsv)" = old ] || fail "the table was written"
    expect 0 '' "${cpu[@]}" -o o.phy
    "$program" align-reads "${files[@]}" --device cpu -o p.phy 2>&- || fail "exit code $? without standard error"
    cmp o.phy p.phy || fail "the file has more in it"
}

# begun ARG...: `warpladder align-reads`, behind its outputs' opening, waiting for its reads; `ended` gives it them.
begun() {
    mkfifo pipe
    "$program" align-reads "${files[@]:0:4}" --reads pipe --device cpu --quiet "$@" >out 2>err &
    begun=$!
    exec 3>pipe # until it reads
}
ended() {
    cat reads.fasta >&3
    exec 3>&-
    rm pipe
    wait "$begun"
}

# A name that cannot be given, as a folder has got it meanwhile: the outputs behind it have theirs, those before it do
# not, that of -o among them; the one line says so.
case_cannot_rename() {
    local code
    echo old >o.phy
    echo old >n.nwk
    begun -o o.phy --table t.tsv --numbered-tree n.nwk
    mkdir t.tsv
    ended
    code=$?
    [ $code -eq 2 ] || fail "exit code $code: $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] || fail "said $(cat err)"
    says 't.tsv: cannot rename the finished file to this: Is a directory; .*; new: n.nwk; as before: o.phy$'
    [ "$(cat o.phy)" = old ] || fail "o.phy is $(cat o.phy)"
    grep -q '{0}' n.nwk || fail "n.nwk is $(cat n.nwk)"
    [ -z "$(find . -name '.warp*')" ] || fail "left behind: $(ls -A)"
    rmdir t.tsv
    begun --split -o o.fasta --table t.tsv
    mkdir o.reference.fasta
    ended
    code=$?
    [ $code -eq 2 ] || fail "exit code $code: $(cat err)"
    says 'o.reference.fasta: cannot rename .*; new: o.reads.fasta, t.tsv$'
    [ -z "$(find . -name '.warp*')" ] || fail "left behind: $(ls -A)"
}

# Interrupted, it leaves nothing, and says why it ended.
case_interrupted() {
    random 7 60 300 100 60 ACGT
    "$program" align-reads "${of_random[@]}" --device sim -o o.phy --table t.tsv 2>err & # minutes
    local pid=$!
    sleep 1
    kill -TERM $pid
    wait $pid
    local code=$?
    [ $code -eq 143 ] || fail "exit code $code: $(cat err)"
    [ "$(find . -name 'o.phy' -o -name 't.tsv' -o -name '.warp*')" = '' ] || fail "left behind: $(ls -A)"
}

# No GPU, no hybrid; where there is one, the result is the same.
case_hybrid() {
    local code
    "$program" align-reads "${files[@]}" --device hybrid --quiet >out 2>err
    code=$?
    if [ $code -eq 4 ]; then
        says 'option --device hybrid: no GPU: '
        return
    fi
    [ $code -eq 0 ] || fail "exit code $code: $(cat err)"
    mv out first
    expect 0 '' "${cpu[@]}"
    cmp out first || fail "hybrid differs"
}

declare -F "case_$name" >/dev/null || fail "there is no case $name"
"case_$name"
