#!/usr/bin/env bash
# bash cases.sh path/to/warpladder NAME: one case of how `warpladder distances` behaves.
set -u
# shellcheck source=tests/support/expect.sh
source "$(dirname "$0")/../../support/expect.sh"
tool=distances
here=$(cd "$(dirname "$0")" && pwd)
cd "$folder" || exit 1

# is TEXT: the output is, letter by letter (printf's escapes).
is() {
    # shellcheck disable=SC2059
    printf "$1" | cmp - out || fail "wrote $(cat out), expected $(printf "$1")"
}

# Distances that are plain to see: a and b differ at site 2; N and - leave two of six sites out.
printf '>a first\nACGTN-\n>b\nATGTAC\n>c\nacgaAU\n' >small.fasta
cpu=(--device cpu --quiet)
alignment=(small.fasta "${cpu[@]}")

# random SEED INSTANCES SITES: random.fasta: sequences that differ, N and gaps among them.
random() {
    awk -v seed="$1" -v instances="$2" -v sites="$3" 'BEGIN {
        srand(seed)
        for (i = 0; i < instances; i++) {
            text = ""
            for (k = 0; k < sites; k++) text = text substr("ACGTACGTACGTACGTN-", 1 + int(18 * rand()), 1)
            printf ">s%d\n%s\n", i, text
        }
    }' >random.fasta
}

# vcf SAMPLES SITES: genotypes of all kinds, some of them missing.
vcf() {
    awk -v samples="$1" -v sites="$2" 'BEGIN {
        srand(7)
        printf "##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
        split("0/0 0/1 1|1 ./.", genotype, " ")
        printf "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
        for (i = 0; i < samples; i++) printf "\ts%d", i
        for (k = 1; k <= sites; k++) {
            printf "\n1\t%d\t.\tC\tA\t.\t.\t.\tGT", k
            for (i = 0; i < samples; i++) printf "\t%s", genotype[1 + int(4 * rand())]
        }
        print ""
    }'
}

# same ARG...: what is said of the file `it` and of the same bytes from a pipe, which another reader reads, is the same, letter by letter.
same() {
    local file piped
    "$program" distances it --device cpu "$@" >from_file 2>said_of_file
    file=$?
    # shellcheck disable=SC2002
    cat it | "$program" distances - --device cpu "$@" >from_pipe 2>said_of_pipe
    piped=$?
    [ $file -eq $piped ] || fail "a file: exit code $file: $(cat said_of_file); a pipe: $piped: $(cat said_of_pipe)"
    cmp from_file from_pipe || fail "a file and a pipe give different distances"
    sed -i -E 's/standard input/it/g; s/(computed in|nothing to compute;) .*//' said_of_file said_of_pipe
    cmp said_of_file said_of_pipe || fail "of a file: $(cat said_of_file); of a pipe: $(cat said_of_pipe)"
}

# Files are read by all threads at once, pipes one sequence after the other.
case_files_and_pipes() {
    random 3 300 301
    cp random.fasta it && same
    same --threads 3 --every-letter
    same --present ACGTN
    awk '/^>/ { print $0 " and a comment"; next } { print }' random.fasta | fold -w 60 >it && same
    awk '/^>/ { next } { print ">" NR; gsub("A", "W"); gsub("C", "L"); print; }' random.fasta >it && same # amino acids
    awk 'NR == 402 { sub("G", "Q") } /^>/ { print; next } { gsub("A", "W"); gsub("C", "L"); print; }' random.fasta >it && same
    head -c -1 random.fasta >it && same
    sed 's/$/\r/' random.fasta >it && same
    sed '500s/^/ /' random.fasta >it && same
    sed '501s/^/\n/' random.fasta >it && same
    tr ACGT acgu <random.fasta >it && same
    sed '600s/$/A/' random.fasta >it && same
    grep -q 'it:599: sequence .s299. has 302 letters' said_of_file || fail "of a long sequence: $(cat said_of_file)"
    sed '600s/^./E/' random.fasta >it && same
    grep -q "it:599: unknown letter 'E' at position 1" said_of_file || fail "of a letter: $(cat said_of_file)"
    sed '600s/^./1/' random.fasta >it && same
    sed '400s/^./\x01/' random.fasta >it && same
    sed '601s/^/>/;$a >' random.fasta >it && same
    sed '$a >last' random.fasta >it && same
    sed '599s/.*/>s7/' random.fasta >it && same
    grep -q 'it:599: found the name .s7. again, which line 15 has' said_of_file || fail "of a name: $(cat said_of_file)"
    sed '599s/.*/> s7/' random.fasta >it && same
    sed '1s/^/\n/' random.fasta >it && same
    printf '>a\n%s' ACGT >it && same
    awk 'BEGIN { for (i = 0; i < 9; i++) { print ">s" i; for (k = 0; k < 30000; k++) printf "%s", substr("ACGTN", 1 + (k * 7 + i * k) % 5, 1); print "" } }' >it
    same --layout list --compared
}

# column N WORD: what the table of --timings has in that column for the part WORD.
column() { awk -F '\t' -v part="$2" -v column="$1" '$1 == part { print $column }' err; }

# Kind: a part of a record that is not there. Samples that a BCF record lacks are no missing genotypes: without its record 1, s1 and s2 of
# this file would differ by 2, and by 3 with it.
case_record_without_samples() {
    expect 3 'no_samples.bcf: record 1: found 0 samples; expected 3, as in the header' "$here/no_samples.bcf" --measure alleles
}

case_timings() {
    random 5 400 3000
    "$program" distances random.fasta "${cpu[@]}" >plain 2>err || fail "without --timings"
    [ ! -s err ] || fail "without --timings: said $(cat err)"
    "$program" distances random.fasta "${cpu[@]}" --timings -o out 2>err || fail "--timings: $(cat err)"
    cmp plain out || fail "--timings changes what is written"
    head -1 err | grep -qx $'part\tseconds\tbytes\tgb_per_s\tbound_gb_per_s\tbound' || fail "the table begins $(head -1 err)"
    local part
    for part in read pack copy kernel 'copy back' format write; do
        [ -n "$(column 2 "$part")" ] || fail "no line for $part: $(cat err)"
    done
    [ "$(column 3 read)" -eq "$(stat -c %s random.fasta)" ] || fail "read $(column 3 read) bytes: $(cat err)"
    for part in read pack format write; do
        awk -v bound="$(column 5 "$part")" 'BEGIN { exit !(bound > 0) }' || fail "$part has no bound: $(cat err)"
    done
    awk -F '\t' '$1 == "all" { all = $2 } NR > 1 && $1 != "all" && $2 > sum { sum = $2 } END { exit !(all > 0 && sum <= all) }' err ||
        fail "a part takes longer than all: $(cat err)"
}

case_help() {
    expect 0 '' --help
    grep -q '^Usage: warpladder distances \[OPTION...\] INPUT' out || fail "no usage line"
    grep -q -- '-o, --output=FILE' out || fail "no -o"
    grep -q -- '-b, --blank-corner' out || fail "no -b"
    grep -q 'warpladder distances alignment.fasta.gz > distances.tsv' out || fail "no example"
}

case_options() {
    expect 2 'found no INPUT .INPUT2.; expected one'
    expect 2 "unexpected 'c.fasta'; expected INPUT" "${alignment[@]}" b.fasta c.fasta
    expect 2 "option --measure: found 'edit'; expected differences, alleles, ibs, euclidean2, manhattan, p-distance, jc69, k80, tn93 or logdet" "${alignment[@]}" --measure edit
    expect 2 "option --input-format: found 'bam'; expected auto, fasta, phylip, phylip-strict, nexus, vcf, plink, table or cgmlst" "${alignment[@]}" --input-format bam
    expect 2 "option --layout: found 'xls'; expected auto, tsv, csv, lower, phylip, list, molten, npy or phylip-strict" "${alignment[@]}" --layout xls
    expect 2 'option --molten: found with --layout; expected one of them' "${alignment[@]}" -m --layout tsv
    expect 2 'option --molten: found with --clusters; expected one' "${alignment[@]}" -m --clusters 1
    expect 2 'option --clusters: found with --layout; expected one' "${alignment[@]}" --layout tsv --clusters 1
    expect 2 'option --csv: found without --layout tsv' "${alignment[@]}" -c -o x.phy
    expect 2 'option --header: found without --layout list' "${alignment[@]}" -t
    expect 2 'option --max-distance: found without --layout list' "${alignment[@]}" --clusters 3 --max-distance 3
    expect 2 'option --clusters: found .-1.' "${alignment[@]}" --clusters -1
    expect 2 'option --clusters: found with --measure ibs' "${alignment[@]}" --measure ibs --clusters 0.1
    expect 2 'option --blank-corner: found without --layout tsv' "${alignment[@]}" -b --layout list
    expect 2 'option --blank-corner: found without --layout tsv' "${alignment[@]}" -b -o x.npy
    expect 2 'option --max-distance: found without --layout list' "${alignment[@]}" --max-distance 3
    expect 2 'option --compared: found without --layout list' "${alignment[@]}" --compared
    expect 2 'option --max-distance: found .-1.' "${alignment[@]}" --layout list --max-distance -1
    expect 2 'option --digits: 18 is out of range' "${alignment[@]}" --digits 18
    expect 2 'option --rescale: found with --measure ibs' "${alignment[@]}" --measure ibs --rescale
    expect 2 'option --max-distance: found with --measure ibs' "${alignment[@]}" --measure ibs --layout list --max-distance 0.1
    expect 2 'option --every-letter: found with --present' "${alignment[@]}" --present ACGT --every-letter
    expect 2 'option --present: found no letter' "${alignment[@]}" --present ''
    expect 2 'option --present: found with --input-format plink' "${alignment[@]}" --present ACGT --input-format plink
    expect 2 'option --restart: found without a file' "${alignment[@]}" --restart
    expect 2 'option --device' small.fasta --device abacus
    expect 2 "option --variant: 'distances/99\*'" "${alignment[@]}" --variant 'distances/99*'
    expect 2 'option --threads' "${alignment[@]}" --threads 0
    expect 2 'option --memory: found .1X.; expected bytes' "${alignment[@]}" --memory 1X
    expect 3 'small.fasta: the data are letters; expected genotypes of two or more alleles for the allele-count difference' "${alignment[@]}" --measure alleles
    expect 3 'small.fasta: the data are letters; expected nucleotides, A, C, G and T alone .--nucleotide, --present ACGT., for Kimura.*--measure differences or p-distance.$' "${alignment[@]}" --measure k80 --present ACGT-
    expect 2 'option --rescale: found with --measure tn93' "${alignment[@]}" --measure tn93 --rescale
    expect 3 'small.fasta: the data are letters; expected genotypes of two or more alleles for identity by state' "${alignment[@]}" --measure ibs
    expect 3 'small.fasta: the data are letters; expected genotypes, integers or real numbers for the squared Euclidean' "${alignment[@]}" --measure euclidean2
    expect 3 'none.fasta' none.fasta "${cpu[@]}"
    expect 3 'is a directory' . "${cpu[@]}"
}

# Letters are compared as snp-dists does it, and laid out as it lays them out.
case_known() {
    expect 0 '' "${alignment[@]}" -b
    is '\ta\tb\tc\na\t0\t1\t1\nb\t1\t0\t3\nc\t1\t3\t0\n'
    expect 0 '' "${alignment[@]}"
    head -n 1 out | grep -Eqx $'warpladder [0-9.]+\ta\tb\tc' || fail "the corner: $(head -n 1 out)"
    expect 0 '' "${alignment[@]}" --layout lower
    is 'a\nb\t1\nc\t1\t3\n'
    expect 0 '' "${alignment[@]}" --layout phylip
    is '3\na          0 1 1\nb          1 0 3\nc          1 3 0\n'
    expect 0 '' "${alignment[@]}" --layout list
    is 'a\tb\t1\na\tc\t1\nb\tc\t3\n'
    expect 0 '' "${alignment[@]}" --layout list --compared --max-distance 1
    is 'a\tb\t1\t4\na\tc\t1\t4\n'
    expect 0 '' "${alignment[@]}" --layout list --rescale
    is 'a\tb\t1.5\na\tc\t1.5\nb\tc\t3\n'
    expect 0 '' "${alignment[@]}" --layout list --present ACGTN-
    is 'a\tb\t3\na\tc\t3\nb\tc\t3\n'
    expect 0 '' "${alignment[@]}" --layout list --every-letter
    is 'a\tb\t3\na\tc\t3\nb\tc\t3\n'
    expect 0 '' "${alignment[@]}" --layout list --present AC --compared
    is 'a\tb\t0\t1\na\tc\t0\t2\nb\tc\t0\t2\n'
    # snp-dists' letters
    expect 0 '' small.fasta -q -c -b -j 1
    is ',a,b,c\na,0,1,1\nb,1,0,3\nc,1,3,0\n'
    expect 0 '' "${alignment[@]}" -b -o x.csv
    is ''
    cp x.csv out
    is ',a,b,c\na,0,1,1\nb,1,0,3\nc,1,3,0\n'
    expect 0 '' "${alignment[@]}" -a -m -t --max-distance 0
    is 'sequence_1\tsequence_2\tdistance\na\ta\t0\nb\tb\t0\nc\tc\t0\n'
    expect 0 '' "${alignment[@]}" --clusters 1
    is 'a\t1\nb\t1\nc\t1\n'
    expect 0 '' "${alignment[@]}" --clusters 1 --present AC --csv --header
    is 'sequence,cluster\na,1\nb,1\nc,1\n'
    expect 0 '' "${alignment[@]}" --clusters 0.5
    is 'a\t1\nb\t2\nc\t3\n'
}

# What was left out is said, once, and --quiet says nothing; letters of names that a terminal would obey are shown as numbers.
case_notes() {
    "$program" distances small.fasta --device cpu >out 2>err || fail "$(cat err)"
    grep -q "note: small.fasta: letters taken as missing: '-' 1, 'N' 1" err || fail "$(cat err)"
    grep -q 'note: small.fasta: 2 of 18 values are missing' err || fail "$(cat err)"
    grep -Eq 'warpladder distances: 3 instances, 6 sites, 3 pairs; computed in .* s in all' err || fail "$(cat err)"
    expect 0 '' "${alignment[@]}"
}

case_names() {
    # shellcheck disable=SC2016 # nothing is to expand
    printf '>q"uo`te$(x);&|\nACGT\n>\xc3\xa9l\xc3\xa8ve|1\\2\nACGA\n>%%s,{}\nACCA\n' >odd.fasta
    expect 0 '' odd.fasta "${cpu[@]}" -b
    # shellcheck disable=SC2016
    printf '\tq"uo`te$(x);&|\t\xc3\xa9l\xc3\xa8ve|1\\2\t%%s,{}\n' >expected
    head -n 1 out | cmp - expected || fail "names: $(head -n 1 out)"
    cut -f 1 out | tail -n 3 | paste -s | sed 's/^/\t/' | cmp - expected || fail "names of rows: $(cut -f 1 out)"
    expect 0 '' odd.fasta "${cpu[@]}" --layout phylip
    printf 'p q\t1\t2\nr\t1\t3\n' >blank.tsv
    expect 0 '' blank.tsv "${cpu[@]}" --layout list
    is 'p q\tr\t1\n'
    expect 3 "instance 1: the name 'p q' has white space" blank.tsv "${cpu[@]}" -o x.phy
    [ ! -e x.phy ] || fail "a name that PHYLIP has no room for left an output"
    printf '>a\nAC\n>b\nAC\n>a\nAG\n' >twice.fasta
    expect 3 "twice.fasta:5: found the name 'a' again" twice.fasta "${cpu[@]}"
    expect 0 '' twice.fasta "${cpu[@]}" --keep-duplicates --layout lower
    is 'a\nb\t0\na\t1\t1\n'
}

case_input_forms() {
    random 1 20 300
    expect 0 '' random.fasta "${cpu[@]}"
    mv out first
    gzip -k random.fasta
    expect 0 '' random.fasta.gz "${cpu[@]}"
    cmp out first || fail "gzip differs"
    expect 0 '' - "${cpu[@]}" <random.fasta
    cmp out first || fail "standard input differs"
    { sed -n '1s/.*/>read/p; 2p' random.fasta && cat random.fasta; } >longer.fasta
    { IFS= read -r _ && IFS= read -r _ && expect 0 '' - "${cpu[@]}"; } <longer.fasta
    cmp out first || fail "a file whose first lines somebody has read differs"
    sed 's/$/\r/' random.fasta | sed '/^>/! s/.\{70\}/&\r\n/g' >dos.fasta
    expect 0 '' dos.fasta "${cpu[@]}" --input-format fasta
    cmp out first || fail "Windows line ends differ"
    head -c 100 random.fasta.gz >cut.fasta.gz
    expect 3 'cut.fasta.gz' cut.fasta.gz "${cpu[@]}" -o x.tsv
    [ ! -e x.tsv ] || fail "a broken input left an output"
}

# Each format from standard input, a process substitution and a FIFO, each of which can be opened once, gives what the file gives; a
# stream that is cut short is refused, and so is one whose writer waits.
case_streams() {
    local file
    random 5 8 300
    gzip -k random.fasta
    vcf 12 400 >sites.vcf
    gzip -k sites.vcf
    printf 'name\tx\np\t1\nq\t3\n' >table.tsv
    files=(random.fasta random.fasta.gz sites.vcf sites.vcf.gz table.tsv)
    if command -v bcftools >/dev/null; then
        bcftools view -Ob sites.vcf -o packed.bcf
        bcftools view -Ou sites.vcf -o stored.bcf
        gzip -dc packed.bcf >plain.bcf
        files+=(plain.bcf stored.bcf packed.bcf)
    fi
    mkfifo stream
    for file in "${files[@]}"; do
        expect 0 '' "$file" "${cpu[@]}"
        mv out first
        expect 0 '' - "${cpu[@]}" <"$file"
        cmp out first || fail "$file: standard input differs"
        expect 0 '' - "${cpu[@]}" < <(cat "$file")
        cmp out first || fail "$file: a pipe differs"
        expect 0 '' <(cat "$file") "${cpu[@]}"
        cmp out first || fail "$file: a process substitution differs"
        cat "$file" >stream &
        expect 0 '' stream "${cpu[@]}"
        wait
        cmp out first || fail "$file: a FIFO differs"
    done
    [ -e plain.bcf ] || exit 77
    head -c 2000 plain.bcf >short
    expect 3 'standard input: record [0-9]+: found what htslib cannot read' - "${cpu[@]}" <short
    head -c -28 packed.bcf >short # without bgzip's end-of-file block
    expect 3 "standard input:.*: the gzip data end too early .bgzip's end-of-file block is missing" - "${cpu[@]}" <short
    head -c -40 packed.bcf >short
    expect 3 'standard input:.*: the gzip data end too early' - "${cpu[@]}" <short
    { head -c 2000 plain.bcf && head -c 200000 /dev/zero && exec sleep 60; } >stream 2>/dev/null & # wrong, and its end does not come
    timeout 10 "$program" distances stream "${cpu[@]}" >out 2>err
    [ $? -eq 3 ] || fail "a wrong stream without an end: $(cat err)"
    kill %% 2>/dev/null
}

# PHYLIP's own programs take ten characters for a name; `neighbor` reads what was written, where it is installed.
case_phylip() {
    printf '>ten_letter\nACGTAC\n>b\nACGTAA\n>c\nACCTTA\n>d\nACCTTC\n' >four.fasta
    expect 0 '' four.fasta --device cpu --quiet -o infile --layout phylip
    printf '4\nten_letter 0 1 3 2\nb          1 0 2 3\nc          3 2 0 1\nd          2 3 1 0\n' | cmp - infile || fail "$(cat infile)"
    sed 's/ten/eleven/' four.fasta >long.fasta
    "$program" distances long.fasta --device cpu -o long.phy 2>err || fail "$(cat err)"
    grep -q "note: 1 name is longer than the 10 characters that PHYLIP's own programs read.*; the first is 'eleven_letter'" err ||
        fail "no note: $(cat err)"
    grep -qx 'eleven_letter 0 1 3 2' long.phy || fail "a long name was cut: $(cat long.phy)"
    # Strict: names of ten columns, blanks and all, and no others; relaxed ones have no blanks. A file that is read so can be written so.
    printf '3 12\nHomo sapieACGTACGTACGT\nPan trog  ACGTACGTACGA\nGorilla   ACGTNNGTACGA\n' >strict.phy
    expect 0 '' strict.phy "${cpu[@]}" --layout phylip-strict
    is '3\nHomo sapie 0 1 1\nPan trog   1 0 0\nGorilla    1 0 0\n'
    expect 0 '' strict.phy "${cpu[@]}" --input-format phylip --layout lower
    is 'Homo sapie\nPan trog\t1\nGorilla\t1\t0\n'
    expect 0 '' strict.phy "${cpu[@]}" --input-format phylip-strict --layout lower
    expect 3 "name 'Homo sapie' has white space; expected none in PHYLIP: another format, or --layout phylip-strict" strict.phy "${cpu[@]}" --layout phylip
    expect 3 "name 'eleven_letter' has 13 characters; expected at most 10 in strict PHYLIP" long.fasta "${cpu[@]}" --layout phylip-strict
    sed 's/Gorilla  /G(orilla)/' strict.phy >brackets.phy
    expect 3 "has a tab, bracket, colon, semicolon or comma" brackets.phy "${cpu[@]}" --layout phylip-strict
    sed '4s/A$//' strict.phy >short.phy
    expect 3 "short.phy:" short.phy "${cpu[@]}"
    command -v phylip >/dev/null || exit 77
    echo Y | phylip neighbor >said 2>&1
    grep -q 'ten_letter:.*b:' outtree || grep -q 'b:.*ten_letter:' outtree || fail "neighbor: $(tail -n 3 said)"
}

# What other programs' files are, and which character cannot stand there, are told.
case_messages() {
    local status
    printf 'l\033\020\001' >x.pgen
    cp x.pgen y
    expect 3 "x.pgen: found PLINK 2's files .* expected PLINK 1's .bed, .bim and .fam" x.pgen "${cpu[@]}"
    expect 3 "y: found PLINK 2's files" y "${cpu[@]}"
    expect 3 "x: found PLINK 2's files" x "${cpu[@]}"
    expect 3 "standard input: found PLINK 2's files" - "${cpu[@]}" <y
    vcf 3 2 | sed '$ s/[^\t]*$/0\/x/' >wrong.vcf
    # PLINK's files are not packed, and regions of BED are no genotypes.
    printf 'chr1\t10\t20\nchr1\t30\t40\n' >regions.bed
    gzip -k regions.bed
    printf 'l\033\001\033' | gzip >q.bed.gz
    expect 3 "regions.bed: found no 6C 1B at the beginning, perhaps BED's regions" regions.bed "${cpu[@]}"
    expect 3 "regions.bed.gz: found no 6C 1B at the beginning, perhaps BED's regions" regions.bed.gz "${cpu[@]}"
    expect 3 "q.bed.gz: found one of PLINK's .bed, .bim and .fam packed; .*: use gunzip first" q.bed.gz "${cpu[@]}"
    printf '> a\nACGT\n' >blank.fasta
    expect 3 "blank.fasta:1: found a header without a name; .*: delete the blank" blank.fasta "${cpu[@]}"
    printf '#nexus\nbegin data; dimensions ntax=2 nchar=5;\nmatrix\na ACGT\nb ACGA\n;\nend;\n' >short.nex
    expect 3 "short.nex:5:3: row 'a' .line 4. has 4 letters before line 5, and more than 5 with it; expected 5" short.nex "${cpu[@]}"
    expect 3 "wrong.vcf:6: found 'x' in the genotype of sample 's2'; expected alleles' numbers" wrong.vcf "${cpu[@]}"
    vcf 2 1 | sed -E '3a ##FORMAT=<ID=DP,Number=1,Type=Integer,Description="depth">' | sed '$ s/GT.*/DP:GT\t3:0\/0\t1z:0\/1/' >depth.vcf
    expect 3 "depth.vcf:6: found 'z' in DP of sample 's1'; expected a number" depth.vcf "${cpu[@]}"
    expect 4 'found data of more than [0-9]+ bytes after 0 instances; expected at most the 1 byte that' small.fasta "${cpu[@]}" --memory 1
    # The reason comes first, and notes and figures only with a result.
    [ -w /dev/full ] || exit 77
    "$program" distances small.fasta --device cpu >/dev/full 2>err
    status=$?
    [ $status -eq 4 ] || fail "/dev/full: exit code $status"
    [ "$(cat err)" = 'warpladder distances: standard output: No space left on device' ] || fail "/dev/full: $(cat err)"
}

# PHYLIP and NEXUS, of every layout, packed or from a stream, give what FASTA gives; a table of numbers stays one.
case_alignments() {
    local form
    printf '>tip one\nACGTNACG\n>b\nACCT-ACC\n>c\nATGTAACG\n' >a.fasta
    expect 0 '' a.fasta "${cpu[@]}"
    sed 's/\ttip\t/\ttip\t/' out >first
    printf '3 8\ntip ACGTNACG\nb ACCT-ACC\nc ATGTAACG\n' >relaxed.phy
    printf ' 3 8 I\r\ntip       ACGT\r\nb         ACCT\r\nc         ATGT\r\n\r\nNACG\r\n-ACC\r\nAACG\r\n' >interleaved.phy
    printf '#nexus\n[a comment] begin data; dimensions ntax=3 nchar=8; format datatype=dna gap=~ matchchar=+;\nmatrix\ntip ACGT NACG\nb ++C+~++C\nc +T++A+++;\nend;\n' >a.nex
    gzip -k a.nex
    for form in relaxed.phy interleaved.phy a.nex a.nex.gz; do
        expect 0 '' "$form" "${cpu[@]}"
        cmp out first || fail "$form differs: $(cat out)"
        expect 0 '' - "${cpu[@]}" < <(cat "$form")
        cmp out first || fail "$form differs as a stream"
    done
    expect 0 '' relaxed.phy "${cpu[@]}" --format phylip # the former name
    cmp out first || fail "--format phylip differs"
    "$program" distances relaxed.phy --device cpu --format phylip >out 2>err || fail "$(cat err)"
    grep -q 'note: option --format: is called --input-format now' err || fail "no note: $(cat err)"
    expect 2 'option --format: found with --input-format' relaxed.phy "${cpu[@]}" --format phylip --input-format phylip
    expect 0 '' relaxed.phy "${cpu[@]}" --input-format phylip
    cmp out first || fail "--input-format phylip differs"
    expect 0 '' a.nex "${cpu[@]}" --input-format nexus --present ACGTN- --layout lower
    is 'tip\nb\t3\nc\t2\t4\n'
    expect 3 "relaxed.phy: found no '#NEXUS' at the beginning" relaxed.phy "${cpu[@]}" --input-format nexus
    expect 3 "relaxed.phy:1:1: found '3' before the first header" relaxed.phy "${cpu[@]}" --input-format fasta
    sed 's/datatype=dna gap=~ matchchar=+/datatype=protein/; s/[~+]/-/g' a.nex >protein.nex
    "$program" distances protein.nex --device cpu >out 2>err || fail "protein: $(cat err)"
    grep -q 'amino acids' err && fail "a NEXUS file says what it is: $(cat err)"
    printf '2 8\na ACGT\nb ACGTACGT\n' >short.phy
    expect 3 "short.phy:3: 'a' of line 2 has 13 letters" short.phy "${cpu[@]}"
    printf '2 2\na AC\na AG\n' >twice.phy
    expect 3 "twice.phy:3: found the name 'a' again" twice.phy "${cpu[@]}"
    sed '1s/ /\t/' relaxed.phy >tab.phy # the name says what a tab would not
    expect 0 '' tab.phy "${cpu[@]}"
    cmp out first || fail "tab.phy differs"
    printf 'taxon\t1\n' >odd.nex
    expect 3 "odd.nex: found no '#NEXUS' at the beginning" odd.nex "${cpu[@]}"
    printf '2\t4\n3\t5\n' >numbers.tsv
    expect 0 '' numbers.tsv "${cpu[@]}" --layout lower
    is '1\n2\t2\n'
    expect 4 'relaxed.phy: found data of more than [0-9]+ bytes' relaxed.phy "${cpu[@]}" --memory 10
}

# Outputs are never an input, whatever the way to them.
case_outputs_refused() {
    local way
    cp small.fasta kept
    ln -s small.fasta link
    ln small.fasta hard.npy
    expect 2 'small.fasta: is a file that is read' "${alignment[@]}" -o small.fasta
    expect 2 'link: is a file that is read' "${alignment[@]}" -o link
    expect 2 'hard.npy: is a file that is read' "${alignment[@]}" -o hard.npy
    expect 2 'hard.npy: is a file that is read' - "${cpu[@]}" -o hard.npy <small.fasta
    cp small.fasta x.tsv.tiles
    expect 2 'x.tsv.tiles: is a file that is read' x.tsv.tiles "${cpu[@]}" -o x.tsv --restart
    cp small.fasta y.tsv.tiles
    expect 3 'y.tsv.tiles: is no store of distances' "${alignment[@]}" -o y.tsv
    expect 3 'y.tsv.tiles: is no store of distances' "${alignment[@]}" -o y.tsv --restart
    for way in small.fasta x.tsv.tiles y.tsv.tiles; do cmp $way kept || fail "$way was written over"; done
    touch p.bed p.bim p.fam
    expect 2 'p.fam: is a file that is read' p.bed "${cpu[@]}" -o p.fam
    expect 2 'p.bed: is a file that is read' p "${cpu[@]}" -o p.bed
    [ "$(find . -name '.*tsv*' -o -name 'x.tsv' -o -name 'y.tsv')" = '' ] || fail "left behind: $(ls -A)"
}

case_outputs() {
    local way
    expect 0 '' "${alignment[@]}" -b
    mv out first
    mkdir -p new/folder
    for way in o.tsv new/folder/o.txt; do
        expect 0 '' "${alignment[@]}" -b -o "$way"
        [ ! -s out ] || fail "$way: standard output has something"
        cmp "$way" first || fail "$way differs"
    done
    expect 0 '' "${alignment[@]}" -o o.phy
    head -n 1 o.phy | grep -qx 3 || fail "o.phy: $(cat o.phy)"
    expect 0 '' "${alignment[@]}" -b --layout tsv -o o.npy
    cmp o.npy first || fail "--layout does not win over the name"
    mkfifo pipe
    cat pipe >piped &
    expect 0 '' "${alignment[@]}" -b -o pipe
    wait
    cmp piped first || fail "a FIFO differs"
    [ "$(find . -name '*.tiles')" = '' ] || fail "left behind: $(ls -A)"
}

# Every device, number of threads, limit of memory and stage gives the same bytes.
case_same_everywhere() {
    local way
    random 2 150 700
    expect 0 '' random.fasta "${cpu[@]}" -o first
    for way in '--device cpu --threads 1' '--device cpu --threads 3 --memory 200K' '--device sim' '--device sim --memory 200K'; do
        # shellcheck disable=SC2086
        expect 0 '' random.fasta --quiet $way -o other
        cmp first other || fail "$way differs"
        [ ! -e other.tiles ] || fail "$way left its tiles"
    done
    expect 4 'random.fasta: found data of more than [1-9].* expected at most the 1024 bytes that reading may take' random.fasta "${cpu[@]}" --memory 1K -o other
    expect 4 'expected more memory, or a file' random.fasta "${cpu[@]}" --memory 150K
    # Too little for two sides of the smallest tile, of 32 sequences, where they are long: not taken all the same.
    head -c 1000000 /dev/zero | tr '\0' A >letters
    for way in $(seq 40); do printf '>s%d\n' "$way" && cat letters && echo; done >long.fasta
    expect 0 '' long.fasta "${cpu[@]}" --memory 40M
    expect 4 'computing distances takes 24.* MB of memory beside the data; expected no more than the [0-9.]+ [KM]B that may be used' \
        long.fasta "${cpu[@]}" --memory 18M -o other
    [ ! -e other.tiles ] || fail "a refused run left its tiles"
}

# A run that is killed leaves no output, and the same command goes on with its tiles, on another device too; the result is that of
# a run that nobody disturbed. Other data are not mixed with them.
case_interrupted() {
    local pid store=o.tsv.tiles finished
    random 3 200 12000 # seconds on the simulated device, which marks finished tiles once a second
    expect 0 '' random.fasta "${cpu[@]}" -o whole.tsv
    [ ! -e whole.tsv.tiles ] || fail "a short run used a store"
    "$program" distances random.fasta --device sim --quiet --memory 1050K -o o.tsv >said 2>&1 &
    pid=$!
    # Until the first mark is there: 8 bytes a tile, from the file's second page on.
    until [ -e $store ] && [ "$(od -An -v -tx1 -j4096 -N160 $store 2>/dev/null | tr -d ' 0\n')" != '' ]; do
        kill -0 $pid 2>/dev/null || fail "it was not there to be killed: $(cat said)"
        sleep 0.05
    done
    # Nobody takes them away from a run that uses them.
    expect 4 'o.tsv.tiles: another run is using it' random.fasta "${cpu[@]}" -o o.tsv
    expect 4 'o.tsv.tiles: another run is using it' random.fasta "${cpu[@]}" -o o.tsv --restart
    [ -e $store ] || fail "--restart took the tiles of a run that uses them"
    kill -9 $pid
    wait $pid 2>/dev/null
    [ ! -e o.tsv ] || fail "a killed run left an output"
    [ -e $store ] || fail "a killed run left no tiles"
    cp $store kept

    sed 's/^>s7$/>other/' random.fasta >other.fasta
    expect 3 'o.tsv.tiles: is a store of other data or names' other.fasta "${cpu[@]}" -o o.tsv
    expect 3 'o.tsv.tiles: is a store of 200 x 12000 sites; expected 3 x 6' "${alignment[@]}" -o o.tsv
    expect 3 'o.tsv.tiles: is a store of other options' random.fasta "${cpu[@]}" -o o.tsv --layout list --compared
    cmp kept $store || fail "a refused run changed the tiles"

    "$program" distances random.fasta --device cpu -o o.tsv 2>err || fail "$(cat err)"
    grep -q 'note: .*o.tsv.tiles: found; continuing with its finished tiles' err || fail "$(cat err)"
    finished=$(sed -nE 's/.*resumed: ([0-9]+) of [0-9]+ tiles were finished.*/\1/p' err)
    [ "${finished:-0}" -ge 1 ] || fail "it was not resumed: $(cat err)"
    cmp whole.tsv o.tsv || fail "the resumed run's output differs"
    [ ! -e $store ] || fail "tiles are left behind a finished run"

    cp kept $store
    "$program" distances other.fasta --device cpu --restart -o o.tsv 2>err || fail "$(cat err)"
    grep -q resumed err && fail "--restart resumed"
    sed '1s/\ts7\t/\tother\t/; s/^s7\t/other\t/' whole.tsv | cmp - o.tsv || fail "--restart: the output differs"
}

# A disk that is full, for the output or for its tiles: exit code 4, nothing under the final name, what was there before still is.
# A limit on the size of files says EFBIG as a full disk says ENOSPC.
case_disk_full() {
    local status
    random 4 300 600
    echo before >o.tsv
    (
        trap '' XFSZ
        ulimit -f 100 # kilobytes
        "$program" distances random.fasta "${cpu[@]}" -o o.tsv >out 2>err
    )
    status=$?
    [ $status -eq 4 ] || fail "output: exit code $status: $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] || fail "output: $(cat err)"
    [ "$(cat o.tsv)" = before ] || fail "the file that was there is gone"
    expect 0 '' random.fasta "${cpu[@]}" -o whole.tsv
    (
        trap '' XFSZ
        ulimit -f 100
        "$program" distances random.fasta "${cpu[@]}" --memory 350K -o o.tsv >out 2>err
    )
    status=$?
    [ $status -eq 4 ] || fail "tiles: exit code $status: $(cat err)"
    grep -q 'o.tsv.tiles' err || fail "tiles: $(cat err)"
    [ "$(cat o.tsv)" = before ] || fail "tiles: the file that was there is gone"
    expect 0 '' random.fasta "${cpu[@]}" --memory 350K -o o.tsv
    cmp whole.tsv o.tsv || fail "after a full disk the output differs"
    [ "$(find . -name '.*tsv*' -o -name '*.tiles')" = '' ] || fail "left behind: $(ls -A)"
    # Tiles that are whole outlive an output that has no room.
    : >o.tsv.tiles
    (
        trap '' XFSZ
        ulimit -f 1200 # the tiles take 0.8 MB, the output 1.6
        "$program" distances random.fasta "${cpu[@]}" --digits 17 --rescale -o o.tsv >out 2>err
    )
    status=$?
    [ $status -eq 4 ] || fail "output after tiles: exit code $status: $(cat err)"
    grep -q 'o.tsv: cannot write the distances: .*; .*o.tsv.tiles keeps what was computed: repeat the command to continue' err || fail "output after tiles: $(cat err)"
    cmp whole.tsv o.tsv || fail "the file that was there is gone"
    "$program" distances random.fasta --device cpu --digits 17 --rescale -o o.tsv 2>err || fail "$(cat err)"
    grep -Eq 'resumed: ([0-9]+) of \1 tiles were finished; nothing to compute' err || fail "tiles were not kept: $(cat err)"
    if [ -c /dev/full ]; then
        "$program" distances random.fasta "${cpu[@]}" >/dev/full 2>err
        status=$?
        [ $status -eq 4 ] || fail "/dev/full: exit code $status"
        [ "$(wc -l <err)" -eq 1 ] || fail "/dev/full: $(cat err)"
    fi
}

case_tables() {
    printf 'name\tx\ty\tz\np\t0.5\t1\t-2\nq\t1.5\tNA\t-2\nr\t0.5\t-1\t2\n' >reals.tsv
    expect 0 '' reals.tsv "${cpu[@]}" --measure euclidean2 --layout lower
    is 'p\nq\t1\nr\t20\t17\n'
    expect 0 '' reals.tsv "${cpu[@]}" --measure manhattan --layout lower
    is 'p\nq\t1\nr\t6\t5\n'
    expect 0 '' reals.tsv "${cpu[@]}" --measure manhattan --layout list --rescale --compared
    is 'p\tq\t1.5\t2\np\tr\t6\t3\nq\tr\t7.5\t2\n'
    printf 'p\t0\t3\t100\nq\t2\tNA\t27\nr\t2\t3\t100\n' >integers.tsv
    expect 0 '' integers.tsv "${cpu[@]}" --layout lower
    is 'p\nq\t2\nr\t1\t1\n'
    expect 0 '' integers.tsv "${cpu[@]}" --measure manhattan --layout lower
    is 'p\nq\t75\nr\t2\t73\n'
    expect 0 '' integers.tsv "${cpu[@]}" --measure euclidean2 --layout lower
    is 'p\nq\t5333\nr\t4\t5329\n'
    expect 3 'option --present: integers.tsv has integers; expected an alignment' integers.tsv "${cpu[@]}" --present ACGT
    expect 3 'reals.tsv: .*expected letters, genotypes or integers for the count of differing sites .these data take --measure euclidean2 or manhattan.' reals.tsv "${cpu[@]}"
}

# What letters are can be said; X in DNA is a mask; few A, C, G and T among IUPAC's codes are no protein's. Each is a file that was read
# wrongly, or not at all.
case_alphabet() {
    printf '>a\nACGTACGTXA\n>b\nACGTACGTAA\n>c\nACGTACGTAx\n' >mask.fasta
    expect 0 '' mask.fasta "${cpu[@]}" --layout list --compared
    is 'a\tb\t0\t9\na\tc\t0\t8\nb\tc\t0\t9\n'
    printf '>a\nXXXXXXXXXXXXXXXXXXACGT\n>b\nXXXXXXXXXXXXXXXXXXACGA\n' >mostly.fasta # does not count for a protein
    expect 0 '' mostly.fasta "${cpu[@]}" --layout list --compared
    is 'a\tb\t1\t4\n'
    # 120 codes, of which 8 are bases: snp-dists counts 1.
    { printf '>a\n' && printf 'RYKMSW%.0s' $(seq 10) && printf 'ACGT\n>b\n' && printf 'RYKMSW%.0s' $(seq 10) && printf 'ACGA\n'; } >codes.fasta
    "$program" distances codes.fasta --device cpu --layout list >out 2>err || fail "$(cat err)"
    is 'a\tb\t1\n'
    grep -q 'taken as nucleotides: only 8 of the first 128 are .* all are codes of nucleotides (--protein, if not)' err || fail "$(cat err)"
    expect 0 '' codes.fasta "${cpu[@]}" --protein --layout list --compared
    is 'a\tb\t1\t64\n'
    printf '>a\nACGRYACGRY\n>b\nACRRYACGGY\n' >short.fasta # too short to tell
    expect 0 '' short.fasta "${cpu[@]}" --layout list
    is 'a\tb\t2\n'
    expect 0 '' short.fasta "${cpu[@]}" --nucleotide --layout list --compared
    is 'a\tb\t0\t5\n'
    printf '#nexus\nbegin data; dimensions ntax=2 nchar=4; format datatype=protein;\nmatrix\na ACGT\nb ACGR\n;\nend;\n' >said.nex
    expect 0 '' said.nex "${cpu[@]}" --layout list
    is 'a\tb\t1\n'
    expect 0 '' said.nex "${cpu[@]}" --layout list --nucleotide
    is 'a\tb\t0\n'
    expect 3 "unknown letter 'E' at position 3 .*U.$" - "${cpu[@]}" --nucleotide < <(printf '>a\nACEA\n')
    expect 2 'option --nucleotide: found with --protein' short.fasta "${cpu[@]}" --nucleotide --protein
    expect 2 'option --protein: found with --input-format vcf; expected an alignment' short.fasta "${cpu[@]}" --protein --input-format vcf
    # --present of what a model compares anyway is not in its way.
    expect 0 '' mask.fasta "${cpu[@]}" --measure k80
    mv out first
    for letters in ACGT tgca ACGU; do
        expect 0 '' mask.fasta "${cpu[@]}" --measure k80 --present $letters
        cmp out first || fail "--present $letters changes K80"
    done
    expect 3 'mask.fasta: the data are letters; expected nucleotides' mask.fasta "${cpu[@]}" --measure k80 --present ACG
    expect 3 'mask.fasta: the data are letters; expected nucleotides' mask.fasta "${cpu[@]}" --measure k80 --every-letter
}

# A genome without values has something in common with nobody: in lists with a limit as in clusters. --min-compared asks for more.
case_few_sites() {
    printf '>a\nACGTACGT\n>b\nACGTACNN\n>c\nNNNNNNNN\n>d\nNNNNNNGT\n' >few.fasta
    few=(few.fasta "${cpu[@]}")
    expect 0 '' "${few[@]}" --layout lower # as snp-dists has it
    is 'a\nb\t0\nc\t0\t0\nd\t0\t0\t0\n'
    expect 0 '' "${few[@]}" --layout list --max-distance 0
    is 'a\tb\t0\na\td\t0\n'
    expect 0 '' "${few[@]}" --molten --max-distance 0
    is 'a\ta\t0\na\tb\t0\na\td\t0\nb\ta\t0\nb\tb\t0\nd\ta\t0\nd\td\t0\n'
    expect 0 '' "${few[@]}" --clusters 0
    is 'a\t1\nb\t1\nc\t2\nd\t1\n'
    expect 0 '' "${few[@]}" --min-compared 3 --layout lower
    is 'a\nb\t0\nc\tnan\tnan\nd\tnan\tnan\tnan\n'
    expect 0 '' "${few[@]}" --min-compared 3 --layout list --max-distance 0
    is 'a\tb\t0\n'
    expect 0 '' "${few[@]}" --min-compared 3 --clusters 0
    is 'a\t1\nb\t1\nc\t2\nd\t3\n'
    expect 0 '' "${few[@]}" --min-compared 3 -o few.npy # integers have no nan
    grep -q "'<f8'" few.npy || fail "an array of integers: $(head -c 80 few.npy)"
    expect 2 'option --min-compared: -1 is out of range' "${few[@]}" --min-compared -1
}

# Two files: those of the one with those of the other; or one instance with all others.
case_two_files() {
    printf '>new\nACGTACGT\n>s2\nACGTACGA\n' >new.fasta
    printf '>s1\nACGTACGT\n>s2\nACGTTCGA\n>s3\nACGTNNGA\n' >known.fasta
    two=(new.fasta known.fasta "${cpu[@]}")
    expect 0 '' "${two[@]}" -b
    is '\ts1\ts2\ts3\nnew\t0\t2\t1\ns2\t1\t1\t0\n'
    expect 0 '' "${two[@]}" --layout list --max-distance 1 --compared
    is 'new\ts1\t0\t8\nnew\ts3\t1\t6\ns2\ts1\t1\t8\ns2\ts2\t1\t8\ns2\ts3\t0\t6\n'
    mv out first
    awk '/^>/ { name = substr($0, 2); next } { print name, $0 }' known.fasta | sed '1i 3 8' >known.phy
    gzip -k new.fasta
    expect 0 '' new.fasta.gz known.phy "${cpu[@]}" --layout list --max-distance 1 --compared --device sim
    cmp out first || fail "packed, PHYLIP, on the simulated device: $(cat out)"
    expect 0 '' - known.fasta "${cpu[@]}" --layout list --max-distance 1 --compared --threads 1 <new.fasta
    cmp out first || fail "standard input: $(cat out)"
    expect 0 '' "${two[@]}" --measure p-distance -o two.csv --blank-corner
    printf ',s1,s2,s3\nnew,0,0.25,0.166667\ns2,0.125,0.125,0\n' | cmp - two.csv || fail "$(cat two.csv)"
    expect 0 '' "${two[@]}" -o two.npy
    grep -q "'shape': (2, 3)" two.npy || fail "$(head -c 80 two.npy)"
    "$program" distances new.fasta known.fasta --device cpu >out 2>err || fail "$(cat err)"
    grep -q '5 instances, 8 sites, 6 pairs' err || fail "$(cat err)"
    printf 'id\tx\ty\n1\t5\t300\n' >one.tsv
    printf 'id\tx\ty\n2\t5\t7\n3\t6\t300\n' >more.tsv
    expect 0 '' one.tsv more.tsv "${cpu[@]}" --layout list
    is '1\t2\t1\n1\t3\t1\n'
    # One with all others.
    expect 0 '' known.fasta "${cpu[@]}" -b --only s2
    is '\ts1\ts3\ns2\t2\t0\n'
    vcf 5 40 >sites.vcf
    expect 0 '' sites.vcf "${cpu[@]}" --measure alleles --layout list
    awk -F '\t' -v OFS='\t' '$1 == "s2" { print $2, $3 } $2 == "s2" { print $1, $3 }' out >expected
    expect 0 '' sites.vcf "${cpu[@]}" --measure alleles --layout list --only s2
    cut -f 2- out | cmp - expected || fail "--only: $(cat out)"
    # What is no such thing.
    printf '>s1\nACGTACGTA\n' >long.fasta
    expect 3 "long.fasta:1: sequence 's1' has 9 letters; expected 8, as 'new' in line 1 of new.fasta has" new.fasta long.fasta "${cpu[@]}"
    printf 'id\tx\n2\t5\n' >narrow.tsv
    expect 3 'narrow.tsv:2: found 1 values; expected 2, as in one.tsv' one.tsv narrow.tsv "${cpu[@]}"
    expect 3 'sites.vcf: found .*; expected two alignments, or two tables' new.fasta sites.vcf "${cpu[@]}"
    expect 3 "known.fasta: found no instance 's9'" known.fasta "${cpu[@]}" --only s9
    expect 3 'twice.fasta:5: found the name .a. again, which line 1 has' new.fasta twice.fasta "${cpu[@]}" \
        < <(printf '>a\nACGTACGT\n>b\nACGTACGT\n>a\nACGTACGT\n' | tee twice.fasta)
    expect 2 'option --only: found with two inputs' "${two[@]}" --only new
    expect 2 'option --clusters: found with two inputs' "${two[@]}" --clusters 1
    expect 2 'option --part: found with --only' known.fasta "${cpu[@]}" --only s2 --part 1/2 -o x.part
    expect 2 'option --layout: found lower or phylip with two inputs' "${two[@]}" --layout phylip
    expect 2 'known.fasta: is a file that is read' "${two[@]}" -o known.fasta
}

# One genotype of another ploidy does not silence a file; polyploids are counted; --ploidy chooses.
case_ploidy() {
    {
        printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n'
        printf '1\t%d\t.\tA\tG\t.\t.\t.\tGT\t%s\t%s\t%s\n' 1 1 0 1 2 1 0 1 3 1 0 0/1 4 0/1 0/0 0/1
    } >onedip.vcf
    "$program" distances onedip.vcf --device cpu --layout lower >out 2>err || fail "$(cat err)"
    is 'a\nb\t3\nc\t0\t2\n'
    grep -q '1 record with genotypes that are not haploid is left out (--ploidy chooses others)' err || fail "$(cat err)"
    expect 0 '' onedip.vcf "${cpu[@]}" --layout lower --ploidy 2
    is 'a\nb\t1\nc\t0\t1\n'
    expect 0 '' onedip.vcf "${cpu[@]}" --layout list --ploidy 1 --compared
    is 'a\tb\t3\t3\na\tc\t0\t2\nb\tc\t2\t2\n'
    expect 3 'onedip.vcf: found no genotypes of a variant among 4 records, most of them with genotypes that are not of 3 alleles' \
        onedip.vcf "${cpu[@]}" --ploidy 3
    expect 3 'onedip.vcf: the data are haploid genotypes; expected genotypes of two or more alleles for the allele-count difference .these data take --measure differences or p-distance.$' \
        onedip.vcf "${cpu[@]}" --measure alleles
    expect 3 'option --ploidy: small.fasta has an alignment; expected VCF or BCF' "${alignment[@]}" --ploidy 2
    expect 2 'option --ploidy: 8 is out of range' onedip.vcf "${cpu[@]}" --ploidy 8
    sed -E '/^1\t[234]\t/d; s/GT\t.*/GT\t0\/0\/1\/1\t0|1|1|1\t1\/1\/1\/1/' onedip.vcf >poly.vcf
    printf '1\t2\t.\tA\tG\t.\t.\t.\tGT\t0/0/0/1\t0/1/1/1\t./././.\n' >>poly.vcf
    expect 0 '' poly.vcf "${cpu[@]}" --layout lower --measure alleles
    is 'a\nb\t3\nc\t2\t1\n'
    expect 0 '' poly.vcf "${cpu[@]}" --layout lower
    is 'a\nb\t2\nc\t1\t1\n'
    expect 0 '' poly.vcf "${cpu[@]}" --layout lower --measure ibs
    is 'a\nb\t0.625\nc\t0.5\t0.75\n'
    expect 0 '' poly.vcf --device sim --quiet --layout lower --measure manhattan
    is 'a\nb\t3\nc\t2\t1\n'
}

# Allele numbers: equal or not, also where a locus has more of them than planes tell apart.
case_allele_numbers() {
    printf 'FILE\tl1\tl2\tl3\ns1\t1\t5\t1234\ns2\t1\t7\tINF-1234\ns3\t2\t5\t88\ns4\tLNF\t0\t88\n' >cg.tsv
    expect 0 '' cg.tsv "${cpu[@]}" --layout list --compared
    is 's1\ts2\t1\t3\ns1\ts3\t2\t3\ns1\ts4\t1\t1\ns2\ts3\t3\t3\ns2\ts4\t1\t1\ns3\ts4\t0\t1\n'
    expect 3 'cg.tsv:3: column 4: found .INF-1234.' cg.tsv "${cpu[@]}" --input-format table
    expect 3 'cg.tsv: the data are allele numbers; expected .*--measure differences or p-distance.$' cg.tsv "${cpu[@]}" --input-format cgmlst --measure euclidean2
    awk 'BEGIN { printf "FILE"; for (k = 0; k < 9; k++) printf "\tL%d", k; print ""; srand(3)
        for (i = 0; i < 300; i++) { printf "g%d", i; for (k = 0; k < 9; k++) printf "\t%d", int(rand() * (k < 5 ? 400 : 2)); print "" } }' >many.tsv
    awk -F '\t' 'NR > 1 { name[NR] = $1; for (k = 2; k <= NF; k++) a[NR, k] = $k }
        END { for (i = 2; i <= NR; i++) for (j = i + 1; j <= NR; j++) { d = 0
            for (k = 2; k <= NF; k++) d += a[i, k] != 0 && a[j, k] != 0 && a[i, k] != a[j, k]
            print name[i] "\t" name[j] "\t" d } }' many.tsv >expected
    for way in '--device cpu' '--device cpu --threads 1' '--device sim'; do
        # shellcheck disable=SC2086
        expect 0 '' many.tsv $way --quiet --layout list
        cmp out expected || fail "$way: more than 128 alleles"
    done
}

declare -F "case_$name" >/dev/null || fail "there is no case $name"
"case_$name"
