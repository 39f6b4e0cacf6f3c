#!/usr/bin/env bash
# bash cases.sh path/to/warpladder NAME: one case of what makedb does.
set -u
# shellcheck source=tests/support/expect.sh
source "$(dirname "$0")/../../../support/expect.sh"

corpus=tests/corpus
tiny=$corpus/wdb/tiny.fasta

# made FILE: it is the database of tiny.fasta, byte for byte.
made() {
    cmp "$1" $corpus/wdb/tiny.wdb || fail "$1 is not tiny.wdb"
}

# only NAME...: the folder new/ holds these files, hidden ones too, and no others.
only() {
    local found
    found=$(find "$folder/new" -mindepth 1 -printf '%f\n' | sort | tr '\n' ' ')
    [ "$found" = "$*${*:+ }" ] || fail "found '$found'; expected '$*'"
}

case_makes() {
    expect 0 '^[^ ]*/new/a\.wdb: 4 sequences, 12 letters, the longest 5; 28672 bytes in [0-9.]+ s$' \
        makedb --make-folders $tiny "$folder/new/a.wdb"
    [ ! -s "$folder/out" ] || fail "printed $(cat "$folder/out")"
    made "$folder/new/a.wdb"
    expect 0 '' makedb --quiet $tiny "$folder/new/a.wdb" # over the old one
    made "$folder/new/a.wdb"
    only a.wdb
    expect 0 '' makedb --nucleotide --quiet $corpus/wdb/tiny_nucleotide.fasta "$folder/n.wdb"
    cmp "$folder/n.wdb" $corpus/wdb/tiny_nucleotide.wdb || fail "not tiny_nucleotide.wdb"
}

case_json() {
    expect 2 "option --json: found '-', where the database goes to standard output" makedb --json $tiny -
    [ ! -s "$folder/out" ] || fail "printed $(cat "$folder/out")"
    expect 0 '' makedb --json $tiny "$folder/a.wdb"
    has '^\{"sequences": 4, "letters": 12, "longest": 5, "bytes": 28672, "seconds": [0-9.]+\}$'
}

# A forgotten --nucleotide is said when the database is made, not at the first search.
case_hint() {
    printf '>a\nACGTACGTACGTACGTACGTACGTACGTACGT\n' >"$folder/dna.fasta"
    "$program" makedb "$folder/dna.fasta" "$folder/a.wdb" 2>"$folder/err" || fail "exit code $?"
    grep -q 'note: dna.fasta: 100 % .*; nucleotides need --nucleotide' "$folder/err" || fail "said $(cat "$folder/err")"
    expect 0 '' makedb --quiet "$folder/dna.fasta" "$folder/a.wdb"
    expect 0 'a\.wdb: 1 sequence' makedb --nucleotide "$folder/dna.fasta" "$folder/a.wdb"
}

# Packed, through pipes on either side, and again and again: the same bytes. (The title is the file's name.)
case_other_ways() {
    mkdir "$folder/packed"
    gzip -nc $tiny >"$folder/packed/tiny.fasta"
    expect 0 '' makedb --quiet "$folder/packed/tiny.fasta" "$folder/a.wdb"
    made "$folder/a.wdb"
    "$program" makedb --quiet $tiny /dev/stdout | cat >"$folder/b.wdb"
    made "$folder/b.wdb"
    "$program" makedb --quiet - "$folder/c.wdb" <$tiny || fail "exit code $?"
    grep -aq 'standard input' "$folder/c.wdb" || fail "no title"
    for threads in 1 2 7; do
        OMP_NUM_THREADS=$threads "$program" makedb --quiet $tiny "$folder/d.wdb" || fail "exit code $?"
        made "$folder/d.wdb"
    done
}

case_usage() {
    expect 2 'found no SEQUENCES DATABASE.wdb; expected one' makedb
    expect 2 'found no SEQUENCES DATABASE.wdb' makedb $tiny
    expect 2 "unexpected 'c'" makedb a b c
    cp $tiny "$folder/a.fasta"
    ln -s a.fasta "$folder/link"
    expect 2 'is a file that is read; expected another path' makedb "$folder/a.fasta" "$folder/a.fasta"
    expect 2 'is a file that is read' makedb "$folder/a.fasta" "$folder/link"
    cmp "$folder/a.fasta" $tiny || fail "the sequences were changed"
    expect 2 'is a directory; expected' makedb $tiny "$folder"
    expect 2 'cannot create: Not a directory' makedb $tiny "$folder/a.fasta/b.wdb"
}

# What cannot be read leaves neither a database nor a temporary file, and an old database as it was.
case_bad_input() {
    mkdir "$folder/new"
    expect 3 'cannot open: No such file or directory; expected FASTA or FASTQ' makedb "$folder/nowhere" "$folder/new/a.wdb"
    expect 3 'is a directory' makedb "$folder" "$folder/new/a.wdb"
    expect 3 'the file is empty' makedb /dev/null "$folder/new/a.wdb"
    expect 3 'is truncated' makedb $corpus/sequences/truncated.fasta.gz "$folder/new/a.wdb"
    expect 3 'found .* sequence .*; expected nucleotides' makedb --nucleotide $tiny "$folder/new/a.wdb"
    expect 3 'found what begins as a .wdb file; expected FASTA or FASTQ' makedb $corpus/wdb/tiny.wdb "$folder/new/a.wdb"
    only
    cp $corpus/wdb/tiny.wdb "$folder/new/a.wdb"
    expect 3 'found .-. at position 6 of sequence' makedb $corpus/sequences/protein.fasta "$folder/new/a.wdb"
    made "$folder/new/a.wdb"
    only a.wdb
}

case_full_disk() {
    [ -w /dev/full ] || exit 77
    expect 4 '/dev/full: cannot write' makedb $tiny /dev/full
    mkdir "$folder/new"
    echo old >"$folder/new/a.wdb"
    (
        ulimit -f 8
        expect 4 'new/a.wdb: cannot write.*: File too large' makedb $tiny "$folder/new/a.wdb"
    ) || exit 1
    [ "$(cat "$folder/new/a.wdb")" = old ] || fail "the old file is gone"
    only a.wdb
}

# Interrupted while it waits for sequences that never come, its output already begun.
case_interrupt() {
    mkdir "$folder/new"
    for signal in INT TERM HUP; do
        mkfifo "$folder/fifo"
        # A script's background jobs ignore SIGINT, and what they start with them; env gives it its meaning back.
        env --default-signal=INT "$program" makedb "$folder/fifo" "$folder/new/a.wdb" 2>/dev/null &
        local child=$!
        exec 3>"$folder/fifo"
        printf '>a\nMKV\n' >&3
        for _ in $(seq 50); do
            [ -n "$(find "$folder/new" -name '*.tmp')" ] && break
            sleep 0.1
        done
        [ -n "$(find "$folder/new" -name '*.tmp')" ] || fail "it has not begun"
        kill -$signal $child
        wait $child && fail "it was not interrupted"
        exec 3>&-
        only
        rm "$folder/fifo"
    done
}

"case_$name"
