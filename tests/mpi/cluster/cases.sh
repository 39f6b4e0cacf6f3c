#!/usr/bin/env bash
# bash cases.sh path/to/warpladder NAME: parts as jobs of other people's programs.
set -u
# shellcheck source=tests/support/expect.sh
source "$(dirname "$0")/../../support/expect.sh"
here=$(readlink -f "$0")
source=$(cd "$(dirname "$0")/../../.." && pwd)
program=$(readlink -f "$program")
cd "$folder" || exit 1

# Snakemake computes search and distances by parts; one job fails once and is tried again.
case_snakemake() {
    command -v snakemake >/dev/null || exit 77
    "$program" simulate-reads --taxa 10 --sites 120 --reads 40 --length 40 --out data --quiet || fail "no data"
    cat >flaky <<EOF2
#!/bin/sh
case "\$*" in
*"search"*"--part 2/3"*) [ -e failed ] || { touch failed && exit 1; } ;;
esac
echo "\$*" >>log
exec "$program" "\$@"
EOF2
    chmod +x flaky
    cat >runs.yaml <<EOF2
program: ./flaky
runs:
  hits.tsv: {command: search --nucleotide --db data/reads.fasta --query data/reads.fasta --format tabular, inputs: [data/reads.fasta], parts: 3}
  distances.npy: {command: distances data/reference.fasta, inputs: [data/reference.fasta], parts: 2}
EOF2
    HOME=$folder snakemake --snakefile "$source/packaging/snakemake/Snakefile" --configfile runs.yaml --cores 2 >said 2>&1 || fail "$(cat said)"
    [ -e failed ] || fail "no job failed"
    [ "$(grep -c -- --part log)" -eq 5 ] || fail "expected 5 parts: $(cat log)"
    "$program" search --nucleotide --db data/reads.fasta --query data/reads.fasta --format tabular --quiet -o single.tsv || fail search
    "$program" distances data/reference.fasta --quiet -o single.npy || fail distances
    cmp single.tsv hits.tsv || fail "search by parts has other bytes"
    cmp single.npy distances.npy || fail "distances by parts have other bytes"
}

# Nextflow's modules: run by Nextflow where it is installed, whole; and what can be seen without it.
case_nextflow() {
    command -v nextflow >/dev/null && NXF_HOME=$folder/nextflow NXF_OFFLINE=true nextflow -version >said 2>&1 || exit 77
    "$program" simulate-reads --taxa 10 --sites 120 --reads 40 --length 40 --out data --quiet || fail "no data"
    "$program" distances data/reference.fasta --layout csv --quiet -o single.csv || fail distances
    PATH=$(dirname "$program"):$PATH NXF_OFFLINE=true nextflow run "$source/packaging/nextflow" --command 'distances reference.fasta --layout csv' \
        --inputs "$folder/data/reference.fasta" --output merged.csv --parts 3 >said 2>&1 || fail "$(cat said)"
    cmp single.csv merged.csv || fail "distances by parts have other bytes"
}

case_nextflow_form() {
    /usr/bin/python3 -B "$(dirname "$here")/nextflow.py" "$source/packaging/nextflow"
}

# The modules' files are Groovy, and the commands that they make give the single run's bytes.
case_nextflow_commands() {
    command -v groovy >/dev/null || exit 77
    "$program" simulate-reads --taxa 10 --sites 120 --reads 40 --length 40 --out data --quiet || fail "no data"
    groovy "$(dirname "$here")/nextflow.groovy" "$source/packaging/nextflow" command='distances data/reference.fasta --layout csv' >commands 2>said || fail "$(cat said)"
    [ "$(wc -l <commands)" -eq 3 ] || fail "the commands: $(cat commands)"
    PATH=$(dirname "$program"):$PATH bash -e commands || fail "the commands fail: $(cat commands)"
    "$program" distances data/reference.fasta --layout csv --quiet -o single.csv || fail distances
    cmp single.csv merged || fail "the modules' commands give other bytes"
}

"case_$name"
