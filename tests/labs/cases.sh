#!/usr/bin/env bash
# cases.sh WARPLADDER CASE: the labs of a course, from making to marking.
# shellcheck source=tests/said.sh
source "$(dirname "$0")/../said.sh" "$@"
PATH=$(dirname "$warpladder"):$PATH
root=$here/../..
solution=$root/lessons/05_shared/kernel.cu

# Every lab: the solution gets all points, the stub none, each planted mistake loses what it must.
verified() {
    said 0 "$warpladder" lab verify "$@"
    ! grep -q -- '^  --' out || fail "$(cat out)"
}
case_verify_lessons() { verified 1 2 3 4 5; }
case_verify_tiles() { verified 6; }
case_verify_alignment() { verified 7; }
case_verify_peeling() { verified 8; }

# A student's first minutes: made, wrong, a hint, right. The repository holds no solution.
case_make() {
    said 0 "$warpladder" lab make 02_coalesced --seed 17 --out mine
    [ ! -e mine/lessons ] || fail "the repository has more than it should"
    ! grep -rq 'data\[i + (size_t)attributes \* gx\]' mine || fail "the repository holds the solution"
    ! grep -q SOLUTION mine/kernel.cu || fail "the stub has marks"
    has mine/README.md 'global_load_sectors'
    said 1 mine/check
    has out 'Hint: Work out'
    has out '0 of 80 points'
    cp "$root/lessons/02_coalesced/kernel.cu" mine/
    said 0 mine/check
    has out '80 of 80 points'
    said 0 "$warpladder" lab make 2 --seed 18 --out other
    said 2 "$warpladder" lab make 2 --seed 18 --out other
    has err 'is there already'
    ! cmp -s mine/lab other/lab || fail "two students have the same sizes"
}

# What is wrong in a kind that is known is told with its line and its addresses.
case_hint() {
    said 0 "$warpladder" lab make lessons/02_coalesced --out mine
    sed -f "$root/labs/02_coalesced/wrong/stride.sed" "$root/lessons/02_coalesced/kernel.cu" >mine/kernel.cu
    said 1 mine/check
    has out 'kernel.cu:'
    has out '32 per global_load_requests'
    has out 'The memory by address'
    echo 'int main( {' >mine/kernel.cu
    said 1 mine/check
    has err 'kernel.cu:1'
    has out 'Nothing was tested'
}

# graded SCRIPT REASON: lab 05's solution, changed by a sed script, is graded: it gets fewer points than all, and says why.
graded() {
    sed -f "$1" "$solution" >kernel.cu
    ! cmp -s "$solution" kernel.cu || fail "$1 changes nothing"
    said 0 "$warpladder" lab grade kernel.cu --lab 5 --seed 9 --format gradescope --out result.json
    jq -e '.score == 0' result.json >/dev/null || fail "$1 gets $(jq .score result.json) points: $(cat result.json)"
    has result.json "$2"
}

# Ways to cheat: each is graded as wrong, with the reason.
case_cheats() {
    needs_jq
    graded "$root/tests/sim/wrong/wrong_host.sed" 'the host computes it'
    graded "$root/tests/sim/wrong/wrong_ready.sed" 'before the first launch: prepare computes it'
    graded "$root/tests/sim/wrong/wrong_exit.sed" 'ended before'
    graded "$root/tests/sim/wrong/wrong_changes_input.sed" 'changes its input'
    graded "$root/tests/sim/wrong/wrong_first_only.sed" 'launched a second time'
    graded "$root/tests/sim/wrong/wrong_refuses.sed" 'supports refuses'
    # supports refuses, and says so in the descriptor
    sed 's/\.supports = picky/.limits = "attributes that are a multiple of four", .supports = picky/' \
        "$root/tests/sim/wrong/wrong_refuses.sed" >limits.sed
    graded limits.sed 'unsupported'
    # the reference is called
    echo 's/^static wl_status launch/extern "C" void lessons_reference(const void *, size_t, size_t, void *);\
static const void *wanted;\
static wl_status own_collect(void *state, void *output, int) {\
    lessons_reference(wanted, 0, ((lessons_state *)state)->instances, output);\
    return WL_OK;\
}\
&/; s/\.launch = launch)/.launch = launch, .collect = own_collect)/' >reference.sed
    graded reference.sed 'lessons_reference'
}

# Nothing of the harness can be replaced, and no result written in its place.
case_cheats_of_programs() {
    needs_jq
    # Functions of the same names as the harness's stay the submission's own: the right kernel is still right, the stub still wrong.
    "$warpladder" lab make 5 --out mine >/dev/null
    cat >fakes <<'END'
extern "C" size_t wl_verdict_set(void *, int, const char *, ...) { return 0; }
extern "C" int wl_passed(const void *) { return 1; }
extern "C" unsigned long wl_counter(const void *, size_t) { return 0; }
extern "C" int wl_lab_trial(const void *, const char *, size_t, void *) { return 0; }
END
    cat mine/kernel.cu fakes >kernel.cu
    said 0 "$warpladder" lab grade kernel.cu --lab 5 --format gradescope --out result.json
    jq -e '.score == 0 and (.tests[0].output | test("expected"))' result.json >/dev/null || fail "$(cat result.json)"
    # Words in the grader's format on standard output and standard error.
    cat mine/kernel.cu - >kernel.cu <<'END'
__attribute__((constructor)) static void fake() {
    for (int i = 0; i < 5; i++) printf("%d\tpassed\t0\t\n", i);
    printf("end\t0\n{\"score\": 100}\n");
}
END
    said 0 "$warpladder" lab grade kernel.cu --lab 5 --format gradescope --out result.json
    jq -e '.score == 0' result.json >/dev/null || fail "$(cat result.json)"
    # Calls that no stage needs do not link.
    local call
    for call in 'fork()' 'write(3, "", 0)' 'system("true")' 'getenv("HOME")' 'fopen("/etc/passwd", "r")' 'syscall(1)' 'dlsym(0, "x")'; do
        { printf '#include <unistd.h>\n#include <stdlib.h>\n#include <stdio.h>\n#include <dlfcn.h>\n' && cat "$solution" &&
            printf 'long stray() { return (long)%s; }\n' "$call"; } >kernel.cu
        said 0 "$warpladder" lab grade kernel.cu --lab 5 --format gradescope --out result.json
        jq -e '.score == 0 and (.output | test("kernel.cu calls|which no variant may"))' result.json >/dev/null ||
            fail "$call: $(cat result.json)"
    done
    { cat "$solution" && echo 'void stray() { asm volatile("syscall"); }'; } >kernel.cu
    [ "$(uname -m)" != x86_64 ] || {
        said 0 "$warpladder" lab grade kernel.cu --lab 5 --format gradescope --out result.json
        has result.json 'makes a system call'
    }
}

# An endless loop of the host, too much memory, and a compiler kept busy end by their limits; a result is written all the same.
case_limits() {
    needs_jq
    sed 's/^seconds = .*/seconds = 2/' "$root/labs/05_shared/lab.ini" >lab.ini
    mkdir short && mv lab.ini short/
    sed -f "$root/tests/sim/wrong/wrong_endless_host.sed" "$solution" >kernel.cu
    said 0 "$warpladder" lab grade kernel.cu --lab "$PWD/short" --format gradescope --out result.json
    jq -e '.score == 0 and (.tests | length) == 5 and (.tests[0].output | test("too long|processor time|seconds"))' result.json >/dev/null ||
        fail "$(cat result.json)"
    sed -f "$root/tests/sim/wrong/wrong_endless.sed" "$solution" >kernel.cu
    said 0 "$warpladder" lab grade kernel.cu --lab "$PWD/short" --format gradescope --out result.json
    jq -e '.score == 0 and (.tests[0].output | test("endless loop|too long"))' result.json >/dev/null || fail "$(cat result.json)"
    sed 's|^    dim3 grid|    for (size_t i = 0; i < 3000; i++) memset(malloc(1 << 20), 1, 1 << 20);\n&|' "$solution" >kernel.cu
    said 0 "$warpladder" lab grade kernel.cu --lab 5 --format gradescope --out result.json
    has result.json 'too much memory'
}

# Gradescope from end to end: the package that is uploaded, the seed of the student's number, results.json as it has to be.
case_gradescope() {
    needs_jq
    command -v zip >/dev/null || exit 77
    said 0 "$warpladder" lab autograder 2 --source https://example.org/warpladder.git --out autograder.zip
    mkdir -p gradescope/submission gradescope/results
    python3 -m zipfile -e autograder.zip gradescope/source
    bash -n gradescope/source/setup.sh
    echo '{"users": [{"id": 42, "name": "A"}]}' >gradescope/submission_metadata.json
    cp "$root/lessons/02_coalesced/kernel.cu" gradescope/submission/
    AUTOGRADER=$PWD/gradescope said 0 bash gradescope/source/run_autograder
    jq -e '.score == 100 and .visibility == "visible" and .stdout_visibility == "hidden" and (.execution_time | type) == "number"
        and (.tests | length) == 3 and .extra_data.seed == "42"
        and ([.tests[] | select(([.visibility] | inside(["hidden", "after_due_date", "after_published", "visible"])) and .score <= .max_score
            and (.name | type) == "string" and (.number | type) == "string" and (.output | type) == "string" and (.tags | type) == "array")]
            | length) == 3
        and ([.leaderboard[] | select((.name | type) == "string" and (.value | type) == "number")] | length) == 1' \
        gradescope/results/results.json >/dev/null || fail "$(cat gradescope/results/results.json)"
    # Without a submission there is a results.json, too.
    rm gradescope/submission/kernel.cu
    AUTOGRADER=$PWD/gradescope said 0 bash gradescope/source/run_autograder
    jq -e '.score == 0 and (.output | test("kernel.cu"))' gradescope/results/results.json >/dev/null || fail "$(cat gradescope/results/results.json)"
}

# A workflow's steps, one after the other as the student's repository has them, and Classroom 50's result.json.
case_workflow() {
    needs_jq
    "$warpladder" lab make 2 --seed 5 --out mine >/dev/null
    cp "$root/lessons/02_coalesced/kernel.cu" mine/
    sed -n 's/^ *- run: //p; s/^ *run: //p' mine/.github/workflows/check.yml >steps
    [ "$(wc -l <steps)" = 2 ] || fail "$(cat steps)"
    (cd mine && said 0 bash -e ../steps)
    jq -e '.schema == "classroom50/result/v1" and .score == 80 and ([.tests[] | select(.passed and .score == ."max-score" and ."test-name")] | length) == 2' \
        mine/result.json >/dev/null || fail "$(cat mine/result.json)"
    jq -e '.cells | length == 5' mine/notebook.ipynb >/dev/null || fail "the notebook is no JSON"
    jq -e . mine/.devcontainer/devcontainer.json >/dev/null || fail "the container's file is no JSON"
    # The notebook's cell has the stub.
    jq -j '.cells[2].source[1:] | join("")' mine/notebook.ipynb >cell
    "$warpladder" lab make 2 --seed 5 --out stub >/dev/null
    cmp cell stub/kernel.cu || fail "the notebook has another stub"
}

# A class: a folder or a file for each student, side by side; a table, and a page. A student without a kernel.cu is in it.
case_class() {
    needs_jq
    mkdir -p class/ann class/bob class/cid class/dora
    cp "$root/lessons/02_coalesced/kernel.cu" class/ann/
    sed 's/!= data/== data/' "$root/lessons/02_coalesced/kernel.cu" >class/bob/kernel.cu
    echo 'no C' >class/cid/kernel.cu
    said 0 "$warpladder" lab grade class/* --lab 2 --out graded --jobs 2
    printf 'ann 100\nbob 0\ncid 0\ndora 0\n' >expected
    tail -n +2 graded/class.tsv | awk -F'\t' '{print $1, $3}' | cmp - expected || fail "$(cat graded/class.tsv)"
    jq -e '.tests[0].output | test("expected")' graded/bob.json >/dev/null || fail "$(cat graded/bob.json)"
    has graded/dora.txt 'kernel.cu'
    python3 -c 'import sys, xml.etree.ElementTree as e; s = e.parse(sys.argv[1]).getroot(); assert s.get("failures") == "3", s.attrib' graded/bob.xml ||
        fail "$(cat graded/bob.xml)"
    said 0 "$warpladder" lab report graded --out class.html
    has out '"ann","02_coalesced",100,100,'
    has class.html '4 submissions, mean 25.0 of 100 points'
}

# Broken lab files and command lines: one line, the place, the right code.
case_broken() {
    local n=0 line
    while IFS= read -r line; do
        n=$((n + 1))
        mkdir "lab$n"
        printf '%b\n' "$line" >"lab$n/lab.ini"
        said 3 "$warpladder" lab check --lab "$PWD/lab$n" "$solution"
        [ "$(wc -l <err)" = 1 ] || fail "$line: $(cat err)"
        has err 'lab.ini'
    done <<'END'

title = no section
[lab]
[lab]\ntitle = t\nstage = lessons/05_shared
[lab]\ntitle = t\nstage = lessons\n[a]\nname = n\nshapes = s
[lab]\ntitle = t\nstage = lessons/05_shared\n[a]\nname = n
[lab]\ntitle = t\nstage = lessons/05_shared\n[a]\nname = n\nshapes = --instances {3..1}
[lab]\ntitle = t\nstage = lessons/05_shared\n[a]\nname = n\nshapes = x\npoints = -1
[lab]\ntitle = t\nstage = lessons/05_shared\n[a]\nname = n\nshapes = x\npoints = nan
[lab]\ntitle = t\nstage = lessons/05_shared\n[a]\nname = n\nshapes = x\ncounter = none
[lab]\ntitle = t\nstage = lessons/05_shared\n[a]\nname = n\nshapes = x\ncounter = barriers
[lab]\ntitle = t\nstage = lessons/05_shared\n[a]\nname = n\nshapes = x\nmost = 1
[lab]\ntitle = t\nstage = lessons/05_shared\n[a]\nname = n\nshapes = x\n[b]\nname = n\nshapes = x\n[a]\npoints = 1
[lab]\ntitle = t\nstage = lessons/05_shared\n[a]\nname = n\nshapes = x\nhidden = maybe
[lab\n
END
    said 3 "$warpladder" lab check --lab "$PWD/none" "$solution"
    said 2 "$warpladder" lab check --lab 99 "$solution"
    has err 'expected one of 01_naive'
    said 2 "$warpladder" lab check "$solution"
    said 2 "$warpladder" lab make 1
    said 2 "$warpladder" lab fly
    said 2 "$warpladder" lab trial a b
    said 0 "$warpladder" lab list
    [ "$(wc -l <out)" -ge 8 ] || fail "$(cat out)"
}

"case_$case"
