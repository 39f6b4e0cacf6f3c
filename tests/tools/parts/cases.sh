#!/usr/bin/env bash
# bash cases.sh path/to/warpladder NAME: runs in parts, against a single run of the same command line.
set -u
# shellcheck source=tests/support/expect.sh
source "$(dirname "$0")/../../support/expect.sh"
corpus=$(cd "$(dirname "$0")/../../corpus" && pwd)
cd "$folder" || exit 1

# random SEED COUNT SHORTEST LONGEST LETTERS PREFIX: random FASTA; every fourth sequence repeats the one before it.
random() {
    awk -v seed="$1" -v count="$2" -v shortest="$3" -v longest="$4" -v letters="$5" -v prefix="$6" 'BEGIN {
        srand(seed)
        for (i = 0; i < count; i++) {
            if (i % 4 != 3) {
                text = ""
                for (k = shortest + int(rand() * (longest - shortest + 1)); k > 0; k--)
                    text = text substr(letters, 1 + int(rand() * length(letters)), 1)
            }
            printf ">%s%d number %d\n%s\n", prefix, i, i, text
        }
    }'
}
amino=ARNDCQEGHILKMFPSTWYV

# parts N WORD...: the command of these words in N parts, p/1.part to p/N.part.
parts() {
    local n=$1
    shift
    rm -rf p
    for ((i = 1; i <= n; i++)); do
        "$program" "$@" --quiet --device cpu --threads 1 --part "$i/$n" -o "p/$i.part" || fail "$*: part $i of $n"
    done
}

# same "N..." OUT WORD...: the single run's bytes, for each N, from parts in an order that is not theirs.
same() {
    local counts=$1 out=$2 n
    shift 2
    "$program" "$@" --quiet --device cpu --threads 1 -o "single.$out" || fail "$*"
    for n in $counts; do
        parts "$n" "$@"
        mapfile -t files < <(printf '%s\n' p/*.part | sort -r | awk '{ print NR % 2, $0 }' | sort -s -k1,1 | cut -d' ' -f2)
        "$program" merge "${files[@]}" --quiet -o "merged.$out" || fail "$*: merge of $n parts"
        cmp "single.$out" "merged.$out" || fail "$*: $n parts give other bytes"
    done
}

case_search() {
    random 1 40 1 120 $amino s >db.fasta
    random 2 9 1 90 $amino q >q.fasta
    random 3 150 300 400 $amino q >many.fasta # three batches
    random 4 40 1 120 ACGT s >dna.fasta
    same "1 2 3 4 7" txt search --db db.fasta --query q.fasta --evalue 1e9 --max-hits 3
    same "4 5" txt search --db db.fasta --query many.fasta --evalue 1e9 --max-hits 2 --format tabular
    same 3 txt search --nucleotide --db dna.fasta --query dna.fasta --evalue 100 --format json
    same 3 txt search --db db.fasta --query q.fasta --statistics spouge --format commented
    same 3 txt search --nucleotide --db dna.fasta --query dna.fasta --format tabular --max-hits 4 --max-hsps 3 --min-identity 90 --min-coverage 10
    same 2 txt search --nucleotide --strand minus --db dna.fasta --query dna.fasta --format "qseqid sseqid score sstrand"
}

case_distances() {
    random 5 37 60 60 ACGTN- g >al.fasta
    local layout
    same "1 2 3 4 7" out distances al.fasta
    for layout in csv lower phylip list molten npy; do
        same 3 out distances al.fasta --layout $layout
    done
    same 3 npy distances al.fasta
    same 2 out distances al.fasta --layout list --compared --max-distance 40 --header
    same 2 out distances al.fasta --clusters 40
    same 2 out distances al.fasta --measure tn93
    awk 'BEGIN { for (i = 0; i < 9; i++) print "r" i "\t" i / 7 "\t" i * i / 3 "\tNA" }' >table.tsv
    same 2 out distances table.tsv --measure euclidean2
    head -2 al.fasta >one.fasta
    same 3 out distances one.fasta # parts without work
}

# all N WORD...: all files that align-reads writes, the command line in the .jplace among them.
all() {
    local n=$1 outputs=(--table out.tsv --jplace out.jplace --left-out out.left)
    shift
    set -- align-reads --tree data/tree.nwk --reference data/reference.fasta "${outputs[@]}" "$@"
    rm -rf out.* single
    "$program" "$@" --quiet --device cpu --threads 1 -o out.phy || fail "$*"
    mkdir single && mv out.* single
    parts "$n" "$@"
    ls out.* >err 2>&1 && fail "$*: parts have written output"
    "$program" merge p "${outputs[@]}" --quiet -o out.phy || fail "$*: merge of $n parts"
    for file in single/*; do
        cmp "$file" "${file#single/}" || fail "$*: $n parts give other bytes"
    done
}

case_align_reads() {
    "$program" simulate-reads --taxa 10 --sites 120 --reads 70 --length 20-40 --out data --quiet --seed 3 || fail "no data"
    # Half of the reads turned around, and some that nobody wants.
    awk '/^>/ { print; next } NR % 4 { print; next } { text = ""
        for (i = length($0); i > 0; i--) text = text substr("TGCA", index("ACGT", substr($0, i, 1)), 1)
        print text }' data/reads.fasta >turned.fasta
    { cat turned.fasta && head -2 turned.fasta && printf '>empty\n\n>other\nACGUUGCAGUCAGUCGAUUCGUGUAC\n'; } >bad.fasta
    local n
    for n in 1 2 3 4 7; do
        all "$n" --reads turned.fasta --strand auto
    done
    all 3 --reads turned.fasta --strand both --keep-insertions
    all 2 --reads bad.fasta --strand minus --bad-reads skip --max-score-per-letter 1
    all 3 --reads bad.fasta --strand auto --bad-reads skip
    all 2 --reads data/reads.fasta --split --format fasta
    # A name twice is refused by each part as by a single run, though the two are in different parts.
    { cat turned.fasta && head -2 turned.fasta; } >twice.fasta
    local line=(align-reads --tree data/tree.nwk --reference data/reference.fasta --reads twice.fasta -o out.phy)
    "$program" "${line[@]}" 2>single.err && fail "a name twice was taken"
    "$program" "${line[@]}" --part 2/3 2>part.err && fail "a name twice was taken by a part"
    cmp single.err part.err || fail "a part says something else: $(cat part.err)"
}

# A part is data. What it says is never a command line, whoever made it: merge writes where its own line says, and nowhere else.
case_data() {
    local forge=(python3 -B "$corpus/../tools/parts/forge.py") field
    "$program" simulate-reads --taxa 5 --sites 60 --reads 6 --length 20 --out data --quiet --seed 3 || fail "no data"
    random 5 7 20 20 ACGT g >dna.fasta
    echo keep >victim
    # Letters in one word: the output's among others'.
    "$program" distances dna.fasta -qo single.tsv || fail "-qo"
    "$program" distances dna.fasta -cqo single.csv || fail "-cqo"
    for i in 1 2; do
        "$program" distances dna.fasta --part $i/2 -qo "d.$i.part" || fail "part $i with -qo"
        "$program" distances dna.fasta -cqod.c.$i.part --part=$i/2 || fail "part $i with -cqoFILE"
    done
    cp d.1.part before
    "$program" merge d.1.part d.2.part --quiet >merged.tsv || fail "merge of parts with -qo"
    cmp single.tsv merged.tsv || fail "parts with -qo give other bytes"
    "$program" merge d.c.1.part d.c.2.part -qo merged.csv || fail "merge of parts with -cqoFILE"
    cmp single.csv merged.csv || fail "parts with -cqoFILE give other bytes"
    cmp before d.1.part || fail "merge has changed a part"
    # A part whose line named further outputs.
    parts 2 align-reads --tree data/tree.nwk --reference data/reference.fasta --reads data/reads.fasta --table victim --jplace=victim.2
    "$program" merge p --jplace own.jplace -o out.phy 2>err || fail "$(cat err)"
    grep -q '^warpladder merge: note: the parts were given --table, .*--table FILE' err || fail "nothing said of --table: $(cat err)"
    ! grep -q -e --jplace err || fail "merge has its own --jplace: $(cat err)"
    { [ -s own.jplace ] && [ ! -e victim.2 ]; } || fail "a part has named an output"
    expect 2 'p/2.part: is a file that is read' merge p -o out.phy --table p/2.part
    expect 2 'option --table: found with parts of distances, which has none' merge d.1.part d.2.part --table x
    # Parts that someone has made.
    cp -r p made
    for field in option:output=+victim option:table=+victim option:jplace=+victim option:left-out=+victim option:numbered-tree=+victim \
        option:part=+1/2 option:restart=+ option:evil=+1 option:=+ input:=+victim input:=+-ovictim; do
        "${forge[@]}" p/1.part made/1.part "$field" || fail "no forged part"
        expect 3 'made/1.part: has (a value for --|1 inputs)' merge made -o out.phy
    done
    for field in output:table=+ shown:=+--table shown:=+victim; do
        "${forge[@]}" p/1.part made/1.part "$field" shown:=+-o shown:=+victim output:jplace=+ || fail "no forged part"
        "$program" merge made -q -o out.phy 2>err || fail "$field: $(cat err)"
    done
    "${forge[@]}" d.1.part d.1.part "input:=--output=victim" "shown:=" || fail "no forged part"
    expect 3 '^warpladder merge: --output=victim: cannot open' merge d.1.part d.2.part
    grep -qx keep victim || fail "a part has written where merge's line does not say"
    # A file of a version that kept the command line.
    expect 3 'part/old: is a file of an older format, 1, .*expected format 2: remove it and compute it again' merge "$corpus/part/old" -o result
}

# A part, or a database, that is cut while it is read ends the program in one line, with exit code 3, and leaves no output. The inputs are
# pipes, so that it is known when the files have been opened.
case_cut() {
    local size bytes code
    random 5 90 60 60 ACGT g >al.fasta
    parts 2 distances al.fasta
    bytes=$(stat -c %s p/1.part)
    mv al.fasta real.fasta && mkfifo al.fasta
    for size in 0 1 100 343 4095 4096 4097 8192 $((bytes / 2)) $((bytes - 4096)) $((bytes - 1)); do
        cp p/1.part kept.part
        "$program" merge p -q -o out.tsv 2>err &
        { cat real.fasta && sleep 0.1 && truncate -s "$size" p/1.part; } >al.fasta
        wait $!
        code=$?
        { [ $code -eq 3 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'p/1.part: became shorter while it was read' err; } ||
            fail "a part cut to $size of $bytes bytes: exit code $code, $(cat err)"
        { [ ! -e out.tsv ] && [ -z "$(find . -name '.warpladder-*')" ]; } || fail "a part cut to $size bytes: an output was left"
        mv kept.part p/1.part
    done
    random 1 400 300 300 $amino s >db.fasta
    "$program" makedb db.fasta db.wdb -q || fail "makedb"
    bytes=$(stat -c %s db.wdb)
    for size in 0 1 4096 8191 20000 $((bytes / 2)) $((bytes - 5000)) $((bytes - 1)); do
        cp db.wdb cut.wdb
        { head -2 db.fasta && sleep 0.3 && truncate -s "$size" cut.wdb && tail -2 db.fasta; } |
            "$program" search --db cut.wdb --query - --device cpu -q -o out.txt 2>err
        code=$?
        { [ $code -eq 3 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'cut.wdb: became shorter while it was read' err; } ||
            fail "a database cut to $size of $bytes bytes: exit code $code, $(cat err)"
        { [ ! -e out.txt ] && [ -z "$(find . -name '.warpladder-*')" ]; } || fail "a database cut to $size bytes: an output was left"
    done
}

# killed OUT WORD...: the disk is full once; then parts are killed in turn, at random moments. What has a part's name is whole, and the same
# commands finish the work. WL_KILLS: how often (default: 2).
killed() {
    local kills=${WL_KILLS:-2} out=$1 said child i kill
    shift
    local line=("$@" --device cpu --threads 1 --quiet)
    "$program" "${line[@]}" -o "single.$out" || fail "$*"
    said=$( (ulimit -f 1 && "$program" "${line[@]}" --part 1/3 -o p/1.part) 2>&1) && fail "$*: a full disk went unseen"
    [[ $said == *"p/1.part: cannot write: File too large" ]] || fail "$*: a full disk: $said"
    [ ! -e p/1.part ] || fail "$*: a full disk left half a part"
    for ((kill = 0; kill < kills; kill++)); do
        i=$((kill % 3 + 1))
        rm -f "p/$i.part"
        "$program" "${line[@]}" --part "$i/3" -o "p/$i.part" &
        child=$!
        sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
        kill -9 $child 2>err
        wait $child 2>err
        [ ! -e "p/$i.part" ] || cp "p/$i.part" "early.$kill"
    done
    for i in 1 2 3; do
        "$program" "${line[@]}" --part "$i/3" -o "p/$i.part" || fail "$*: part $i again"
    done
    for ((kill = 0; kill < kills; kill++)); do
        [ ! -e "early.$kill" ] || cmp "early.$kill" "p/$((kill % 3 + 1)).part" || fail "$*: part $((kill % 3 + 1)) was wrong before it was killed"
    done
    [ "$(ls -A p)" = "$(printf '1.part\n2.part\n3.part')" ] || fail "$*: left $(ls -A p)"
    "$program" merge p --quiet -o "merged.$out" || fail "$*: merge"
    cmp "single.$out" "merged.$out" || fail "$*: other bytes after $kills kills"
    said=$( (ulimit -f 1 && "$program" merge p --quiet -o "full.$out") 2>&1) && fail "$*: a full disk went unseen by merge"
    [[ $said == *"full.$out: cannot write"*": File too large" ]] || fail "$*: merge on a full disk: $said"
    [ ! -e "full.$out" ] || fail "$*: a full disk left half an output"
    rm -rf p early.*
}

case_killed() {
    random 7 900 300 300 $amino s >db.fasta
    head -200 db.fasta >q.fasta
    killed txt search --db db.fasta --query q.fasta --max-hits 3 --evalue 1e9
    random 8 900 800 800 ACGT- g >al.fasta
    killed csv distances al.fasta --measure tn93 --layout csv
    "$program" simulate-reads --taxa 60 --sites 700 --reads 300 --length 100 --out more --quiet --seed 3 || fail "no data"
    killed phy align-reads --tree more/tree.nwk --reference more/reference.fasta --reads more/reads.fasta
}

# What is wrong with parts is said by name; nothing is written.
case_refused() {
    random 1 12 1 80 $amino s >db.fasta
    random 2 3 1 60 $amino q >q.fasta
    local line=(search --db db.fasta --query q.fasta)
    expect 2 "option --part: found '0/3'; expected I/N" "${line[@]}" --part 0/3 -o x.part
    expect 2 "option --part: found '4/3'" "${line[@]}" --part 4/3 -o x.part
    expect 2 'option --part: found without a file for the part; expected -o FILE' "${line[@]}" --part 1/3
    expect 2 "option --part: found the input '-'" distances - --part 1/2 -o x.part
    parts 3 "${line[@]}" && mv p good
    expect 3 'part 3 of 3 is missing beside good/2.part' merge good/1.part good/2.part -o result
    expect 3 'part 1 of 3 is missing beside good/2.part' merge good/2.part good/3.part -o result
    cp good/2.part twice.part
    expect 3 'twice.part: is part 2 of 3, as good/2.part is' merge good/*.part twice.part -o result
    parts 2 "${line[@]}"
    expect 3 'is one of 2 parts, and good/1.part one of 3' merge good/1.part p/2.part -o result
    parts 3 "${line[@]}" --max-hits 1
    expect 3 'p/2.part: is a part of another run than good/1.part: their options or versions differ' \
        merge good/1.part p/2.part good/3.part -o result
    sed -i 's/number 1$/number one/' db.fasta
    expect 3 'good/1.part: its inputs have changed' merge good -o result
    parts 3 "${line[@]}"
    expect 3 'p/2.part: is a part of another run than good/1.part: their inputs differ' merge good/1.part p/2.part good/3.part -o result
    expect 2 'p/1.part: is a file that is read' merge p -o p/1.part
    for size in 0 5 90 200; do
        head -c $size p/2.part >cut.part
        expect 3 'cut.part: (is empty|is no part file|ends too soon|does not end)' merge p/1.part cut.part p/3.part -o result
    done
    sed 's/fasta/faste/' p/2.part >bent.part
    expect 3 'bent.part: is damaged: its checksum is wrong' merge p/1.part bent.part p/3.part -o result
    expect 3 'nowhere.part: cannot open' merge nowhere.part -o result
    # Former versions measured in parts. The corpus has such a file.
    expect 3 "part/run: is a part of 'run'; expected one of search, distances or align-reads" merge "$corpus/part/run" -o result
    [ ! -e result ] || fail "a refused merge has written its output"
}

# A part that is there is not computed again; one that is broken or of another run is.
case_again() {
    random 1 12 1 80 $amino s >db.fasta
    local line=(search --db db.fasta --query db.fasta --device cpu)
    "$program" "${line[@]}" --quiet --part 2/3 -o 2.part || fail "part 2"
    cp 2.part before && touch -d 2020-01-01 2.part
    expect 0 'note: 2.part: is there and whole: nothing to compute' "${line[@]}" --part 2/3 -o 2.part
    [ "$(stat -c %Y 2.part)" -lt 1600000000 ] || fail "a whole part was written again"
    head -c 300 before >2.part
    "$program" "${line[@]}" --quiet --part 2/3 -o 2.part || fail "part 2 again"
    cmp before 2.part || fail "a broken part was not computed again"
    "$program" "${line[@]}" --quiet --part 2/4 -o 2.part || fail "part 2 of 4"
    ! cmp -s before 2.part || fail "a part of another run was taken for this one"
    local said
    said=$( (ulimit -f 0 && "$program" "${line[@]}" --part 1/3 -o 1.part) 2>&1) && fail "a full disk went unseen"
    [[ $said == *"1.part: cannot write: File too large" ]] || fail "a full disk: $said"
    [ ! -e 1.part ] || fail "a full disk left half a part"
}

"case_$name"
