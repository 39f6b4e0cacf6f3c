#!/usr/bin/env bash
# bash cases.sh path/to/warpladder path/to/warpladder-mpi path/to/mpiexec NAME: runs by several ranks, against a single run.
# WL_KILLS: how often `killed` kills a rank (default: 1); with more, each in turn.
set -u
program=$1 parallel=$2 launcher=$3 name=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

fail() {
    echo "FAILED: $*"
    exit 1
}

"$program" simulate-reads --taxa 10 --sites 120 --reads 70 --length 20-40 --out data --quiet --seed 3 || fail "no data"

# same "RANKS..." OUT WORD...: the single run's bytes.
same() {
    local counts=$1 out=$2 ranks
    shift 2
    "$program" "$@" --quiet --device cpu -o "$out" || fail "$*"
    mv "$out" single
    for ranks in $counts; do
        "$launcher" -n "$ranks" "$parallel" "$@" --quiet --device cpu -o "$out" >said 2>&1 || fail "$*: $ranks ranks: $(cat said)"
        [ ! -s said ] || fail "$*: said $(cat said)"
        cmp single "$out" || fail "$*: $ranks ranks give other bytes"
        rm "$out"
    done
}

reads=(align-reads --tree data/tree.nwk --reference data/reference.fasta --reads data/reads.fasta)

case_same() {
    same "1 2 3 4" out search --nucleotide --db data/reads.fasta --query data/reads.fasta --max-hits 3 --evalue 100
    # Of five ranks one gets the end of a batch of queries together with the beginning of the next.
    awk 'BEGIN { srand(1); for (i = 0; i < 280; i++) { printf ">q%d\n", i
        for (k = 0; k < 300; k++) printf "%s", substr("ACGT", 1 + int(rand() * 4), 1); print "" } }' >q.fasta
    same "2 5" out search --nucleotide --db data/reads.fasta --query q.fasta --max-hits 3 --evalue 1000
    same "1 2 3 4" out.npy distances data/reference.fasta
    same "1 2 3 4" out.phy "${reads[@]}" --strand auto
    "$launcher" -n 2 "$parallel" "${reads[@]}" --quiet --device cpu >out.stdout 2>said || fail "standard output: $(cat said)"
    cmp single out.stdout || fail "standard output has other bytes"
}

# The launcher says that a rank ended the run; of ours there is one line.
errors() {
    local code=$1 regex=$2 begun=$SECONDS found
    shift 2
    "$launcher" "$@" >out 2>said
    found=$?
    [ $found -eq "$code" ] || fail "$*: exit code $found, expected $code: $(cat said)"
    [ "$(grep -c '^warpladder' said)" -eq 1 ] || fail "$*: expected one line of ours: $(cat said)"
    grep -Eq "^warpladder-mpi $regex" said || fail "$*: said $(cat said)"
    [ $((SECONDS - begun)) -lt 20 ] || fail "$*: took $((SECONDS - begun)) s"
}

case_errors() {
    errors 3 'distances: rank 0 on [^ ]+: nowhere: cannot open' -n 2 "$parallel" distances nowhere
    # Only rank 1 finds a mistake.
    errors 3 'distances: rank 1 on [^ ]+: found other inputs than on rank 0' \
        -n 1 "$parallel" distances data/reference.fasta : -n 1 "$parallel" distances data/reference.fasta --every-letter
    errors 2 "distances: rank 0 on [^ ]+: option --part: found in a run that makes its parts itself" \
        -n 1 "$parallel" distances data/reference.fasta --part 1/2
    errors 2 ": rank 0 on [^ ]+: option --units: found 'x'; expected a whole number" -n 1 "$parallel" search --units x
}

# ranks: the processes of this test.
ranks() {
    local rank
    for rank in $(pgrep -x "${parallel##*/}"); do
        if [ "/proc/$rank/cwd" -ef "$folder" ]; then echo "$rank"; fi
    done
}

# ended LAUNCHED: the exit code of a launcher in the background. Once a rank has been killed, that of Open MPI 4.1.4 sometimes waits
# for itself for ever (PMIx_server_finalize): it is killed if it has had no rank for 15 s.
ended() {
    local idle
    for ((idle = 0; idle < 150; idle++)); do
        kill -0 "$1" 2>/dev/null || break
        sleep 0.1
        if [ -n "$(ranks)" ]; then idle=0; fi
    done
    kill -9 "$1" 2>/dev/null
    wait "$1"
}

# launched COUNT WORD...: as many ranks.
launched() {
    "$launcher" -n "$@" >said 2>&1 &
    ended $!
}

# killed OUT WORD...: the disk is full once; then each of three ranks is killed in turn, at random moments. The same command finishes the work.
killed() {
    local kills=${WL_KILLS:-1} again main out=$1 victims full=()
    shift
    [ "$1" != align-reads ] || full=(--format phylip) # a name without an end
    local single=("$@" --device cpu --quiet) line=("$parallel" "$@" --device cpu --quiet --work work --units 12 -o "$out")
    "$program" "${single[@]}" -o "single.$out" || fail "a single run"
    # A limit on files stands for a full disk, where the library's own shared memory is none.
    # shellcheck disable=SC2016 # for the inner shell
    if "$launcher" --version 2>&1 | grep -qi 'open.*mpi'; then
        launched 1 bash -c 'ulimit -f 1 && exec "$@"' - "${line[@]}" && fail "a full disk went unseen"
        grep -Eq "^warpladder-mpi $1: rank 0 on [^ ]+: .*cannot write: File too large" said || fail "a full disk: $(cat said)"
    fi
    launched 2 "${line[@]}" "${full[@]}" -o /dev/full && fail "a full disk went unseen"
    grep -Eq "^warpladder-mpi $1: rank 0 on [^ ]+: .*/dev/full: cannot write.*: No space" said || fail "a full disk: $(cat said)"
    rm -rf work # which has finished all units
    [ ! -e "$out" ] || fail "output on a full disk"
    for ((again = 0; ; again++)); do
        "$launcher" -n 3 "${line[@]}" >said 2>&1 &
        main=$!
        victims=()
        while [ "$again" -lt "$kills" ] && [ ${#victims[@]} -lt 3 ] && kill -0 $main 2>/dev/null; do
            sleep 0.02
            mapfile -t victims < <(ranks)
        done
        if [ ${#victims[@]} -eq 3 ]; then
            sleep "0.$((RANDOM % 10))"
            kill -9 "${victims[again % 3]}" 2>/dev/null
        fi
        ended $main && [ "$again" -ge "$kills" ] && break
        [ ! -e "$out" ] || cmp "single.$out" "$out" || fail "a run that was killed has written wrong output"
        if [ -e "$out" ]; then rm -rf "$out" work; fi # it was finished: once more from the beginning
        [ $again -le "$kills" ] || fail "the run does not end: $(cat said)"
    done
    cmp "single.$out" "$out" || fail "other bytes after $again kills"
    "$program" merge work --quiet -o "merged.$out" || fail "no merge of what the ranks have kept"
    cmp "single.$out" "merged.$out" || fail "merged, they are other bytes"
}

case_killed() {
    awk 'BEGIN { srand(1); for (i = 0; i < 1300; i++) { printf ">s%d\n", i
        for (k = 0; k < 300; k++) printf "%s", substr("ARNDCQEGHILKMFPSTWYV", 1 + int(rand() * 20), 1); print "" } }' >db.fasta
    head -300 db.fasta >q.fasta
    killed out.txt search --db db.fasta --query q.fasta --max-hits 3 --evalue 100
}

case_killed_distances() {
    awk 'BEGIN { srand(1); for (i = 0; i < 1200; i++) { printf ">s%d\n", i
        for (k = 0; k < 800; k++) printf "%s", substr("ACGT-", 1 + int(rand() * 5), 1); print "" } }' >al.fasta
    killed out.csv distances al.fasta --measure tn93 --layout csv
}

case_killed_align_reads() {
    "$program" simulate-reads --taxa 60 --sites 700 --reads 400 --length 100 --out more --quiet --seed 3 || fail "no data"
    killed out.phy align-reads --tree more/tree.nwk --reference more/reference.fasta --reads more/reads.fasta
}

"case_$name"
