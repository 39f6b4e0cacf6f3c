#!/usr/bin/env bash
# bash cases.sh path/to/warpladder NAME: one case of how `warpladder search` behaves.
set -u
# shellcheck source=tests/support/expect.sh
source "$(dirname "$0")/../../support/expect.sh"
tool=search

# sequences SEED COUNT LONGEST LETTERS PREFIX: random FASTA; every fourth sequence repeats the one before it.
sequences() {
    awk -v seed="$1" -v count="$2" -v longest="$3" -v letters="$4" -v prefix="$5" 'BEGIN {
        srand(seed)
        for (i = 0; i < count; i++) {
            if (i % 4 != 3) {
                text = ""
                for (k = 1 + int(rand() * longest); k > 0; k--)
                    text = text substr(letters, 1 + int(rand() * length(letters)), 1)
            }
            printf ">%s%d number %d\n%s\n", prefix, i, i, text
        }
    }'
}

amino=ARNDCQEGHILKMFPSTWYV
sequences 1 40 120 $amino s >"$folder/db.fasta"
sequences 2 5 90 $amino q >"$folder/q.fasta"
sequences 3 40 120 ACGT s >"$folder/dna.fasta"
sequences 4 5 90 ACGT q >"$folder/dna_q.fasta"
files=(--db "$folder/db.fasta" --query "$folder/q.fasta")
cpu=("${files[@]}" --device cpu --quiet)

case_help() {
    expect 0 '' --help
    grep -q '^Usage: warpladder search' "$folder/out" || fail "no usage line"
    grep -q -- '-o, --output=FILE' "$folder/out" || fail "no -o"
    grep -q 'warpladder search --db proteins.fasta.gz' "$folder/out" || fail "no example"
}

# Sequences that a table cannot tell apart: a note.
case_equal_names() {
    printf '>a\nARND\n>b\nARND\n>a\nARNDC\n>a\nARN\n' >"$folder/equal.fasta"
    "$program" search --db "$folder/equal.fasta" --query "$folder/q.fasta" --format tabular --device cpu 2>"$folder/err" >/dev/null
    grep -q "note: names of subjects: 2 the same as another's$" "$folder/err" || fail "said $(cat "$folder/err")"
    "$program" search --db "$folder/db.fasta" --query "$folder/equal.fasta" --format tabular --device cpu 2>"$folder/err" >/dev/null
    grep -q "note: names of queries: 2 the same as another's$" "$folder/err" || fail "said $(cat "$folder/err")"
}

case_files_missing() {
    expect 2 'option --db: not given; expected --db FILE --query FILE'
    expect 2 'option --query: not given' --db "$folder/db.fasta"
    expect 2 'options --db and --query: both are standard input' --db - --query -
    expect 2 'option --db: is empty; expected the name of a file' --db '' --query "$folder/q.fasta"
    expect 2 'option --query: is empty' --db "$folder/db.fasta" --query ''
    expect 3 'none.fasta: ' --db "$folder/none.fasta" --query "$folder/q.fasta"
    expect 3 'none.fasta: ' --db "$folder/db.fasta" --query "$folder/none.fasta"
    : >"$folder/empty"
    expect 3 'empty: ' --db "$folder/empty" --query "$folder/q.fasta" --quiet
    expect 3 'empty: ' --db "$folder/db.fasta" --query "$folder/empty" --quiet
}

case_options() {
    expect 2 "option --format|format 'nonsense'" "${cpu[@]}" --format nonsense
    expect 2 'option --format: is empty' "${cpu[@]}" --format ' '
    expect 2 "option --format: found '4'; expected one of BLAST's 0, 5, 6, 7, 10 and 17, or a name" "${cpu[@]}" -outfmt 4
    expect 2 "option -task: found 'megablast'" "${cpu[@]}" -task megablast
    expect 2 'option -db: the value is missing' -db
    expect 2 "option --max-hsps: 0 is out of range" "${cpu[@]}" --max-hsps 0
    expect 2 "option --min-identity: found '101'" "${cpu[@]}" --min-identity 101
    expect 3 'nowhere: No such file or directory; expected a list of options' "${cpu[@]}" "@$folder/nowhere"
    printf -- '--max-hits 1 # one\n--format "sseqid score"' >"$folder/options"
    expect 0 '' "${cpu[@]}" "@$folder/options"
    awk -F'\t' 'NF != 2 { exit 1 }' "$folder/out" || fail "options of a file: $(cat "$folder/out")"
    expect 2 'BLOSUM62' "${cpu[@]}" --matrix BLOSUM63
    expect 2 'option --max-hits: 0 is out of range' "${cpu[@]}" --max-hits 0
    expect 2 'option --evalue: found .x.' "${cpu[@]}" --evalue x
    expect 2 'option --min-score' "${cpu[@]}" --min-score 1.5
    expect 2 'option --memory: found .1X.; expected bytes, as in 500M or 4G' "${cpu[@]}" --memory 1X
    expect 2 'option --memory: found .-1.' "${cpu[@]}" --memory -1
    expect 2 'option --memory: found .0.' "${cpu[@]}" --memory 0
    expect 2 'option --memory: found .1MM.' "${cpu[@]}" --memory 1MM
    expect 2 'option --threads' "${cpu[@]}" --threads 0
    expect 2 'option --device' "${files[@]}" --device abacus
    expect 2 "option --variant: 'sw/99\*' is no stage of sw for the backend cpu" "${cpu[@]}" --variant 'sw/99*'
    expect 2 'option --strand: found without --nucleotide' "${cpu[@]}" --strand plus
    expect 2 'option --matrix: found with --nucleotide' "${cpu[@]}" --nucleotide --matrix BLOSUM62
    expect 2 'option --strand: found .up.; expected both, plus or minus' "${cpu[@]}" --nucleotide --strand up
    expect 2 'option --mismatch: 1 is out of range' "${cpu[@]}" --nucleotide --mismatch 1
    expect 2 'option --gap-open' "${cpu[@]}" --gap-open -1
    expect 2 'option -o: the value is missing|option --output: the value is missing' "${cpu[@]}" -o
    expect 2 'unexpected' "${cpu[@]}" another.fasta
}

# The mistakes people make with real files are told by file, line and place.
case_foreign_letters() {
    printf '>a\nMKV\n>b\nMK-V\n' >"$folder/gap.fasta"
    expect 3 "gap.fasta:[34]: .*'-'" --db "$folder/db.fasta" --query "$folder/gap.fasta" --quiet
    expect 3 "gap.fasta:[34]: .*'-'" --db "$folder/gap.fasta" --query "$folder/q.fasta" --quiet
    expect 3 "q.fasta:[0-9]+: " --db "$folder/dna.fasta" --query "$folder/q.fasta" --nucleotide --quiet
    expect 0 '' --db "$folder/gap.fasta" --query "$folder/gap.fasta" --strip-gaps --min-score 1 --evalue 1e9 --quiet --format 'sseqid slen'
    [ "$(grep -c $'b\t3' "$folder/out")" -ge 1 ] || fail "--strip-gaps: $(cat "$folder/out")"
    printf '>a\n-.-\n' >"$folder/gaps.fasta"
    printf '>n\nAC--GTE\n' >"$folder/odd.fasta"
    expect 3 "odd.fasta:1: found 'E' at position 7 of sequence 'n'" --nucleotide --db "$folder/odd.fasta" --query "$folder/odd.fasta" --strip-gaps --quiet
    expect 3 "gaps.fasta:1: sequence 'a' has no letters but '-' and '.'" --db "$folder/gaps.fasta" --query "$folder/q.fasta" --strip-gaps --quiet
}

case_hint() {
    local dna=(--db "$folder/dna.fasta" --query "$folder/dna_q.fasta" --device cpu)
    "$program" search "${dna[@]}" >"$folder/out" 2>"$folder/err" ||
        fail "searching nucleotides as amino acids is allowed"
    [ "$(grep -c 'nucleotides need --nucleotide' "$folder/err")" -eq 2 ] || fail "said $(cat "$folder/err")"
    expect 0 '' "${dna[@]}" --quiet
    expect 0 'queries' "${files[@]}" --device cpu # proteins: the summary alone
}

# A database is no query, whatever it is called; said as that, not as a strange byte.
case_database_as_query() {
    "$program" makedb --quiet "$folder/db.fasta" "$folder/db" || fail "makedb"
    expect 3 '/db: found what begins as a .wdb file; expected FASTA or FASTQ' --db "$folder/db" --query "$folder/db" \
        --device cpu --quiet
}

# A matrix file that was cut short gives other alignments, so it is refused; a whole one, as NCBI has it, is BLOSUM62, with its E-values.
case_matrix_file() {
    local matrix=/usr/share/ncbi/data/BLOSUM62 shown=(--format 'qseqid sseqid score qstart qend evalue')
    awk -v letters=ARNDCQEGHILKMFPSTWYV 'BEGIN {
        for (a = 0; a <= 20; a++) {
            line = a ? substr(letters, a, 1) : " "
            for (b = 1; b <= 20; b++) line = line " " (a ? (a == b ? 5 : -4) : substr(letters, b, 1))
            print line
        }
    }' >"$folder/own.mat"
    expect 0 '' "${cpu[@]}" --matrix "$folder/own.mat"
    head -n 20 "$folder/own.mat" >"$folder/cut.mat"
    expect 3 'cut.mat: found no scores for V; expected scores for the 20 amino acids' "${cpu[@]}" --matrix "$folder/cut.mat"
    cp "$folder/own.mat" "$folder/kept.mat"
    expect 2 'own.mat: is a file that is read' "${cpu[@]}" --matrix "$folder/own.mat" -o "$folder/own.mat"
    cmp "$folder/own.mat" "$folder/kept.mat" || fail "the report replaced the matrix"
    [ -r $matrix ] || return 0
    expect 0 '' "${cpu[@]}" "${shown[@]}" --evalue 1e9
    mv "$folder/out" "$folder/named"
    expect 0 '' "${cpu[@]}" "${shown[@]}" --evalue 1e9 --matrix $matrix
    cmp "$folder/named" "$folder/out" || fail "NCBI's file differs from BLOSUM62"
}

# With standard error closed, what is said there must not land in the report, which would get its number.
case_closed_streams() {
    local command=(search "${files[@]}" --device cpu --format tabular)
    "$program" "${command[@]}" --quiet >"$folder/first" || fail "exit code $?"
    "$program" "${command[@]}" -o "$folder/hits" 2>&- || fail "exit code $? without standard error"
    cmp "$folder/first" "$folder/hits" || fail "the report has more in it"
    "$program" "${command[@]}" --quiet 2>"$folder/err" >&-
    local code=$?
    [ $code -eq 4 ] || fail "standard output closed: exit code $code"
    grep -q 'standard output: ' "$folder/err" || fail "said $(cat "$folder/err")"
    "$program" "${command[@]}" --query - --quiet 2>"$folder/err" <&-
    code=$?
    [ $code -eq 3 ] || fail "standard input closed: exit code $code: $(cat "$folder/err")"
}

# Ten thousand equal subjects, as in databases with redundancy: the cut is by the input's order, however it is computed.
case_ties() {
    local query way
    query=$(sed -n 2p "$folder/q.fasta")
    awk -v text="$query" 'BEGIN { for (i = 1; i <= 10000; i++) printf ">t%d\n%s\n", i, text }' >"$folder/ties.fasta"
    head -n 2 "$folder/q.fasta" >"$folder/one.fasta"
    seq -f 't%.0f' 700 >"$folder/first"
    for way in '' '--threads 1' '--memory 1M'; do
        # shellcheck disable=SC2086
        expect 0 '' --db "$folder/ties.fasta" --query "$folder/one.fasta" --device cpu --quiet --max-hits 700 \
            --format sseqid $way
        cmp "$folder/first" "$folder/out" || fail "'$way': not the first 700"
    done
}

# Header lines as people have them: 12 columns stay 12 columns, JSON stays JSON.
case_messy_names() {
    local text format lines
    text=$(sed -n 2p "$folder/q.fasta")
    {
        printf '>"a"<b>&c\\d'"'"'\tx\ty "z"\n%s\n>latin\xe9 caf\xe9\n%s\n' "$text" "$text"
        printf '>\xc3\xa9t\xc3\xa9 first\x01gi|2 second\r\n%s\r\n>same\n%s\n>same\n%s\n' "$text" "$text" "$text"
        head -c 10000 /dev/zero | tr '\0' n | sed 's/^/>/; s/$/ c/'
        printf '\n%s\n' "$text"
    } >"$folder/messy.fasta"
    local both=(--db "$folder/messy.fasta" --query "$folder/messy.fasta" --device cpu --quiet)
    expect 0 '' "${both[@]}" --format 'std stitle'
    [ "$(awk -F'\t' 'NF != 13' "$folder/out")" = '' ] || fail "not 13 columns: $(awk -F'\t' 'NF != 13' "$folder/out")"
    lines=$(wc -l <"$folder/out")
    [ "$lines" -eq 36 ] || fail "$lines lines; expected 36"
    for format in pairwise commented json; do
        expect 0 '' "${both[@]}" --format $format
        LC_ALL=C grep -q $'[\001-\010\013-\037]' "$folder/out" && fail "$format: control characters"
    done
    command -v python3 >/dev/null || return 0
    python3 -m json.tool "$folder/out" >/dev/null || fail "no JSON"
}

# No letter of UTF-8 is cut in two, wherever a line of the report ends.
case_long_titles() {
    local shift text
    text=$(sed -n 2p "$folder/q.fasta")
    for shift in '' a aa; do
        printf '>%sid %s' "$shift" "$shift"
        printf '\xe2\x82\xac%.0s' {1..200}
        printf '\n%s\n' "$text"
    done >"$folder/euros.fasta"
    expect 0 '' --db "$folder/euros.fasta" --query "$folder/euros.fasta" --device cpu --quiet
    [ "$(grep -c '\.\.\.  *[0-9.]*  *[0-9e-]*$' "$folder/out")" -eq 9 ] || fail "not 9 lines with cut titles"
    iconv -f UTF-8 -t UTF-8 "$folder/out" >/dev/null || fail "a letter is cut in two"
}

# The last line on stderr; nothing with --quiet.
case_summary() {
    local what='5 queries, [0-9]+ letters; 40 subjects, [0-9]+ letters; [0-9]+ hits; '
    local speed='scan [0-9.]+ s, [0-9.]+ GCUPS on .* \(cpu_simd\); [0-9.]+ s in all'
    expect 0 "search: $what$speed\$" "${files[@]}" --device cpu
    expect 0 '' "${cpu[@]}"
    sequences 2 1 90 $amino q >"$folder/one.fasta"
    expect 0 'search: 1 query, [0-9]+ letters; 1 subject, [0-9]+ letters; 1 hit; ' --device cpu --evalue 1e6 \
        --db "$folder/one.fasta" --query "$folder/one.fasta"
    # Simulated time is no time.
    expect 0 'search: 1 query, .* hits?; scanned on simulated device \(0[0-9]_[a-z_0-9]+\)$' --device sim \
        --db "$folder/one.fasta" --query "$folder/one.fasta"
}

# Every device, number of threads and limit of memory gives the same bytes, in every format.
case_same_everywhere() {
    local format way two=(--db "$folder/db.fasta" --query "$folder/two.fasta" --quiet --evalue 1e6)
    head -n 4 "$folder/q.fasta" >"$folder/two.fasta"
    for format in pairwise tabular commented json 'qseqid sseqid score'; do
        "$program" search "${two[@]}" --device cpu --format "$format" >"$folder/first" || fail "$format"
        [ -s "$folder/first" ] || fail "$format: nothing"
        for way in '--device sim' '--device sim --memory 5M' '--device cpu --threads 1' '--device cpu --memory 1M'; do
            # shellcheck disable=SC2086
            "$program" search "${two[@]}" --format "$format" $way >"$folder/second" || fail "$format $way"
            cmp "$folder/first" "$folder/second" || fail "$format: $way differs from --device cpu"
        done
    done
}

# Each stage of the ladder searches, and finds the same.
case_same_by_every_stage() {
    local stage one=(--db "$folder/db.fasta" --query "$folder/one.fasta" --quiet --evalue 1e6 --format tabular)
    head -n 2 "$folder/q.fasta" >"$folder/one.fasta"
    "$program" search "${one[@]}" --device cpu >"$folder/first" || fail "cpu"
    for stage in sw/[0-9][0-9]_*/; do
        "$program" search "${one[@]}" --device sim --variant "${stage%/}" | cmp - "$folder/first" ||
            fail "$stage differs from cpu"
    done
}

case_same_nucleotides() {
    local strand files=(--db "$folder/dna.fasta" --query "$folder/two.fasta" --nucleotide --quiet --evalue 1e6)
    files+=(--format tabular)
    head -n 4 "$folder/dna_q.fasta" >"$folder/two.fasta"
    for strand in both plus minus; do
        "$program" search "${files[@]}" --device cpu --strand $strand >"$folder/$strand" || fail $strand
        "$program" search "${files[@]}" --device sim --strand $strand >"$folder/second" || fail "sim $strand"
        cmp "$folder/$strand" "$folder/second" || fail "$strand: sim differs from cpu"
    done
    cmp -s "$folder/plus" "$folder/minus" && fail "both strands say the same"
    # A subject's score on both strands is the better one's.
    cat "$folder/plus" "$folder/minus" | sort -k1,1 -k2,2 -k12,12gr | awk '!seen[$1 $2]++ { print $1, $2, $12 }' |
        sort >"$folder/merged"
    awk '{ print $1, $2, $12 }' "$folder/both" | sort | cmp - "$folder/merged" ||
        fail "both is not plus and minus merged"
}

# The same database as FASTA, packed, as .wdb, and through a pipe.
case_same_database() {
    "$program" search "${cpu[@]}" --format tabular >"$folder/first" || fail "FASTA"
    gzip -k "$folder/db.fasta"
    "$program" makedb --quiet "$folder/db.fasta" "$folder/db.wdb" || fail "makedb"
    for db in db.fasta.gz db.wdb; do
        expect 0 '' --db "$folder/$db" --query "$folder/q.fasta" --device cpu --quiet --format tabular
        cmp "$folder/first" "$folder/out" || fail "$db differs"
    done
    local piped=(--device cpu --quiet --format tabular)
    "$program" search --db - --query "$folder/q.fasta" "${piped[@]}" <"$folder/db.fasta" | cmp - "$folder/first" ||
        fail "--db - differs"
    "$program" search --db "$folder/db.wdb" --query - "${piped[@]}" <"$folder/q.fasta" | cmp - "$folder/first" ||
        fail "--query - differs"
    expect 3 'db.wdb: ' --db "$folder/db.wdb" --query "$folder/dna_q.fasta" --nucleotide --quiet
}

# Hits are ranked by score, ties by their place in the file; the three limits cut that list.
case_limits() {
    local columns='qseqid sseqid score'
    "$program" search "${cpu[@]}" --evalue 1e9 --format "$columns" >"$folder/all" || fail "all"
    sed 's/^q//; s/\ts/\t/' "$folder/all" >"$folder/numbers" # query, subject, score
    sort -s -k1,1n -k3,3nr -k2,2n "$folder/numbers" | cmp - "$folder/numbers" || fail "not in order"
    expect 0 '' "${cpu[@]}" --evalue 1e9 --format "$columns" --max-hits 3
    awk '++seen[$1] <= 3' "$folder/all" | cmp - "$folder/out" || fail "--max-hits 3 is not the best three"
    expect 0 '' "${cpu[@]}" --evalue 1e9 --format "$columns" --min-score 25
    awk '$3 >= 25' "$folder/all" | cmp - "$folder/out" || fail "--min-score 25"
    expect 0 '' "${cpu[@]}" --format 'qseqid sseqid evalue' --evalue 0.5
    awk '$3 > 0.5 { bad = 1 } END { exit bad }' "$folder/out" || fail "--evalue 0.5: $(cat "$folder/out")"
}

# Costs that nobody has published statistics for: scores, and no E-value to cut by.
case_unknown_statistics() {
    local unknown='no statistics are published for BLOSUM62 with gap costs 3, 3' costs=(--gap-open 3 --gap-extend 3)
    expect 2 "option --evalue: $unknown, so there is no E-value; expected --min-score" "${cpu[@]}" "${costs[@]}" --evalue 1
    costs+=(--format 'qseqid sseqid score')
    "$program" search "${files[@]}" --device cpu "${costs[@]}" >"$folder/out" 2>"$folder/err" || fail "no scores"
    grep -q "note: $unknown" "$folder/err" || fail "said $(cat "$folder/err")"
    [ -s "$folder/out" ] || fail "no scores"
}

# blastp's E-values of today: for proteins, and where there are any.
case_finite_size() {
    local unknown='no statistics are published for BLOSUM62 with gap costs 3, 3' shown=(--format 'qseqid sseqid score evalue')
    expect 2 'option --statistics: found .gumbel.; expected karlin or spouge' "${cpu[@]}" --statistics gumbel
    expect 2 'option --statistics: found spouge with --nucleotide' --db "$folder/dna.fasta" --query "$folder/dna_q.fasta" \
        --nucleotide --statistics spouge
    expect 2 "option --statistics: $unknown, so there is no E-value; expected karlin" "${cpu[@]}" --gap-open 3 --gap-extend 3 \
        --statistics spouge
    expect 0 '' "${cpu[@]}" "${shown[@]}" --evalue 1000
    mv "$folder/out" "$folder/karlin"
    expect 0 '' "${cpu[@]}" "${shown[@]}" --evalue 1000 --statistics karlin
    cmp "$folder/karlin" "$folder/out" || fail "karlin is not what is the default"
    expect 0 '' "${cpu[@]}" "${shown[@]}" --evalue 1000 --statistics spouge
    cmp -s "$folder/karlin" "$folder/out" && fail "spouge changes nothing"
    expect 0 '' "${cpu[@]}" --statistics spouge --format json
    grep -q '"evalues": "spouge"' "$folder/out" || fail "JSON does not say which"
}

case_output_file() {
    local where
    "$program" search "${cpu[@]}" --format tabular >"$folder/first" || fail "stdout"
    for where in "-o $folder/a.tsv" "--output $folder/a.tsv" "--make-folders --output=$folder/new/a.tsv" "-o$folder/a.tsv"; do
        # shellcheck disable=SC2086
        expect 0 '' "${cpu[@]}" --format tabular $where
        [ ! -s "$folder/out" ] || fail "$where: wrote to stdout"
    done
    cmp "$folder/first" "$folder/a.tsv" || fail "the file differs from stdout"
    cmp "$folder/first" "$folder/new/a.tsv" || fail "the file in a new folder differs from stdout"
    # A search that fails leaves what was there.
    printf '>a\nMK-V\n' >"$folder/gap.fasta"
    expect 3 'gap.fasta' --db "$folder/gap.fasta" --query "$folder/q.fasta" --quiet -o "$folder/a.tsv"
    cmp "$folder/first" "$folder/a.tsv" || fail "a failed search touched the file"
    expect 2 'is a directory' "${cpu[@]}" -o "$folder"
    expect 2 '/other/b.tsv: found no folder .*/other; expected one, or --make-folders' "${cpu[@]}" -o "$folder/other/b.tsv"
    [ ! -e "$folder/other" ] || fail "made a folder"
    expect 2 'q.fasta: is a file that is read' "${cpu[@]}" -o "$folder/q.fasta"
    expect 2 'db.fasta: is a file that is read' "${cpu[@]}" -o "$folder/db.fasta"
    [ -z "$(find "$folder" -name '*.tmp')" ] || fail "left $(find "$folder" -name '*.tmp')"
}

# However a search is stopped, there is no half file.
case_interrupted() {
    local signal tries
    for signal in INT TERM; do
        mkdir -p "$folder/w"
        # Simulated, this takes minutes. A shell's background job ignores SIGINT, unless something sets it back.
        sequences 5 3000 3000 $amino s >"$folder/large.fasta"
        env --default-signal=INT "$program" search --db "$folder/large.fasta" --query "$folder/large.fasta" \
            --device sim --quiet -o "$folder/w/hits.tsv" 2>"$folder/err" &
        local job=$!
        for ((tries = 0; tries < 200; tries++)); do
            [ -n "$(ls -A "$folder/w")" ] && break
            sleep 0.05
        done
        sleep 0.5
        kill -$signal $job
        wait $job
        local code=$?
        [ $code -eq $((128 + $(kill -l $signal))) ] || fail "$signal: exit code $code: $(cat "$folder/err")"
        [ -z "$(ls -A "$folder/w")" ] || fail "$signal: left $(ls -A "$folder/w")"
        [ "$(cat "$folder/err")" = "warpladder: interrupted" ] || fail "$signal: said $(cat "$folder/err")"
    done
}

case_full_disk() {
    [ -w /dev/full ] || exit 77
    "$program" search "${cpu[@]}" >/dev/full 2>"$folder/err"
    local code=$?
    [ $code -eq 4 ] || fail "exit code $code"
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "said $(cat "$folder/err")"
    expect 4 '/dev/full: ' "${cpu[@]}" -o /dev/full
    # A reader that goes away before all is written: the end that every program has there, without a word.
    "$program" search --db "$folder/db.fasta" --query "$folder/db.fasta" --device cpu --quiet --evalue 1e9 \
        2>"$folder/err" | head -n 1 >/dev/null
    code=${PIPESTATUS[0]}
    [ "$code" -eq 141 ] || fail "a closed pipe: exit code $code"
    [ ! -s "$folder/err" ] || fail "said $(cat "$folder/err")"
}

# How a file is laid out does not matter: lines of any length, blank ones, CRLF, lower case, a missing last line end, gzip members one
# behind the other. A sequence without letters and one without a name are not guessed at.
case_layouts() {
    local name
    awk '/^>/ { print; next } { for (i = 1; i <= length($0); i += 7) print substr($0, i, 7) }' "$folder/db.fasta" \
        >"$folder/wrapped"
    awk '{ printf "%s\r\n\r\n", $0 }' "$folder/wrapped" >"$folder/crlf"
    awk '/^>/ { print; next } { print tolower($0) }' "$folder/db.fasta" >"$folder/lower"
    awk '{ printf "%s%s", (NR > 1 ? "\n" : ""), $0 }' "$folder/db.fasta" >"$folder/no_last_end"
    head -n 10 "$folder/db.fasta" | gzip >"$folder/members"
    tail -n +11 "$folder/db.fasta" | gzip >>"$folder/members"
    expect 0 '' "${cpu[@]}" --format tabular
    mv "$folder/out" "$folder/first"
    for name in wrapped crlf lower no_last_end members; do
        expect 0 '' --db "$folder/$name" --query "$folder/q.fasta" --device cpu --quiet --format tabular
        cmp "$folder/first" "$folder/out" || fail "$name differs"
    done
    printf '>a\nMKV\n>b\n>c\nMKV\n' >"$folder/none.fasta"
    expect 3 "none.fasta:3: sequence 'b' has no letters; expected at least one" --db "$folder/none.fasta" --query "$folder/q.fasta"
    expect 3 "none.fasta:3: sequence 'b' has no letters" --db "$folder/db.fasta" --query "$folder/none.fasta"
    printf '> a\nMKV\n' >"$folder/nameless.fasta"
    expect 3 'nameless.fasta:1: found a header without a name' --db "$folder/nameless.fasta" --query "$folder/q.fasta"
}

# answered TEXT NUMBER: send TEXT to the search that runs, wait for the answer to query NUMBER, and compare it.
answered() {
    local line lines k
    printf '%b' "$1" >&"$to"
    lines=$(wc -l <"$folder/answer.$2")
    for ((k = 0; k < lines; k++)); do
        IFS= read -r -t 30 line <&"$from" || fail "query $2: line $((k + 1)) of $lines did not come: $(cat "$folder/err")"
        printf '%s\n' "$line"
    done | cmp - "$folder/answer.$2" || fail "query $2: another answer"
}

# The search that runs has the two pipes, and this shell has no others of them.
begun() {
    # shellcheck disable=SC2154 # coproc sets it
    pid=$search_PID
    exec {from}<&"${search[0]}" {to}>&"${search[1]}"
    # shellcheck disable=SC1083 # descriptors in an array
    exec {search[0]}<&- {search[1]}>&-
}

# A query is answered before the next one is written. A reader that waits for more bytes, or a report that is not flushed, waits for ever.
# A short first query has fewer bytes than the readers look at elsewhere.
case_one_at_a_time() {
    local device k from to pid white q=(MKV) common=(--db "$folder/db.fasta" --quiet --format tabular --evalue 1e6)
    mapfile -t -O 1 q < <(grep -v '^>' "$folder/q.fasta")
    for device in cpu sim; do
        for k in 0 1 2 3 4; do
            printf '>q%d\n%s\n' $k "${q[k]}" >"$folder/query.$k"
            "$program" search "${common[@]}" --query "$folder/query.$k" --device $device >"$folder/answer.$k" || fail "query $k"
            [ -s "$folder/answer.$k" ] || fail "query $k: nothing is found"
        done
        coproc search { exec "$program" search "${common[@]}" --query - --device $device 2>"$folder/err"; }
        begun
        answered ">q0\n${q[0]}\n\n" 0                                                # an empty line ends it
        answered ">q1\n${q[1]}\n>" 1                                                 # and so does the next header
        answered "q2\n\n${q[2]:0:1}\n${q[2]:1}\r\n\r\n\n" 2                           # an empty line before the letters does not
        answered ">q3\n${q[3]}\n\n>q4\n${q[4]}" 3
        exec {to}>&-
        cmp - "$folder/answer.4" <&"$from" || fail "query 4: another answer"
        wait "$pid" || fail "exit code $?: $(cat "$folder/err")"
        coproc search { exec "$program" search "${common[@]}" --query - --device $device 2>"$folder/err"; }
        begun
        answered "@q0\n${q[0]}\n+\n${q[0]}\n" 0
        answered "@q1\n${q[1]}\n+\n${q[1]}\n" 1
        exec {to}>&-
        wait "$pid" || fail "exit code $?: $(cat "$folder/err")"
        for white in '\n' '\r\n' ' \n' '\t\n'; do
            coproc search { exec "$program" search "${common[@]}" --query - --device $device 2>"$folder/err"; }
            begun
            answered "$white>q0\n${q[0]}\n\n" 0
            exec {to}>&-
            wait "$pid" || fail "exit code $?: $(cat "$folder/err")"
        done
    done
}

# What is wrong with a query is said when the queries before it have been answered. Nobody waits for input that does not come.
case_arriving_queries_refused() {
    local search=(--db "$folder/db.fasta" --query - --quiet --format tabular --device cpu)
    head -n 4 "$folder/q.fasta" >"$folder/two.fasta"
    expect 0 '' --db "$folder/db.fasta" --query "$folder/two.fasta" --quiet --format tabular --device cpu
    mv "$folder/out" "$folder/first"
    refused() { # TEXT REGEX
        (cat "$folder/two.fasta" && printf '%b' "$1") | expect 3 "$2" "${search[@]}" || exit
        cmp "$folder/first" "$folder/out" || fail "$1: other answers before it"
    }
    refused '>a\nMK\n\nV\n' "standard input:8:1: found 'V' after the empty line that ends the letters of 'a'; expected '>'"
    refused '>a\nMK1\n' "standard input:6:3: found '1'"
    refused '>a\nMK-\n' "standard input:5: found '-' at position 3 of sequence 'a'"
    refused '>a\n>b\nMK\n' "standard input:5: sequence 'a' has no letters"
    : | expect 3 'standard input: the file is empty' "${search[@]}" || exit
    : | expect 3 'standard input: the file is empty' --db "$folder/db.fasta" --query - --device cpu || exit
    [ ! -s "$folder/out" ] || fail "a report without a query begins: $(cat "$folder/out")"
    local begun=$SECONDS
    expect 3 'none.fasta' --db "$folder/none.fasta" --query - < <(exec sleep 20)
    kill $!
    [ $((SECONDS - begun)) -lt 15 ] || fail "it waits for queries without a database"
    begun=$SECONDS
    expect 3 "found '1' before the first header" --db <(sleep 1 && echo 1) --query - < <(printf '>' && exec sleep 20)
    kill $!
    [ $((SECONDS - begun)) -lt 15 ] || fail "it waits for the rest of a query without a database"
    gzip <"$folder/two.fasta" | expect 0 '' "${search[@]}" || exit
    cmp "$folder/first" "$folder/out" || fail "other answers from gzip"
}

# A packed file of more than one piece, which a thread unpacks ahead: what is found, what is wrong with it, and that nobody waits for the
# rest of a pipe when something is wrong.
case_packed() {
    local own=(--query "$folder/q.fasta" --device cpu --quiet --format tabular) begun
    sequences 5 4000 600 $amino s >"$folder/large"
    gzip -c "$folder/large" >"$folder/large.gz"
    expect 0 '' --db "$folder/large" "${own[@]}"
    mv "$folder/out" "$folder/first"
    expect 0 '' --db "$folder/large.gz" "${own[@]}"
    cmp "$folder/first" "$folder/out" || fail "packed: other hits"
    "$program" search --db - "${own[@]}" <"$folder/large.gz" | cmp - "$folder/first" || fail "packed, from a file: other hits"
    # shellcheck disable=SC2002 # a pipe, not a file
    cat "$folder/large.gz" | "$program" search --db - "${own[@]}" | cmp - "$folder/first" || fail "packed, from a pipe: other hits"
    head -c 500000 "$folder/large.gz" >"$folder/cut.gz"
    expect 3 'cut.gz:[0-9]{4}: the gzip data end too early \(inside a member\)' --db "$folder/cut.gz" "${own[@]}"
    (cat "$folder/large.gz" && echo more) >"$folder/more.gz"
    expect 3 'more.gz:8001: the gzip data are damaged here: bytes that are no gzip member' --db "$folder/more.gz" "${own[@]}"
    sed '7000s/^./1/' "$folder/large" | gzip >"$folder/wrong.gz"
    expect 3 "wrong.gz:7000:1: found '1' in sequence 's3499'" --db "$folder/wrong.gz" "${own[@]}"
    begun=$SECONDS
    expect 3 'standard input:8001: the gzip data are damaged' --db - "${own[@]}" < <(cat "$folder/more.gz" && exec sleep 30)
    kill $!
    [ $((SECONDS - begun)) -lt 25 ] || fail "it waits for what nobody wants"
}

# What other programs pack, where they are installed: a file, a file on standard input, a pipe; damaged; without the program.
case_packed_by_others() {
    local own=(--query "$folder/q.fasta" --device cpu --quiet --format tabular) packer
    sequences 5 4000 600 $amino s >"$folder/large"
    "$program" search --db "$folder/large" "${own[@]}" >"$folder/first"
    for packer in xz zstd bzip2; do
        command -v $packer >/dev/null || continue
        $packer -qc "$folder/large" >"$folder/large.$packer"
        "$program" search --db "$folder/large.$packer" "${own[@]}" | cmp - "$folder/first" || fail "$packer: other hits"
        "$program" search --db - "${own[@]}" <"$folder/large.$packer" | cmp - "$folder/first" || fail "$packer, from a file: other hits"
        # shellcheck disable=SC2002 # a pipe, not a file
        cat "$folder/large.$packer" | "$program" search --db - "${own[@]}" | cmp - "$folder/first" || fail "$packer, from a pipe: other hits"
        head -c 300000 "$folder/large.$packer" >"$folder/cut"
        expect 3 "cut: the $packer data are damaged or truncated" --db "$folder/cut" "${own[@]}"
        # The program ends at the damage. What feeds it has more to write, and must not wait for a reader for ever.
        cat "$folder/cut" <(head -c 2000000 /dev/zero) | timeout 60 "$program" search --db - "${own[@]}" >"$folder/out" 2>"$folder/err" &&
            fail "$packer data with zeros"
        grep -q "input: the $packer data are damaged or truncated" "$folder/err" || fail "$packer from a pipe: $(cat "$folder/err")"
        sed '70s/^./1/' "$folder/large" | $packer -qc >"$folder/wrong"
        expect 3 "wrong:70:1: found '1'" --db "$folder/wrong" "${own[@]}"
        PATH=$folder "$program" search --db "$folder/large.$packer" "${own[@]}" 2>"$folder/err" && fail "$packer without the program"
        grep -q "found $packer data, and the program $packer cannot be started" "$folder/err" || fail "said $(cat "$folder/err")"
    done
}

# Records without letters, without a name, or with a letter that is none, among good ones: refused, or left out and counted.
case_skip_bad() {
    local bad=" records? (was|were) left out" own=(--device cpu --format 'qseqid sseqid') all
    # said WORDS OPTION...: exit code 0, and a note with these words.
    said() {
        local words=$1
        shift
        "$program" search "$@" >"$folder/out" 2>"$folder/err" || fail "$*: $(cat "$folder/err")"
        grep -Eq "note: .*$words" "$folder/err" || fail "said $(cat "$folder/err"); expected $words"
    }
    sed 's/^>s7 /> s7 /; s/^>s9 .*/>/; /^>s11 /{n;s/$/1/}; /^>s13 /{n;s/.*//}; /^>s15 /{n;s/^/M-/}' "$folder/db.fasta" >"$folder/bad.fasta"
    expect 3 "bad.fasta:[0-9]+: found a header without a name; expected a name right after '>': delete the blank" \
        --db "$folder/bad.fasta" --query "$folder/q.fasta" "${own[@]}"
    said "bad.fasta: 5 records were left out: 1 without letters, 2 without a name, 2 with an unexpected letter; the first is in line 15" \
        --db "$folder/bad.fasta" --query "$folder/q.fasta" "${own[@]}" --skip-bad
    awk '/^>/ { keeps = $1 !~ /^>s(7|9|11|13|15)$/ } keeps' "$folder/db.fasta" >"$folder/good.fasta"
    "$program" search --db "$folder/good.fasta" --query "$folder/q.fasta" "${own[@]}" --quiet | cmp - "$folder/out" || fail "other hits"
    said "bad.fasta: 5$bad" --query "$folder/bad.fasta" --db "$folder/q.fasta" "${own[@]}" --skip-bad
    mv "$folder/out" "$folder/first"
    said "standard input: 5$bad" --query - --db "$folder/q.fasta" "${own[@]}" --skip-bad < <(cat "$folder/bad.fasta")
    cmp "$folder/out" "$folder/first" || fail "other hits of queries in a pipe"
    "$program" makedb "$folder/bad.fasta" "$folder/bad.wdb" --skip-bad 2>"$folder/err" || fail "makedb: $(cat "$folder/err")"
    grep -Eq "bad.fasta: 5$bad" "$folder/err" || fail "makedb said $(cat "$folder/err")"
    all=$("$program" makedb "$folder/good.fasta" "$folder/good.wdb" --json)
    [[ "$all" == *'"sequences": 35'* ]] || fail "$all"
    printf '>\nAC\n>b\n' >"$folder/none.fasta"
    expect 3 "none.fasta: found no sequence that can be used: 2$bad" --db "$folder/none.fasta" --query "$folder/q.fasta" --skip-bad
    expect 3 "none.fasta: found no sequence that can be used: 2$bad" --query "$folder/none.fasta" --db "$folder/q.fasta" --skip-bad
}

# What programs that are called as BLAST's do in their places: see docs/search.md.
case_like_blast() {
    local from=(-query "$folder/q.fasta" -outfmt "6 qseqid sseqid score" -num_threads 1)
    mkdir "$folder/links"
    for link in blastp blastn makeblastdb; do ln -s "$program" "$folder/links/$link"; done
    PATH=$folder/links:$PATH
    cd "$folder" || fail "no folder"
    quietly() { "$@" >out 2>err || fail "$*: $(cat err)"; [ ! -s err ] || fail "$* said $(cat err)"; }
    quietly makeblastdb -in db.fasta -dbtype prot -out new/folder/one
    [ -f new/folder/one ] || fail "no database"
    quietly makeblastdb -version
    [ "$(sed q out)" = "makeblastdb: 2.12.0+" ] || fail "$(cat out)"
    quietly blastp -version
    [ "$(sed q out)" = "blastp: 2.12.0+" ] || fail "$(cat out)"
    quietly blastp "${from[@]}" -db new/folder/one
    mv out first
    # Equal E-values and scores: the last of the database first. Every fourth sequence repeats the one before it.
    awk '{ sub(/^s/, "", $2) } $1 == q && $3 == s && $2 == n + 1 { exit 1 } { q = $1; n = $2; s = $3 }' first || fail "$(cat first)"
    # Several databases, one of them not made, as one; and folders in which they are.
    awk '/^>/ { half = NR % 4 < 2 } half' db.fasta >half.fasta
    awk '/^>/ { half = NR % 4 >= 2 } half' db.fasta >new/folder/two.fasta
    cat half.fasta new/folder/two.fasta >both.fasta
    quietly blastp "${from[@]}" -db both.fasta
    mv out both
    BLASTDB=/nowhere:$folder/new/folder quietly blastp "${from[@]}" -db "half.fasta two.fasta"
    cmp out both || fail "two databases"
    quietly makeblastdb -in half.fasta -dbtype prot -out half
    BLASTDB=$folder/new/folder quietly blastp "${from[@]}" -db "half two.fasta"
    cmp out both || fail "two databases, one of them made"
    cp half.fasta "a b"
    quietly blastp "${from[@]}" -db "a b"
    "$program" search "${files[@]}" --db "half.fasta two.fasta" >/dev/null 2>&1 && fail "not by the command's own name"
    # No query, or one without letters: a note.
    : >empty
    blastp -query empty -db half >out 2>err || fail "an empty file"
    grep -q 'note: empty: found no query' err || fail "said $(cat err)"
    blastp -db half <empty >out 2>err || fail "empty standard input"
    grep -q 'note: standard input: found no query' err || fail "said $(cat err)"
    (echo '>nothing'; cat q.fasta) >some
    blastp "${from[@]}" -query some -db new/folder/one >out 2>err || fail "an empty record"
    grep -q 'note: some: 1 record was left out: 1 without letters; the first is in line 1' err || fail "said $(cat err)"
    cmp out first || fail "others than without the empty record"
    blastp "${from[@]}" -db half -gapopen 100 2>err && fail "gap costs without statistics"
    grep -q 'expected karlin, or gap costs that have them: 11, 2 or 10, 2' err || fail "said $(cat err)"
}

# Words that look like bundled letters are named as a whole.
case_words_that_are_no_option() {
    local word
    for word in -html -query_loc -qx -xyz; do expect 2 "unknown option $word;" "${files[@]}" $word 5; done
    expect 0 '' "${files[@]}" -qj2
}

# What is expected in place of a letter is what is taken, and what can be done is said.
case_letters_expected() {
    printf '>a\nMK1V\n' >"$folder/digit.fasta"
    expect 3 "digit.fasta:2:3: found '1' in sequence 'a'; expected amino acids, one of ARND" --query "$folder/digit.fasta" --db "$folder/db.fasta"
    printf '>a\nMK.V\n' >"$folder/dot.fasta"
    expect 3 "found '\.' at position 3 of sequence 'a'; expected amino acids, .*--strip-gaps" --query "$folder/dot.fasta" --db "$folder/db.fasta"
    printf '>a\nACXT\n' >"$folder/masked.fasta"
    expect 3 "found 'X' at position 3 .*\(N is any of them\)" --nucleotide --query "$folder/masked.fasta" --db "$folder/dna.fasta"
}

# BLAST's XML: a document that a parser reads, with the table's values; names that need escapes.
case_xml() {
    command -v python3 >/dev/null || exit 77
    printf '>a&b <c> "d" \001e\n%s\n' "$(sed -n 2p "$folder/db.fasta")" >"$folder/odd.fasta"
    for format in 5 xml; do
        expect 0 '' --db "$folder/db.fasta" --query "$folder/odd.fasta" --device cpu --quiet --max-hsps 3 --format $format
    done
    mv "$folder/out" "$folder/odd.xml"
    expect 0 '' "${cpu[@]}" --max-hsps 3 --format xml
    mv "$folder/out" "$folder/all.xml"
    expect 0 '' "${cpu[@]}" --max-hsps 3 --format 'qseqid sseqid qstart qend sstart send score length gaps nident positive qlen slen qseq sseq'
    python3 - "$folder" <<'END' || fail "the XML"
import sys, xml.etree.ElementTree as tree
folder = sys.argv[1]
rows = []
root = tree.parse(folder + "/all.xml").getroot()
for query in root.iter("Iteration"):
    for hit in query.iter("Hit"):
        for number, hsp in enumerate(hit.iter("Hsp"), 1):
            assert hsp.find("Hsp_num").text == str(number)
            of = lambda name: hsp.find("Hsp_" + name).text
            rows.append("\t".join([query.find("Iteration_query-def").text.split()[0], hit.find("Hit_id").text, of("query-from"), of("query-to"),
                                   of("hit-from"), of("hit-to"), of("score"), of("align-len"), of("gaps"), of("identity"), of("positive"),
                                   query.find("Iteration_query-len").text, hit.find("Hit_len").text, of("qseq"), of("hseq")]))
assert rows == open(folder + "/out").read().splitlines(), rows[:2]
assert len(list(root.iter("Iteration"))) == 5
odd = tree.parse(folder + "/odd.xml").getroot()
assert odd.find("BlastOutput_query-def").text == 'a&b <c> "d"  e', odd.find("BlastOutput_query-def").text
END
}

case_little_memory() {
    expect 4 'no variant of sw takes a query of .*expected more memory \(--memory\)' "${cpu[@]}" --memory 1
}

case_no_gpu() {
    "$program" search "${files[@]}" --device gpu --quiet >/dev/null 2>&1 && exit 77
    expect 4 'no GPU' "${files[@]}" --device gpu
    expect 0 'cpu_simd' "${files[@]}" --device auto # and not the simulated device
}

# Also where there is a GPU.
case_short() {
    expect 0 'cpu_simd' "${files[@]}" --device auto
    expect 0 'cpu_simd' "${files[@]}"
    cp "$folder/out" "$folder/auto"
    "$program" makedb "$folder/db.fasta" "$folder/db.wdb" --quiet || fail "makedb"
    gzip -k "$folder/q.fasta"
    expect 0 'cpu_simd' --db "$folder/db.wdb" --query "$folder/q.fasta.gz"
    cmp <(grep -v ^Database: "$folder/out" | grep -v '  Database:') <(grep -v ^Database: "$folder/auto" | grep -v '  Database:') ||
        fail "another report"
}

declare -F "case_$name" >/dev/null || fail "there is no case $name"
"case_$name"
