#!/usr/bin/env bash
# bash cases.sh path/to/warpladder NAME: one case of the command line's behaviour.
set -u
# shellcheck source=tests/support/expect.sh
source "$(dirname "$0")/../support/expect.sh"

small=(--instances 5 --attributes 7)
quick=(--device cpu --max-time 0.05 "${small[@]}")

commands=(list run check explain reproduce machine distances makedb search align-reads likelihood simulate cc simulate-reads merge lab beagle compare report)

case_no_command() {
    expect 2 'found no command; expected list, run, check, explain, reproduce, machine.* or [a-z-]+ '
    expect 2 "found the command 'nonsense'; expected list" nonsense
    expect 2 "found the command 'a\\\\x0Ab'" $'a\nb'
}

# In every command: --help, the same by 'help COMMAND', and --version.
case_help() {
    local command text
    expect 0 '' --help
    has '^Usage: warpladder COMMAND'
    has 'warpladder run lessons' # an example
    expect 0 '' --version
    has '^warpladder [0-9]'
    mv "$folder/out" "$folder/version"
    for command in "${commands[@]}"; do
        expect 0 '' help "$command"
        text=$(<"$folder/out")
        [[ $text == "Usage: warpladder $command"*Example:$'\n'"  warpladder $command"* ]] || fail "help $command: $text"
        expect 0 '' "$command" --help
        [ "$text" = "$(<"$folder/out")" ] || fail "$command --help differs from help $command"
        expect 0 '' "$command" --version
        cmp "$folder/version" "$folder/out" || fail "$command --version: $(cat "$folder/out")"
    done
    # An option that two problems have is told of each.
    expect 0 '' run --help
    [ "$(grep -c -e '--mismatch' "$folder/out")" -eq 2 ] || fail "not sw's and papara's --mismatch: $(grep -e '--mismatch' "$folder/out")"
    expect 0 '' help run lessons
    has '--instances=N'
    expect 2 "found the command 'nonsense'; expected list" help nonsense
}

case_did_you_mean() {
    expect 2 "^warpladder: found the command 'serach'; did you mean 'search'\\? 'warpladder --help' lists all\$" serach
    expect 2 "found the command 'align'; did you mean 'align-reads'" align
    expect 2 "found the command 'DISTANCES'; did you mean 'distances'" DISTANCES
    expect 2 "found the command 'likelyhood'; did you mean 'likelihood'" help likelyhood
    expect 2 "^warpladder distances: unknown option --tread; did you mean --threads\\? 'warpladder distances --help' lists all\$" \
        distances --tread=3
    expect 2 'unknown option --Evlaue; did you mean --evalue' search --Evlaue 1
    expect 2 "unknown option --xy; 'warpladder search --help'" search --xy
}

case_unknown_option() {
    expect 2 "warpladder run: unknown option --nope; 'warpladder run --help'" run lessons --nope
    expect 2 'unknown option --nope' run --nope lessons
    expect 2 'unknown option --nope' run lessons --nope=3
    expect 2 'unknown option -x' run lessons -x
    expect 2 'unknown option --hot' check lessons --hot # another command's
    expect 2 'option --in could be --in' run lessons --in 3
}

case_option_values() {
    expect 2 'option --instances: the value is missing; expected --instances N' run lessons --instances
    expect 2 "option --instances: 'x' is no whole number; expected one from 0 to" run lessons --device cpu --instances x
    expect 2 "option --instances: '' is no whole number" run lessons --device cpu --instances=
    expect 2 'option --instances: -1 is out of range' run lessons --device cpu --instances -1
    expect 2 'option --instances: 99999999999999999999 is out of range' run lessons --device cpu \
        --instances 99999999999999999999
    expect 2 "option --json: found the value '1'; expected none" run lessons --json=1
    expect 2 "option --seed: found '1.5'; expected a whole number" run lessons --seed 1.5
    expect 2 "option --seed: found '-1'" run lessons --seed -1
    expect 2 "option --max-time: found 'soon'; expected a number" run lessons --max-time soon
    expect 2 "option --max-time: found 'nan'" run lessons --max-time nan
    # Kind: numbers are decimal, whatever strtod takes besides.
    local number
    for number in 0x10 ' 5' $'\t5' '5 ' inf nan 0x1p3 1e400 5,0 --5 '' .; do
        expect 2 "option --max-time: found '.*'; expected a number" run lessons --max-time "$number"
        expect 2 "option --max-distance: found '.*'; expected a number" distances x.fa --layout list --max-distance "$number"
        expect 2 "option --memory: found '.*'; expected bytes" distances x.fa --memory "$number"
        expect 2 "option --fail-over: found '.*'; expected a share" compare a b --fail-over "$number"
        expect 2 "option --difference: found '.*'; expected a share" check distances --device cpu --difference "$number"
        expect 2 "option --seed: found '.*'; expected a whole number" run lessons --seed "$number"
        expect 2 "option --instances: '.*' is no whole number" check lessons --device cpu --instances "$number"
        expect 2 "option --threads: '.*' is no whole number" distances x.fa --threads "$number"
        expect 2 "option --evalue: found '.*'; expected a number" search --db x --query y --evalue "$number"
    done
}

# Kind: an option that a command does not use is refused, also if its value is wrong.
case_options_without_use() {
    expect 2 'option --threads: found without a client' beagle --threads abc
    expect 2 'option --verbose: found without a client' beagle --verbose
    expect 2 "option --threads: 'abc' is no whole number" beagle --threads abc -- mb
    expect 2 "found the option --jobs, which 'lab list' does not have" lab list --jobs abc
    expect 2 'option --size: found without a paper' reproduce --size abc
    expect 2 'option --out: found without a paper' reproduce --out x
    expect 2 'option --seed: found without a paper' reproduce --seed 1
    expect 2 'option --size: found without --extended' reproduce payne2010 --size abc
    expect 2 'option --out: found with --json-lines' report --json-lines --out x
    printf '>a\nAC\n>b\nAG\n' >"$folder/x.fa"
    expect 3 "option --multiallelic: .*x.fa has an alignment; expected VCF or BCF" distances "$folder/x.fa" --multiallelic skip
}

# Kind: exit codes. A variant that there is not is 2 in every tool; data of a type that the command line does not fit are 3, with the file's name.
case_wrong_variant_and_data() {
    local variant
    cd "$folder" || fail "no folder"
    printf '>a\nACGT\n>b\nACGA\n>c\nAGGA\n' >x.fa
    printf '>a\nMKVL\n>b\nMKVA\n>c\nMKVI\n' >p.fa
    printf '>r\nACGT\n' >r.fa
    printf 'n\tx\ty\na\t1\t2\nb\t3\t4\n' >x.tsv
    echo '(a:1,b:1,c:1);' >x.nwk
    for variant in nothing 'sw/99*' '' a/b/c; do
        expect 2 "option --variant: '.*' is no stage of distances" distances x.fa --device cpu --variant "$variant"
        expect 2 "option --variant: '.*' is no stage of sw" search --nucleotide --db x.fa --query x.fa --device cpu --variant "$variant"
        expect 2 "option --variant: '.*' is no stage of papara" align-reads --tree x.nwk --reference x.fa --reads r.fa --device cpu --variant "$variant"
        expect 2 "option --variant: '.*' is no stage of peeling" likelihood --tree x.nwk --alignment x.fa --model JC --device cpu --variant "$variant"
    done
    expect 3 '^warpladder distances: x.fa: the data are letters; expected genotypes' distances x.fa --measure ibs
    expect 3 '^warpladder distances: p.fa: the data are letters; expected nucleotides' distances p.fa --measure k80
    expect 3 '^warpladder distances: x.tsv: the data are integers; expected nucleotides' distances x.tsv --measure tn93
    expect 3 '^warpladder distances: option --present: x.tsv has integers; expected an alignment' distances x.tsv --present ACGT
    expect 3 '^warpladder search: p.fa:1: ' search --nucleotide --db p.fa --query x.fa
    expect 3 '^warpladder align-reads: p.fa:1: ' align-reads --tree x.nwk --reference p.fa --reads x.fa
    expect 3 '^warpladder likelihood: p.fa:1: ' likelihood --tree x.nwk --alignment p.fa --model JC
}

# Kind: a file that is no table of results, or lacks a column, is refused by name and column, and not by another program's words.
case_no_table() {
    local text
    "$program" run lessons/serial* "${quick[@]}" --quiet --output "$folder/whole.tsv" || fail "no result file"
    if command -v gnuplot >/dev/null; then
        awk -F'\t' -v OFS='\t' '/^#/ { print; next } !n { for (n = 1; n <= NF && $n != "speedup_best_cpu"; n++); } { $n = ""; sub(/\t\t/, "\t"); print }' \
            "$folder/whole.tsv" >"$folder/less.tsv"
        expect 3 "less.tsv: found no column 'speedup_best_cpu'; expected one, to draw speedup.gp" report "$folder/less.tsv" --out "$folder"
        [ ! -e "$folder/report.html" ] || fail "a page was written"
    fi
    for text in 'one two\n' 'a\tb\n' 'a b\tc\n1\t2\n' 'a\ta\n1\t2\n' '>x\ty\nACGT\n' '1\t2\n3\t4\n' '\t\n1\t2\n'; do
        printf %b "$text" >"$folder/text"
        expect 3 'text: ?(found no columns|:1: found .* as the name of column)|text:1: found' report "$folder/text" --json-lines
        expect 3 'text' report "$folder/text" --out "$folder"
        expect 3 'text' compare "$folder/text" "$folder/whole.tsv"
    done
}

case_option_twice() {
    expect 0 '' --help
    has 'given twice, the last one counts'
    expect 0 '' check lessons/serial_O3 --device cpu --instances x --attributes 7 --instances 5 --verbose
    has '^lessons/serial_O3 cpu .*--instances 5 '
}

case_words() {
    expect 2 "found no PROBLEM" run
    local word='expected a folder with a kernel.cu, or one of: .*lessons'
    expect 2 "there is no problem and no folder 'nonsense'; $word" run nonsense
    expect 2 "found no kernel.cu in the folder '$folder'; $word" check "$folder"
    expect 2 "found the file '$PWD/lessons/05_shared/kernel.cu'; $word" explain "$PWD/lessons/05_shared/kernel.cu"
    mkdir -p "$folder/1/mine" "$folder/2/mine" "$folder/05_shared" "$folder/other"
    tee "$folder"/{1/mine,2/mine,05_shared}/kernel.cu <<<'#include "lessons/kit/device.h"' >/dev/null
    echo '#include "sw/kit/device.h"' >"$folder/other/kernel.cu"
    expect 2 "both are lessons/mine; expected folders of different names" check "$folder"/{1,2}/mine
    expect 2 "found '$folder/05_shared/' beside the ladder, which has a stage lessons/05_shared" explain lessons "$folder/05_shared/"
    expect 2 "found '$folder/other' beside 'lessons/01_naive'; expected variants of one problem" run lessons/01_naive "$folder/other"
    expect 2 "there is no variant 'lessons/mine'; .*for your own, give its folder" check lessons/mine
    expect 2 "there is no variant 'lessons/nonsense'; 'warpladder list lessons'" run lessons/nonsense
    expect 2 "there is no variant 'lessons/nonsense'" check lessons/nonsense
    expect 2 "there is no problem and no folder 'more'; $word" explain lessons more
    expect 2 "there is no problem or variant 'nonsense'" list nonsense
    expect 2 "unexpected 'word'; expected options only" machine word
    expect 2 "option --instances: found without a problem" check --instances 4
}

case_devices() {
    for device in nonsense gpu: gpu:x 'gpu:0,' gpu:-1 GPU ''; do
        expect 2 "option --device: '$device' is no device; expected auto, cpu, sim, gpu" run lessons --device "$device"
    done
}

# Only where there is none.
case_no_gpu() {
    "$program" machine | grep -Eq '^gpu +none' || exit 77
    expect 4 'option --device gpu: no GPU: ' run lessons --device gpu "${small[@]}"
    expect 4 'option --device gpu:1: no GPU: ' check lessons --device gpu:1 "${small[@]}"
    expect 0 '' check lessons --device auto "${small[@]}" # the simulated device stands in
    has '^lessons/01_naive sim: ok, 1 shape$'
}

case_list() {
    expect 0 '' list
    has '^lessons: '
    has '01_naive .*sim'
    expect 0 '' list lessons/03_char4
    [ "$(wc -l <"$folder/out")" -eq 2 ] || fail "more than one variant listed"
}

case_list_tsv() {
    expect 0 '' list --tsv
    [ "$(head -1 "$folder/out")" = "$(printf 'problem\tvariant\tbackend\tsource\tidea\tlimits')" ] || fail "wrong column names"
    awk -F'\t' 'NF != 6 {exit 1}' "$folder/out" || fail "a line without six fields"
    has $'^lessons\tserial_O3\tcpu\t'
}

# In the top folder a shell makes folders of lessons/0[12]*.
case_several_variants() {
    expect 0 '' check lessons/01_naive lessons/02_coalesced/ --device sim "${small[@]}"
    has '^lessons/01_naive sim: ok, 1 shape$'
    has '^lessons/02_coalesced sim: ok, 1 shape$'
    [ "$(wc -l <"$folder/out")" -eq 2 ] || fail "not two lines: $(cat "$folder/out")"
    expect 2 "there is no variant 'lessons/99'" check lessons/01_naive lessons/99
}

case_check() {
    expect 0 '' check lessons --device cpu "${small[@]}"
    has '^lessons/serial_O3 cpu: ok, 1 shape$'
    expect 0 '' check lessons/serial_O3 --device cpu
    has '^lessons/serial_O3 cpu: ok, [0-9]+ shapes$'
    expect 0 '' check lessons/serial_O3 --device cpu --verbose
    has '^lessons/serial_O3 cpu --instances 1 .*: ok$'
    # Without the default shape and those with more than 8 KiB of results, 45 x 45 distances.
    expect 0 '' check lessons/serial_O3 --device cpu --quick --verbose
    has '^lessons/serial_O3 cpu: ok, 25 shapes; 8 larger ones are left out \(--quick\)$'
    has '^lessons/serial_O3 cpu --instances 33 --attributes 513: ok$'
    ! grep -qE 'default shape|--instances (6|1[0-9])[0-9]' "$folder/out" || fail 'a large shape is checked'
    expect 2 'option --quick: found with a shape; expected one or the other' check lessons --device cpu --quick --instances 4
    expect 0 '' check lessons/serial_O3 --device cpu --quiet
    [ ! -s "$folder/out" ] || fail "--quiet printed something"
    expect 4 'lessons/01_naive has no variant for --device cpu' check lessons/01_naive --device cpu
}

case_run_table() {
    expect 0 '' run lessons "${quick[@]}"
    has '^lessons: .*5x7'
    has '^serial_O3 +cpu +ok '
    awk 'length > 120 {exit 1}' "$folder/out" || fail "a line of more than 120 columns"
}

case_run_out() {
    expect 0 '' run lessons "${quick[@]}" --out "$folder/new/results" --make-folders --quiet --samples "$folder/samples.tsv"
    [ ! -s "$folder/out" ] || fail "--quiet printed something"
    cp "$folder/new/results/lessons.tsv" "$folder/out"
    for key in date cpu $(grep -q ^stepping /proc/cpuinfo && echo cpu_identity) cores instruction_set memory program commit compiler flags seed command; do has "^# $key: ."; done
    has '^# command: warpladder run lessons --device cpu '
    has $'^problem\tvariant\tbackend\t'
    has $'^"lessons"\t"serial_O3"\t"cpu"\t'
    cp "$folder/samples.tsv" "$folder/out"
    has $'^variant\tbackend\tdevice\tround\tdataset\tkernel_ms\tclock\tdiscarded$'
    [ -z "$(find "$folder/new" -name '*.tmp')" ] || fail "a temporary file is left"
}

case_run_json() {
    command -v python3 >/dev/null || exit 77
    expect 0 '' run lessons "${quick[@]}" --json
    python3 - "$folder/out" <<'END' || fail "not the JSON expected"
import json, sys
result = json.load(open(sys.argv[1]))
assert result["machine"]["seed"] == "2010"
rows = {row["variant"]: row for row in result["rows"]}
assert rows["serial_O3"]["check"] == "ok" and rows["serial_O3"]["kernel_ms_median"] > 0
END
    expect 0 '' machine --json
    python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["cpu"]' "$folder/out" || fail "not JSON"
}

# The simulated device's time is never shown as time.
case_simulated_time() {
    expect 0 '' run lessons/01_naive --device sim --max-time 0.05 "${small[@]}" --out "$folder" --quiet
    awk -F'\t' '$3 == "\"sim\"" {seen = 1; if ($0 !~ /"not timed"\tNA\tNA\tNA/) exit 1} END {exit !seen}' \
        "$folder/lessons.tsv" || fail "a time of the simulated device"
}

case_places_that_cannot_be_written() {
    expect 2 '/proc/nowhere/lessons.tsv' run lessons "${quick[@]}" --out /proc/nowhere
    echo >"$folder/file"
    expect 2 'file/lessons.tsv' run lessons "${quick[@]}" --out "$folder/file"
    expect 2 'samples' run lessons "${quick[@]}" --samples "$folder/file/samples"
}

case_output_that_does_not_arrive() {
    [ -w /dev/full ] || exit 77
    "$program" list >/dev/full 2>"$folder/err"
    [ $? -eq 4 ] || fail "list >/dev/full: not exit code 4"
    grep -q 'standard output: No space left' "$folder/err" || fail "list >/dev/full said $(cat "$folder/err")"
    "$program" run --help >/dev/full 2>/dev/null
    [ $? -eq 4 ] || fail "run --help >/dev/full: not exit code 4"
    "$program" list >&- 2>"$folder/err"
    [ $? -eq 4 ] || fail "list with standard output closed: not exit code 4"
    # A command that failed says why first, and then that its output did not arrive either.
    "$program" check lessons --device cpu --instances 5 --verbose --input "$folder/nowhere" >/dev/full 2>"$folder/err"
    [ $? -eq 2 ] || fail "a wrong line with standard output full: not exit code 2"
}

# What stdio writes long before the end fails with nobody looking; the reason is told all the same. Matrices go out in pieces larger
# than stdio's buffer, tables in lines; both as standard output and as a file.
case_full_disk() {
    local row
    for row in {1..200}; do printf '>row%d\nACGTACGTACGT\n' "$row"; done >"$folder/rows.fasta"
    (
        trap '' XFSZ
        ulimit -f 8
        "$program" distances "$folder/rows.fasta" --device cpu --quiet >"$folder/matrix" 2>"$folder/err.distances"
        echo $? >>"$folder/err.distances"
        "$program" distances "$folder/rows.fasta" --device cpu --quiet -o "$folder/file" 2>"$folder/err.file"
        echo $? >>"$folder/err.file"
        ulimit -f 1
        "$program" list --tsv >"$folder/list" 2>"$folder/err.list"
        echo $? >>"$folder/err.list"
    )
    [ "$(cat "$folder/err.distances")" = $'warpladder distances: standard output: File too large\n4' ] ||
        fail "distances said $(cat "$folder/err.distances")"
    grep -qx 'warpladder distances: .*/file: .*: File too large' "$folder/err.file" || fail "-o said $(cat "$folder/err.file")"
    [ "$(tail -1 "$folder/err.file")" = 4 ] || fail "-o: exit code $(tail -1 "$folder/err.file")"
    [ ! -e "$folder/file" ] || fail 'a file that is not whole'
    [ "$(cat "$folder/err.list")" = $'warpladder list: standard output: File too large\n4' ] ||
        fail "list said $(cat "$folder/err.list")"
}

# `warpladder ... | head -1`: the end that every program has there, SIGPIPE, and not a word. Where that signal is ignored, as some
# programs start others, a closed pipe is what a full disk is.
case_reader_that_went_away() {
    local line
    printf '>a\nACGT\n>b\nACGA\n' >"$folder/two.fasta"
    for line in 'list --tsv' 'run --help' --help --version "run lessons ${quick[*]}" "run lessons ${quick[*]} --json" \
        "check lessons --device cpu ${small[*]}" "explain lessons/01_naive ${small[*]} --tsv" machine 'reproduce' \
        "distances $folder/two.fasta --device cpu --quiet" "distances $folder/two.fasta --device cpu --quiet -o -"; do
        # shellcheck disable=SC2086 # words
        { sleep 0.1; "$program" $line 2>"$folder/err"; echo $? >"$folder/code"; } 2>/dev/null | true
        [ "$(cat "$folder/code")" = 141 ] || fail "$line into a closed pipe: exit code $(cat "$folder/code")"
        [ ! -s "$folder/err" ] || fail "$line into a closed pipe said $(cat "$folder/err")"
    done
    (
        trap '' PIPE
        { sleep 0.1; "$program" list --tsv 2>"$folder/err"; echo $? >"$folder/code"; } | true
    )
    [ "$(cat "$folder/code")" = 4 ] || fail "SIGPIPE ignored: exit code $(cat "$folder/code")"
    [ "$(cat "$folder/err")" = 'warpladder list: standard output: Broken pipe' ] || fail "said $(cat "$folder/err")"
}

# The files are written before the table is shown: who reads with `head` has them.
case_run_out_into_closed_pipe() {
    { sleep 0.1; "$program" run lessons "${quick[@]}" --out "$folder/results" --samples "$folder/samples"; } 2>/dev/null | true
    [ -s "$folder/results/lessons.tsv" ] || fail 'no result file'
    [ -s "$folder/samples" ] || fail 'no samples'
}

# An interrupted run leaves nothing behind.
case_interrupt() {
    (exec "$program" run lessons --device cpu --instances 64 --attributes 512 --out "$folder/results") >/dev/null 2>&1 &
    local child=$!
    sleep 1
    kill -INT $child 2>/dev/null
    sleep 0.2
    kill -TERM $child 2>/dev/null # a background job of a script ignores SIGINT
    wait $child && fail "it was not interrupted"
    [ -z "$(find "$folder/results" -type f 2>/dev/null)" ] || fail "left: $(find "$folder/results" -type f)"
}

# A small stack (ulimit -s 160) changes nothing: neither for one thread nor for many, nor with a tree as deep as it has tips. Tables are on the
# heap, and no function calls itself for each node.
case_small_stack() {
    local line threads data=$folder/data
    "$program" simulate-reads --taxa 12 --sites 300 --reads 20 --length 80-120 --seed 1 --out "$data" --quiet || fail "simulate-reads"
    printf '>p\nMKVLAAGLLKWERTYMKVLAAGLLK\n>q\nMKVLAAGLLKMKVLYYAAGHLLA\n' >"$folder/p.fasta"
    mkdir "$folder/deep"
    awk -v data="$folder/deep" 'BEGIN {
        for (t = 0; t < 5000; t++) printf ">t%d\n%s\n", t, substr("ACGTTGCAGGTACCATTCGA", 1 + t % 12, 8) >(data "/deep.fasta")
        for (t = 1; t < 5000; t++) printf "(" >(data "/deep.nwk")
        printf "t0:0.1" >(data "/deep.nwk")
        for (t = 1; t < 5000; t++) printf ",t%d:0.1):0.1", t >(data "/deep.nwk")
        print ";" >(data "/deep.nwk")
        for (t = 0; t < 5; t++) printf ">t%d\nATGGCCAAAGATCGT%s\n", t, t % 2 ? "GCA" : "GCC" >(data "/codons.fasta")
        print ">q\nACGTT" >(data "/reads.fasta")
        print "(t0:0.1,(t1:0.1,t2:0.2):0.1,(t3:0.1,t4:0.1):0.1);" >(data "/codons.nwk")
    }' || fail "awk"
    local codons="likelihood --tree $folder/deep/codons.nwk --alignment $folder/deep/codons.fasta --model GY94+G4 --frequencies equal --device cpu"
    local deep="--tree $folder/deep/deep.nwk --device cpu"
    local lines=("$codons" "$codons --optimize all" "$codons --chain 50" "$codons --variant serial_O3"
        "likelihood $deep --alignment $folder/deep/deep.fasta --model JC69" "likelihood $deep --alignment $folder/deep/deep.fasta --model JC69 --chain 2"
        "align-reads $deep --reference $folder/deep/deep.fasta --reads $folder/deep/reads.fasta -o - --numbered-tree $folder/deep/numbered.nwk --jplace $folder/deep/placed.jplace"
        "search --query $folder/p.fasta --db $folder/p.fasta --device cpu --format tabular"
        "search --query $folder/p.fasta --db $folder/p.fasta --device sim --format tabular"
        "distances $data/reference.fasta --device cpu --layout lower" "distances $data/reference.fasta --device sim"
        "likelihood --tree $data/tree.nwk --alignment $data/reference.fasta --model GTR+G4 --rates 1,4,1,1,4,1 --device cpu"
        "align-reads --tree $data/tree.nwk --reference $data/reference.fasta --reads $data/reads.fasta --device cpu -o -")
    for line in "${lines[@]}"; do
        # shellcheck disable=SC2086 # words
        "$program" $line --quiet --threads 1 >"$folder/expected" || fail "$line"
        [ -s "$folder/expected" ] || fail "$line: no output"
        for threads in 1 3; do
            # shellcheck disable=SC2086
            (ulimit -s 160 && exec "$program" $line --quiet --threads $threads) >"$folder/found" 2>"$folder/err" ||
                fail "$line --threads $threads: exit code $?, said $(cat "$folder/err")"
            cmp "$folder/expected" "$folder/found" || fail "$line --threads $threads: differs"
        done
    done
    (ulimit -s 160 && exec "$program" simulate-reads --taxa 12 --sites 300 --reads 20 --length 80-120 --seed 1 --out "$folder/again" --quiet) ||
        fail "simulate-reads"
    diff -r "$data" "$folder/again" || fail "simulate-reads: differs"
    (ulimit -s 160 && exec "$program" makedb "$folder/p.fasta" "$folder/p.wdb" --quiet) || fail "makedb"
    (ulimit -s 160 && exec "$program" check sw/cpu_simd --letters 20000 >/dev/null) || fail "check"
}

# --timings: what is written stays the same, and the table has the parts that each tool has.
case_timings() {
    local line parts part data=$folder/data
    "$program" simulate-reads --taxa 12 --sites 300 --reads 20 --length 80-120 --seed 1 --out "$data" --quiet || fail "simulate-reads"
    printf '>p\nMKVLAAGLLKWERTYMKVLAAGLLK\n>q\nMKVLAAGLLKMKVLYYAAGHLLA\n' >"$folder/p.fasta"
    while IFS=: read -r parts line; do
        # shellcheck disable=SC2086 # words
        "$program" $line --device cpu --quiet >"$folder/expected" || fail "$line"
        # shellcheck disable=SC2086
        "$program" $line --device cpu --quiet --timings >"$folder/found" 2>"$folder/err" || fail "$line --timings: $(cat "$folder/err")"
        cmp "$folder/expected" "$folder/found" || fail "$line --timings: differs"
        [ "$(head -1 "$folder/err")" = $'part\tseconds\tbytes\tgb_per_s\tbound_gb_per_s\tbound' ] || fail "$line: said $(cat "$folder/err")"
        awk -F '\t' 'NF != 6 { exit 1 }' "$folder/err" || fail "$line: no six columns: $(cat "$folder/err")"
        for part in $parts all; do
            awk -F '\t' -v part="$part" '$1 == part && $2 >= 0 { found++ } END { exit found != 1 }' "$folder/err" ||
                fail "$line: no $part in $(cat "$folder/err")"
        done
    done <<END
read copy kernel align:search --query $folder/p.fasta --db $folder/p.fasta --format tabular
read copy kernel format write:distances $data/reference.fasta --layout lower
read copy kernel write:likelihood --tree $data/tree.nwk --alignment $data/reference.fasta --model GTR+G4 --rates 1,4,1,1,4,1
read pack copy kernel align write:align-reads --tree $data/tree.nwk --reference $data/reference.fasta --reads $data/reads.fasta -o -
END
    expect 2 'unknown option|--timings' list --timings
}

case_bad_input_files() {
    expect 3 "$folder/nowhere" run lessons --device cpu --input "$folder/nowhere"
    expect 3 "$folder" run lessons --device cpu --input "$folder"
    : >"$folder/empty"
    expect 3 "$folder/empty" check lessons --device cpu --input "$folder/empty"
}

# Several processes, and two files of them: the same code is the same, unless the files say otherwise.
# Kind: what a terminal obeys. Control characters of names, paths, options and result files, U+0080 to U+009F among them, reach neither a
# terminal nor a file of text.
case_control_characters() {
    local bad=$'c\xc2\x9bd\x9be' esc=$'\033]0;x\007\xc2\x9b' out command
    { cd "$folder" && mkdir made && cd made; } || fail "no folder"
    printf '>%s %s\nACGTAC\n>b\nACGTAA\n>d\nACGTTT\n' "$bad" "$bad" >n.fa
    printf '3 6\n%s ACGTAC\nb ACGTAA\nd ACGTTT\n' "$bad" >n.phy
    printf '(%s:1,b:1,d:1);' "$bad" >n.nwk
    printf 'JC, %s = 1-6\n' "$bad" >n.parts
    printf 'n\tx\ty\n%s\t1\t2\nb\t3\t4\n' "$bad" >n.tsv
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t%s\tb\n1\t1\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n' "$bad" >n.vcf
    { cat n.fa && printf '>%s.2\nACGTAC\n' "$bad"; } >more.fa
    "$program" run lessons/serial* --instances 4 --attributes 3 --device cpu --max-time 0.05 -q -o r.tsv || fail "no result file"
    sed -i "s/serial_O0/a${esc//\//}/; s/^# cpu: /&$esc/" r.tsv
    cp r.tsv "$esc.tsv"
    sed "s/^# cpu: /&x/" r.tsv >before.tsv
    cp n.fa "$esc.fa"
    cp n.phy "$esc.phy"
    while read -r command; do
        eval "set -- $command"
        "$program" "$@" </dev/null >>said 2>&1
    done <<'END'
distances n.fa -o d.tsv
distances n.phy --csv
distances n.tsv
distances n.vcf --measure alleles
distances "$esc.fa" --layout list
distances "$esc.none"
search --db n.fa --query n.fa --nucleotide --evalue 1e9
search --db n.fa --query "$esc.fa" --nucleotide --evalue 1e9 --format csv -o s.csv
search --db n.fa --query n.fa --nucleotide --evalue 1e9 --format sam
search --db n.fa --query n.fa --nucleotide --evalue 1e9 --format json
search --db n.fa --query n.fa --nucleotide --evalue 1e9 --format commented
makedb n.fa "$esc.wdb" --nucleotide
search --db "$esc.wdb" --query n.fa --nucleotide --evalue 1e9
align-reads --tree n.nwk --reference n.phy --reads more.fa --bad-reads skip --jplace j.jplace --table t.tsv --left-out l.fa -o o.phy
likelihood --alignment n.phy --tree n.nwk --model JC --optimize branches --best-tree best.nwk
likelihood --alignment "$esc.phy" --tree n.nwk --model JC
likelihood --alignment n.phy --tree n.nwk --partitions n.parts --optimize branches --best-model model.tsv
simulate-reads --taxa 4 --sites 20 --reads 3 --length 5 --out "$esc"
run lessons/serial* --instances 4,6 --attributes 3 --device cpu --max-time 0.05 -o "$esc.made.tsv"
compare r.tsv "$esc.tsv" --out .
compare r.tsv n.tsv
compare r.tsv before.tsv
report "$esc.tsv" --out .
report r.tsv --json-lines
merge "$esc.part"
"$esc"
END
    rm "$esc.fa" "$esc.phy" "$esc.tsv" n.* more.fa r.tsv before.tsv
    [ "$(wc -l <said)" -gt 60 ] || fail "too little was said: $(cat said)"
    for out in said *.tsv *.csv *.fa *.phy *.nwk *.jplace *.html; do
        [ -e "$out" ] || fail "$out: nothing was written"
        ! LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(^|[^\xc2-\xf4\x80-\xbf])[\x80-\x9f]' "$out" ||
            fail "$out: $(LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(^|[^\xc2-\xf4\x80-\xbf])[\x80-\x9f]' "$out" | cat -v | cut -c1-300 | head -3)"
    done
}

case_compare() {
    expect 0 '' run lessons/serial_O3 "${quick[@]}" --repeat 2 --out "$folder/a" --quiet
    expect 0 '' run lessons/serial_O3 "${quick[@]}" --repeat 2 --out "$folder/b" --quiet
    [ -s "$folder/a/run1/lessons.tsv" ] || fail 'no file of the first process'
    [ -s "$folder/a/run2/lessons.tsv" ] || fail 'no file of the second process'
    # The noise of so short a run is any.
    for file in "$folder"/{a,b}/run?/lessons.tsv; do
        awk -F '\t' 'BEGIN { OFS = FS } /^problem/ { for (i = 1; i <= NF; i++) if ($i == "noise") at = i } /^"/ { $at = 0.001 } { print }' \
            "$file" >"$folder/still.tsv"
        mv "$folder/still.tsv" "$file"
    done
    expect 0 '' compare "$folder/a" "$folder/b"
    has '^A: .*, 2 processes$'
    has '^lessons/serial_O3 +cpu +5x7 '
    # Ten times as slow.
    awk -F '\t' 'BEGIN { OFS = FS } /^problem/ { for (i = 1; i <= NF; i++) if ($i == "kernel_ms_median") at = i }
        /^"/ { $at *= 10 } { print }' "$folder/a/run1/lessons.tsv" >"$folder/slow.tsv"
    expect 0 '' compare "$folder/a/run1/lessons.tsv" "$folder/slow.tsv" --json
    has '"variant": *"serial_O3".*"ratio": *10,.*"verdict": *"slower"'
    expect 1 'lessons/cpu_simd 5x7: found 900.0 % slower; expected at most 3 %' compare "$folder/a/run1/lessons.tsv" \
        "$folder/slow.tsv" --fail-over 3% --out "$folder/c"
    grep -q '^"lessons".*"slower"$' "$folder/c/compare.tsv" || fail 'no row in compare.tsv'
    expect 0 '' compare "$folder/slow.tsv" "$folder/a/run1/lessons.tsv" --fail-over 3% --quiet
    sed -i 's/^# cpu: .*/# cpu: another/' "$folder/slow.tsv"
    expect 0 '' compare "$folder/a" "$folder/slow.tsv" --quiet
    "$program" compare "$folder/a" "$folder/slow.tsv" 2>&1 >/dev/null | grep -q '^note: .* differ in cpu' || fail 'no note of another machine'
    expect 2 "option --fail-over: found 'much'" compare "$folder/a" "$folder/b" --fail-over much
    expect 2 'without --out; expected a folder' run lessons "${quick[@]}" --repeat 2
    expect 3 'found no row in both' compare "$folder/a" <(sed 's/"5x7"/"7x5"/' "$folder/slow.tsv")
}

# Several values of an option: each combination is measured, one file has them all, and compare tells them apart.
case_sweep() {
    local columns
    expect 0 '' run lessons/serial_O3 --device cpu --max-time 0.01 --instances 2:4:x2 --attributes 3,5 --out "$folder/a"
    has '^lessons: All-pairs distance, 4x5$'
    [ "$(grep -c '"serial_O3"' "$folder/a/lessons.tsv")" -eq 4 ] || fail 'not four rows of serial_O3'
    grep -q '^# axes: instances attributes$' "$folder/a/lessons.tsv" || fail 'no line of axes'
    columns=$(awk -F '\t' '/"serial_O3"/ { print $(NF - 1) "x" $NF, $8 }' "$folder/a/lessons.tsv" | tr '\n' ' ')
    [ "$columns" = '2x3 "2x3" 2x5 "2x5" 4x3 "4x3" 4x5 "4x5" ' ] || fail "found $columns"
    ! command -v gnuplot >/dev/null || grep -q '</svg>' "$folder/a/lessons.svg" || fail 'no chart'
    expect 0 '' compare "$folder/a" "$folder/a" --json
    has '"shape": "4x5 instances=4 attributes=5".*"ratio": 1,'
    expect 0 '' run lessons/serial_O3 --device cpu --max-time 0.01 --instances 3 --attributes 10:30:3 --json
    has '"shape": "3x30".*"attributes": 30}'
    # A later combination that cannot be run leaves the earlier ones.
    expect 2 'option --alphabet: 130 is out of range' run lessons/serial_O3 --device cpu --max-time 0.01 --instances 3 \
        --attributes 3 --alphabet 127:130:2 --out "$folder/b" --quiet
    [ "$(grep -c '"serial_O3"' "$folder/b/lessons.tsv")" -eq 1 ] || fail 'the first combination is lost'
    expect 2 "option --instances: found the range '9:3:.1'" run lessons --device cpu --instances 9:3:+1
    expect 2 "option --instances: found the range '1:9:x1'" run lessons --device cpu --instances 1:9:x1
    expect 2 'found a range of more than 10000 values' run lessons --device cpu --instances 1:1000000:+1
    expect 2 "'3,,5' is no whole number" run lessons --device cpu --instances 3,,5
    expect 2 "'3:5' is no whole number" run lessons --device cpu --instances 3:5
    expect 2 "option --output: found '-'; expected the name of a file" run lessons --device cpu --instances 3,5 -o -
    expect 2 'with several values of --instances' run lessons --device cpu --instances 3,5 --samples "$folder/samples"
    expect 0 '' run sw/serial_O3 --device cpu --max-time 0.01 --subjects 4 --query-length 9:20:2 --kind random,related --json
    has '"query_lengths": 20, "kind": "related"'
}

# Queries of different length are different work: a row each, and samples that say whose they are.
case_sw_each_query() {
    expect 0 '' run sw/serial_O3 --device cpu --max-time 0.02 --subjects 4 --query-lengths 9,20 --each-query \
        --samples "$folder/samples"
    has '^sw: Smith-Waterman, 9x'
    has '^sw: Smith-Waterman, 20x'
    [ "$(tail -n +2 "$folder/samples" | cut -f 5 | sort -u | paste -sd ,)" = 0,1 ] ||
        fail 'samples without their data set'
}

# Where there is no GPU a command without options must not keep anybody waiting: the simulated device gets a small shape.
case_sw_small_when_simulated() {
    expect 0 '' run sw/01_naive --device sim --max-time 0.02
    has '^sw: Smith-Waterman, 144x[0-9]+$' # of the default there would be millions
}

case_sw_options() {
    expect 2 "'BLOSUM63' is neither a matrix nor a file; expected BLOSUM45" check sw --device cpu --matrix BLOSUM63
    expect 2 'option --subjects: found beside --db; expected one or the other' check sw --device cpu --db x --subjects 3
    expect 3 '/nowhere.fasta: cannot open' check sw --device cpu --db /nowhere.fasta
    expect 2 'option --gap-open: 10000 is out of range; expected 0 to 9999' check sw --device cpu --gap-open 10000
}

# Without errors every letter of a read is the one that its source has in the column that truth.tsv gives.
case_simulate_reads() {
    expect 0 '' simulate-reads --taxa 9 --sites 300 --reads 50 --length 20-60 --depth 0.5 --indels 0.2 --error 0 \
        --indel-error 0 --seed 3 --out "$folder/new/data" --make-folders --quiet
    [ ! -s "$folder/out" ] || fail "--quiet printed something"
    awk -F'\t' '
        function name(line) { return substr(line, 2) }
        FNR == 1 { file++ }
        file < 3 && /^>/ { at = name($0); next }
        file == 1 { row[at] = row[at] $0 }
        file == 2 { read[at] = read[at] $0 }
        file == 3 && FNR > 1 {
            made = ""
            runs = split($3, run, ",")
            for (r = 1; r <= runs; r++) {
                ends = split(run[r], end, "-")
                made = made substr(row[$2], end[1], end[ends] - end[1] + 1)
            }
            if (made != read[$1] || made !~ /^[ACGT]+$/) { print "read " $1 " is not " made; exit 1 }
            checked++
        }
        END { exit checked != 50 }' "$folder/new/data/"{reference.fasta,reads.fasta,truth.tsv} || fail 'the truth is not'
    [ "$(find "$folder/new" -type f | wc -l)" -eq 4 ] || fail "not four files: $(find "$folder/new")"
    cp -r "$folder/new/data" "$folder/again"
    expect 0 '' simulate-reads --taxa 9 --sites 300 --reads 50 --length 20-60 --depth 0.5 --indels 0.2 --error 0 \
        --indel-error 0 --seed 3 --out "$folder/new/data" --make-folders --quiet
    diff -r "$folder/new/data" "$folder/again" || fail 'the same seed gave other data'
    expect 0 '5 taxa, 80 sites, 3 reads, seed 4$' simulate-reads --taxa 5 --sites 80 --reads 3 --length 80 --protein \
        --seed 4 --out "$folder/protein"
    grep -Eq '[DEFHIKLMNPQRSVWY]' "$folder/protein/reads.fasta" || fail 'no protein'
}

case_simulate_reads_options() {
    expect 2 'option --out: is missing' simulate-reads
    expect 2 'option --taxa: 2 is out of range; expected a whole number from 3 to ' simulate-reads --taxa 2 --out "$folder/none"
    for length in 0 a 5- -5 10-5 1-1501 1-2-3 ''; do
        expect 2 "option --length: found '$length'; expected a length from 1 to 1500, or two" \
            simulate-reads --length "$length" --out "$folder/none"
    done
    expect 2 "option --depth: found 'nan'; expected a number" simulate-reads --depth nan --out "$folder/none"
    expect 2 'cannot write' simulate-reads --out /proc/none
    [ ! -e "$folder/none" ] || fail 'a wrong line left files'
}

"case_$name"
