#!/usr/bin/env bash
# clients.sh WARPLADDER CASE: clients of BEAGLE on this suite's library, beside BEAGLE's own.
# shellcheck source=tests/support/said.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../support/said.sh"

client=(mb)
# mrbayes NAME COMMANDS: the same chain with BEAGLE's library and with ours. Trees and parameters are equal but for the run's number.
mrbayes() {
    local which start
    for which in theirs ours; do
        {
            printf 'begin mrbayes;\nset autoclose=yes nowarn=yes seed=11 swapseed=7;\n'
            tr ';' '\n' <<<"$2" | sed 's/[^ ].*/&;/'
            printf 'set usebeagle=yes beagledevice=cpu beagleprecision=double beaglescaling=%s;\n' "${3:-dynamic}"
            printf 'mcmc samplefreq=50 printfreq=100000 nchains=2 nruns=1 filename=%s;\nend;\n' "$1_$which"
        } >"$1_$which.nex"
        start=()
        [ $which = theirs ] || start=("$warpladder" beagle --)
        "${start[@]}" "${client[@]}" "$1_$which.nex" >"$1_$which.said" 2>&1
    done
    grep -q 'Impl Name : Warpladder' "$1_ours.said" || fail "$1: MrBayes does not name our library"
    local file
    for file in t p; do
        cmp -s <(grep -v 'ID:' "$1_theirs.$file") <(grep -v 'ID:' "$1_ours.$file") ||
            fail "$1: the .$file files differ: $(diff "$1_theirs.$file" "$1_ours.$file" | sed -n 5,8p)"
        [ "$(wc -l <"$1_ours.$file")" -gt 3 ] || fail "$1: no samples"
    done
}

examples=/usr/share/doc/mrbayes/examples
# As many as a test has time for, or for a comparison at length: GENERATIONS=20000 clients.sh WARPLADDER mrbayes_codons.
generations() { echo "${GENERATIONS:-$1}"; }
have_mrbayes() {
    # Not `ldd | grep -q`: grep ends at the first match, and with pipefail the signal that ldd then gets would be a failure.
    command -v mb >/dev/null && [ -r $examples/primates.nex ] && [[ $(ldd "$(command -v mb)") == *libhmsbeagle* ]] && return 0
    echo "skipped: MrBayes with BEAGLE is not installed"
    exit 77
}

# A library in a folder with blanks in its name, which separate the paths of LD_PRELOAD.
case_place_with_blanks() {
    mkdir -p 'a place/bin' 'a place/lib'
    cp "$warpladder" 'a place/bin/warpladder'
    cp -rL "$(dirname "$warpladder")/lib/warpladder/beagle" . && mkdir 'a place/lib/warpladder' && mv beagle 'a place/lib/warpladder/'
    said 0 'a place/bin/warpladder' beagle -- grep -m 1 libhmsbeagle /proc/self/maps
    [ ! -s err ] || fail "$(cat err)"
    has out "a place/lib/warpladder/beagle/libhmsbeagle.so.1"
}

case_mrbayes_nucleotides() { # GTR+I+G, with every scaling; a clock tree; several partitions, one of them with two states
    have_mrbayes
    mrbayes invgamma "execute $examples/primates.nex; lset nst=6 rates=invgamma; mcmcp ngen=$(generations 1000)"
    mrbayes always "execute $examples/primates.nex; lset nst=6 rates=gamma; mcmcp ngen=$(generations 500)" always
    mrbayes clock "execute $examples/primates.nex; lset nst=2 rates=gamma; prset brlenspr=clock:uniform; mcmcp ngen=$(generations 500)"
    mrbayes cynmix "execute $examples/cynmix.nex; mcmcp ngen=$(generations 100)"
}

case_mrbayes_restriction() { # two states, which BEAGLE's own library does faster: they are handed on to it, or not where there is none
    have_mrbayes
    awk 'BEGIN { print "#NEXUS\nbegin data;\ndimensions ntax=10 nchar=90;\nformat datatype=restriction;\nmatrix"
        for (t = 0; t < 10; t++) {
            printf "t%d ", t
            for (c = 0; c < 90; c++) printf "%d", c % 10 == t || (c + 1) % 10 == t || int(c / 10) == t || (c * c + t) % 7 == 0
            print ""
        }
        print ";\nend;" }' >restriction.nex
    mrbayes handed "execute restriction.nex; lset coding=variable rates=gamma; mcmcp ngen=$(generations 500)"
    grep -q "Impl Name : Warpladder, by BEAGLE's" handed_ours.said || fail "two states are not handed on"
    WARPLADDER_BEAGLE_INSTALLED=none mrbayes kept "execute restriction.nex; lset coding=variable rates=gamma; mcmcp ngen=$(generations 500)"
    if grep -q "by BEAGLE's" kept_ours.said; then fail "two states are handed on, though no other library is wanted"; fi
}

case_mrbayes_codons() { # one model of codons, and three at a time; amino acids
    have_mrbayes
    mrbayes m0 "execute $examples/replicase.nex; lset nucmodel=codon; mcmcp ngen=$(generations 50)"
    mrbayes ny98 "execute $examples/replicase.nex; lset nucmodel=codon omegavar=ny98; mcmcp ngen=$(generations 50)"
    mrbayes amino "execute $examples/avian_ovomucoids.nex; prset aamodelpr=mixed; lset rates=gamma; mcmcp ngen=$(generations 50)"
}

case_manual() {
    command -v python3 >/dev/null || exit 77
    python3 -B "$here/../support/manual.py" "$warpladder" "$here/../../docs/beagle.md"
}

case_mrbayes_mpi() { # two processes, a chain each
    local mpi=/usr/lib/mrbayes-mpi/mb-mpi
    have_mrbayes
    if ! [ -x $mpi ] || ! command -v mpirun >/dev/null; then echo "skipped: mrbayes-mpi is not installed" && exit 77; fi
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
    client=(mpirun --oversubscribe -n 2 "$mpi")
    mrbayes mpi "execute $examples/primates.nex; lset nst=6 rates=gamma; mcmcp ngen=$(generations 500)"
}

case_beast2() { # the same trees; the likelihoods in the log may differ in their last digits
    if ! command -v beast2-mcmc >/dev/null || [ ! -r /usr/share/doc/beast2-mcmc/examples/testGTR.xml.gz ]; then
        echo "skipped: beast2-mcmc and its examples are not installed" && exit 77
    fi
    local which start
    zcat /usr/share/doc/beast2-mcmc/examples/testGTR.xml.gz |
        sed 's/chainLength="[0-9]*"/chainLength="5000"/; s/preBurnin="[0-9]*"/preBurnin="0"/; s/logEvery="[0-9]*"/logEvery="500"/' >gtr.xml
    for which in theirs ours; do
        mkdir $which
        start=()
        [ $which = theirs ] || start=("$warpladder" beagle --)
        (cd $which && "${start[@]}" beast2-mcmc -seed 7 -beagle_CPU ../gtr.xml >said 2>&1) || fail "BEAST 2 with $which: $(tail -n 3 $which/said)"
    done
    grep -q 'resource 0: CPU (Warpladder)' ours/said || fail "BEAST 2 does not name our library"
    cmp theirs/*.trees ours/*.trees || fail "the trees differ"
    paste theirs/*.log ours/*.log | awk '/^[0-9]/ { n++; for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d * d > 1e-24 * $i * $i) exit 1 } } END { exit n < 10 }' ||
        fail "the logs differ: $(diff theirs/*.log ours/*.log | head -n 4)"
}

case_beast_states() { # discrete traits of 372 tips, whose ancestral states BEAST draws from partials too small for doubles: the same states
    local which start example=/usr/share/doc/beast-mcmc/examples/DiscreteTraits/phylogeneticGLM/batRABV_glm.xml.gz
    if ! command -v beast-mcmc >/dev/null || [ ! -r $example ]; then
        echo "skipped: beast-mcmc and its examples are not installed" && exit 77
    fi
    zcat $example | sed 's/chainLength="[0-9]*"/chainLength="20"/; s/logEvery="10000"/logEvery="10"/' >states.xml
    for which in theirs ours; do
        mkdir $which
        start=()
        [ $which = theirs ] || start=("$warpladder" beagle --)
        (cd $which && "${start[@]}" beast-mcmc -overwrite -seed 7 -beagle_CPU ../states.xml >said 2>&1) || fail "BEAST with $which: $(tail -n 3 $which/said)"
        grep '^tree' $which/batRABV_glm.trees | sed 's/lnP=[^,]*,posterior=[^]]*//' >$which.trees
    done
    grep -q 'resource 0: CPU (Warpladder)' ours/said || fail "BEAST does not name our library"
    [ "$(wc -l <ours.trees)" = 3 ] || fail "there are no trees: $(tail -n 3 ours/said)"
    cmp theirs.trees ours.trees || fail "the trees and their states differ"
}

case_interrupted() { # while it samples: it ends with all its threads, and leaves no more than MrBayes' own files
    have_mrbayes
    local which start signal pid code shared
    for which in theirs ours; do
        mkdir $which
        cat >$which/run.nex <<END
begin mrbayes;
set autoclose=yes nowarn=yes seed=11 swapseed=7 usebeagle=yes beagledevice=cpu;
execute $examples/primates.nex;
lset nst=6 rates=gamma;
mcmc ngen=100000000 samplefreq=1000 printfreq=1000 nchains=2 nruns=1 filename=run;
end;
END
    done
    printf 'y\n%.0s' {1..100} >yes # what MrBayes reads when it asks whether to stop
    for signal in TERM KILL; do
        for which in theirs ours; do
            start=()
            [ $which = theirs ] || start=(env "WARPLADDER_TEST_MARK=$$" "$warpladder" beagle --)
            rm -f $which/run.?*.* $which/run.[a-mo-z]* $which/said
            shared=$(ls /dev/shm 2>/dev/null || true)
            (cd $which && exec "${start[@]}" mb run.nex >said 2>&1 <../yes) &
            pid=$!
            wait_until grep -qs '^ *1000 ' $which/said || { kill -KILL $pid && fail "mb with $which does not sample: $(tail -n 3 $which/said)"; }
            kill -$signal $pid
            wait_until is_gone $pid || { kill -KILL $pid && fail "mb with $which goes on after $signal"; }
            code=0
            wait $pid 2>/dev/null || code=$?
            echo $code >$which.$signal.code
            [ $which = theirs ] || ! grep -qs "WARPLADDER_TEST_MARK=$$" /proc/[0-9]*/environ || fail "$signal: a process is left"
            [ $which = theirs ] || [ "$(ls /dev/shm 2>/dev/null || true)" = "$shared" ] || fail "$signal: shared memory is left"
        done
        cmp theirs.$signal.code ours.$signal.code || fail "$signal: the exit codes differ"
        # Which of MrBayes' own files there are by then depends on the moment.
        [ "$(find ours -type f ! -name 'run.*')" = ours/said ] || fail "$signal: other files are left: $(ls ours)"
    done
}
wait_until() { # COMMAND...: half a minute
    for _ in $(seq 300); do
        ! "$@" || return 0
        sleep 0.1
    done
    return 1
}
is_gone() { ! [ -e "/proc/$1" ] || grep -qs '^State:.Z' "/proc/$1/status"; }

case_linked() { # a program of the user's own, by way of the pkg-config file
    if ! command -v pkg-config >/dev/null || ! command -v cc >/dev/null; then echo "skipped: there is no pkg-config" && exit 77; fi
    local folder flags
    cmake --install "$(dirname "$warpladder")" --prefix "$PWD/root" >installed 2>&1 || fail "$(tail -n 3 installed)"
    folder=$PWD/root/lib/warpladder/beagle
    cat >program.c <<'END'
#include <libhmsbeagle/beagle.h>
#include <stdio.h>
int main(void) {
    BeagleResourceList *list = beagleGetResourceList();
    return printf("%s: %s\n", beagleGetVersion(), list->list[0].name) < 0;
}
END
    flags=$(PKG_CONFIG_PATH=$folder/pkgconfig pkg-config --cflags --libs hmsbeagle-1) || fail "pkg-config does not know hmsbeagle-1"
    # shellcheck disable=SC2086 # several flags
    cc program.c -o program $flags || fail "not linked with $flags"
    [ "$(LD_LIBRARY_PATH=$folder ./program)" = "3.1.2: CPU (Warpladder)" ] || fail "it says $(LD_LIBRARY_PATH=$folder ./program)"
}

case_command() {
    said 0 "$warpladder" beagle
    has out "resource 0  CPU"
    said 2 "$warpladder" beagle -- ./no-such-client
    # shellcheck disable=SC2016 # the client's variables
    said 0 "$warpladder" beagle --threads 3 -- sh -c 'echo "$OMP_NUM_THREADS $LD_LIBRARY_PATH"'
    grep -q '^3 .*lib/warpladder/beagle' out || fail "the client's environment: $(cat out)"
    said 7 "$warpladder" beagle -- sh -c 'exit 7'
    # shellcheck disable=SC2016
    said 0 "$warpladder" beagle --installed none -- sh -c 'echo "$WARPLADDER_BEAGLE_INSTALLED"'
    has out none
    said 2 "$warpladder" beagle --installed ./no-such-library -- true
    has err "option --installed: ./no-such-library: "
}

"case_$case"
