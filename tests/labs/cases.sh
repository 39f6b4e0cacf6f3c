#!/usr/bin/env bash
# cases.sh WARPLADDER CASE: the labs of a course, from making to marking.
# shellcheck source=tests/support/said.sh
source "$(dirname "$0")/../support/said.sh" "$@"
PATH=$(dirname "$warpladder"):$PATH
root=$here/../..
solution=$root/lessons/05_shared/kernel.cu

address=https://example.org/warpladder.git

# Every lab: the solution gets all points, the stub none, each planted mistake loses what it must.
verified() {
    export CLANG= # finds errors of the compiler earlier, of which none is planted
    said 0 "$warpladder" lab verify "$@"
    ! grep -q -- '^  --' out || fail "$(cat out)"
}
case_verify_lessons() { verified 1 2 3 4 5; }
case_verify_tiles() { verified 6; }
case_verify_alignment() { verified 7; }
case_verify_peeling() { verified 8; }

# A student's first minutes: made, wrong, a hint, right. The repository holds no solution.
case_make() {
    said 0 "$warpladder" lab make 02_coalesced --seed 17 --source $address --out mine
    [ ! -e mine/lessons ] || fail "the repository has more than it should"
    ! grep -rq 'data\[i + (size_t)attributes \* gx\]' mine || fail "the repository holds the solution"
    ! grep -q SOLUTION mine/kernel.cu || fail "the stub has marks"
    has mine/README.md 'global_load_sectors'
    said 1 mine/check
    has out 'Hint: There is no code'
    has mine/README.md 'at most 0.12 and at least 0.004'
    has mine/README.md '(a condition)'
    has out '0 of 80 points'
    # What failed and what was only held back do not look alike, and the failure is told once.
    has out '  failed       A warp'
    has out '  failed       The distances are right'
    [ ! -s err ] || fail "$(cat err)"
    cp "$root/lessons/02_coalesced/kernel.cu" mine/
    said 0 mine/check
    has out '80 of 80 points'
    said 0 "$warpladder" lab make 2 --seed 18 --source $address --out other
    said 2 "$warpladder" lab make 2 --seed 18 --source $address --out other
    has err 'is there already'
    ! cmp -s mine/lab other/lab || fail "two students have the same sizes"
}

# A program that is installed under any name: blanks, quotes, what a shell would run.
case_place_of_the_program() {
    local place
    # shellcheck disable=SC2016 # names are to reach other programs as they are
    for place in 'a place' "it's" '$(touch ran)' '`touch ran`'; do
        mkdir -p "$place/bin" "$place/lib"
        cp "$warpladder" "$place/bin/warpladder"
        cp -r "$(dirname "$warpladder")/lib/warpladder" "$place/lib/"
        rm -rf mine && said 0 "$place/bin/warpladder" lab make 2 --seed 17 --source $address --out mine
        cp "$root/lessons/02_coalesced/kernel.cu" mine/
        PATH=/usr/bin:/bin said 0 mine/check
        has out '80 of 80 points'
        rm -rf "$place"
    done
    { [ ! -e ran ] && [ ! -e mine/ran ]; } || fail "a name was run"
}

# What is wrong in a kind that is known is told with its line and its addresses.
case_hint() {
    said 0 "$warpladder" lab make lessons/02_coalesced --source $address --out mine
    awk '{ print } /BEGIN YOUR CODE/ {
        print "for (int i = idx, step = (attributes + 31) / 32; i < 32 * step; i += THREADS) { int k = i % 32 * step + i / 32;"
        print "if (k < attributes && data[k + (size_t)attributes * gx] != data[k + (size_t)attributes * gy])"
        print "atomicAdd(distance + (size_t)instances * gy + gx, 1); }" }' mine/kernel.cu >strided
    mv strided mine/kernel.cu
    said 1 mine/check
    has out 'kernel.cu:15 has most of them'
    # The picture shows the request that touches most sectors, at a size at which it does.
    has out 'load in one request, at 3'
    has out 'The memory by address'
    has out 'data, 4-byte elements'
    has out '1 request fetch 3'
    sed -i 's/for (int i/for (in i/' mine/kernel.cu
    said 1 mine/check
    has err 'kernel.cu:14'
    has out 'Nothing was tested'
}

# graded LAB REASON: kernel.cu is graded: no points, and REASON in the result.
graded() {
    said 0 "$warpladder" lab grade kernel.cu --lab "$1" --seed 9 --format gradescope --out result.json
    jq -e '.score == 0' result.json >/dev/null || fail "$(cat kernel.cu) gets $(jq .score result.json) points: $(cat result.json)"
    has result.json "$2"
}
stub() { "$warpladder" lab make 5 --source $address --out stub >/dev/null; }

# Changes outside of the marks of a submission do not count: the answer computed on the host, kept, or found; the reference called; awkward
# sizes refused; the input changed; the program ended. Each is graded as the stub that it is, and told so.
case_cheats() {
    needs_jq
    stub
    local cheat
    for cheat in host exit changes_input refuses first_only; do
        sed -f "$root/tests/sim/wrong/wrong_$cheat.sed" stub/kernel.cu >kernel.cu
        ! cmp -s stub/kernel.cu kernel.cu || fail "$cheat changes nothing"
        graded 5 'outside of BEGIN YOUR CODE'
    done
    # Functions of the harness's names, constructors, and words in the grader's format.
    cat stub/kernel.cu - >kernel.cu <<'END'
extern "C" int wl_passed(const void *) { return 1; }
extern "C" __attribute__((weak)) void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned) {}
extern "C" void lessons_reference(const void *, size_t, size_t, void *);
__attribute__((constructor)) static void fake() {
    for (int i = 0; i < 6; i++) printf("%d\tpassed\t0\t\n", i);
    printf("end\t0\n{\"score\": 100}\n");
    exit(127);
}
END
    graded 5 'outside of BEGIN YOUR CODE'
    echo '#include "lessons/05_shared/kernel.cu"' >kernel.cu
    graded 5 'found 0 of the regions'
    # With a right region the same file is right: the rest is the lab's own.
    cat "$solution" - >kernel.cu <<<'static int stray = system("true");'
    said 0 "$warpladder" lab grade kernel.cu --lab 5 --format gradescope --out result.json
    jq -e '.score == 100 and (.output | test("do not count"))' result.json >/dev/null || fail "$(cat result.json)"
}

# region CODE: kernel.cu with CODE where students write.
region() { awk -v code="$1" '{ print } /BEGIN YOUR CODE/ { print code }' stub/kernel.cu >kernel.cu; }

# What a region has that reaches beyond a kernel's statements is refused with its line; what it does on the device is counted.
case_cheats_in_the_region() {
    needs_jq
    export CLANG= # which refuses some of them before; the grader does not rely on it
    stub
    local code
    # shellcheck disable=SC1003 # a backslash
    for code in 'asm volatile("syscall");' '__asm__("");' '} static void mine() {' 'int a[2] = {1, 2;' '/* no end' '"no end' 'int x = (1];' \
        '#include "/etc/passwd"' '%:include "/etc/passwd"' 'extern int mine;' 'int x [[maybe_unused]];' '__attribute__((weak)) int x;' \
        'wl_sim::record_launch(0);' '__builtin_trap();' '_Pragma("GCC poison int")' 'int x; \\' 'R"(text)";' 'u8R"(text)";' '// END SOLUTION' \
        $'// \\\n{\n} static void mine() {\n// \\ \n}' "int x = 1'0; } static void mine() { int y = 1'0;"; do
        region "$code"
        graded 5 'kernel.cu:'
        jq -e '.output | test("kernel.cu:[0-9]+: |regions between")' result.json >/dev/null || fail "$code: $(cat result.json)"
    done
    # One thread does everybody's work: right, but not what is asked for, so it earns nothing.
    region 'if (idx == 0) { int n = 0; for (int i = 0; i < attributes; i++) n += data[i + pitch * gx] != data[i + pitch * gy];
        distance[(size_t)instances * gy + gx] = n; }'
    said 0 "$warpladder" lab grade kernel.cu --lab 5 --seed 9 --format gradescope --out result.json
    jq -e '.score == 0 and ([.tests[] | select(.tags[0] == "right" and (.output | test("counts only with: All threads")))] | length == 1)' result.json >/dev/null ||
        fail "$(cat result.json)"
    said 1 "$warpladder" lab grade kernel.cu --lab 5 --seed 9
    has out '  held back    The distances are right, at awkward sizes (20 points): counts only with: All threads'
    # A null pointer, a function of the host, and a loop without an end.
    region 'distance[0] = *(int *)0;' && graded 5 'null pointer'
    region 'exit(127);' && graded 5 'calls exit'
    region 'for (;;);' && sed 's/^seconds = .*/seconds = 3/' "$root/labs/05_shared/lab.ini" >lab.ini && mkdir 05_shared && mv lab.ini 05_shared
    graded "$PWD/05_shared" ''
    jq -e '.tests[0].output | test("endless loop|took too long")' result.json >/dev/null || fail "$(cat result.json)"
}

# Not a plain file: refused, and nobody waits for it.
case_odd_submissions() {
    needs_jq
    stub
    mkdir fifo link empty
    mkfifo fifo/kernel.cu
    ln -s "$solution" link/kernel.cu
    said 0 "$warpladder" lab grade fifo link empty --lab 5 --out graded
    for name in fifo link empty; do
        jq -e '.score == 0 and (.output | test("plain file"))' "graded/$name.json" >/dev/null || fail "$(cat "graded/$name.json")"
    done
    # A submission's own file `lab` chooses neither a folder nor the seed.
    cp stub/kernel.cu .
    echo "$PWD/mylab 4242" >lab
    said 2 "$warpladder" lab grade kernel.cu
    # Bytes that are no text do not get into a result.
    region "$(printf 'int a\377\376\302\233\033]0;<&>;')"
    said 0 "$warpladder" lab grade kernel.cu --lab 5 --format junit --out result.xml
    python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' result.xml || fail "$(cat result.xml)"
    said 1 "$warpladder" lab grade kernel.cu --lab 5
    ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out || fail "a terminal gets $(od -c out)"
    # Neither a large file nor a FIFO called `lab` holds anybody up.
    truncate -s 700M kernel.cu
    said 2 timeout 20 "$warpladder" lab grade kernel.cu
    said 0 timeout 20 "$warpladder" lab grade kernel.cu --lab 5 --out result.json --format gradescope
    has result.json 'at most'
    rm lab && mkfifo lab
    region 'distance[0] = 1;'
    said 2 timeout 20 "$warpladder" lab grade kernel.cu
}

# Regions that try to get out: each file of cheats/ says in its first line which lab it is for, how many points it may get, and words of
# the reason. README.md says which kind each stands for.
cheated() { # file...
    local file number points words
    for file in "$@"; do
        read -r _ number points words <"$file"
        [ -d "stub$number" ] || "$warpladder" lab make "$number" --source $address --out "stub$number" >/dev/null
        awk -v file="$file" '{ print } /BEGIN YOUR CODE/ { while ((getline line <file) > 0) if (n++) print line }' "stub$number/kernel.cu" >kernel.cu
        said 0 timeout 100 "$warpladder" lab grade kernel.cu --lab "$number" --seed 9 --format gradescope --out result.json
        jq -e --argjson points "$points" '.score == $points' result.json >/dev/null || fail "$file gets $(jq .score result.json): $(cat result.json)"
        has result.json "$words"
    done
    [ "$(echo "$TMPDIR"/warpladder-*)" = "$TMPDIR/warpladder-*" ] || fail "left behind: $(echo "$TMPDIR"/*)"
}
in_own_folder() {
    needs_jq
    mkdir temporary
    export TMPDIR=$PWD/temporary CLANG=
    chmod 755 . "$TMPDIR" # for the user that submissions run as
}
case_cheats_calls() { in_own_folder && cheated "$here"/cheats/[a-e]*.cu; }
case_cheats_memory() { in_own_folder && cheated "$here"/cheats/[f-r]*.cu; }
case_cheats_counters() { in_own_folder && cheated "$here"/cheats/[s-z]*.cu; }

# If the first layer had a hole: a lab whose kernels may call anything. The sandbox starts no program and writes no file, and records that a
# kernel writes itself win nothing.
case_layers() {
    needs_jq
    export CLANG= # which would refuse these calls before a layer could
    command -v bwrap >/dev/null || exit 77
    stub
    mkdir 05_shared there && chmod 777 . there
    sed '/^\[lab\]/a calls = .' "$root/labs/05_shared/lab.ini" >05_shared/lab.ini
    local code
    for code in "system(\"touch $PWD/there/stray\");" "FILE *f = fopen(\"$PWD/there/stray\", \"w\"); if (f) fclose(f);" \
        'FILE *f = fopen("/proc/self/mem", "r+"); if (f) distance[0] = 1;' 'FILE *f = popen("id", "r"); if (f) distance[0] = 1;' \
        'FILE *f = fdopen(3, "w"); int record[200] = {1}; for (int i = 0; i < 99; i++) fwrite(record, sizeof record, 1, f); fclose(f); exit(0);' \
        'exit(0);' 'FILE *f = fopen("/etc/passwd", "r"); if (f) distance[0] = 1;'; do
        region "if (idx + gx + gy == 0) { $code }"
        said 0 "$warpladder" lab grade kernel.cu --lab "$PWD/05_shared" --seed 9 --format gradescope --out result.json
        jq -e '.score == 0 and (.output | test("not allow|declared") | not)' result.json >/dev/null || fail "$code: $(cat result.json)"
        [ ! -e there/stray ] || fail "$code writes a file"
    done
}

# Without a sandbox nothing of a stranger runs, unless somebody takes it upon himself.
case_no_sandbox() {
    stub
    mkdir bin && chmod 755 .
    for tool in $(compgen -c | sort -u); do
        [ "$tool" = bwrap ] || [ -z "$(type -P "$tool")" ] || ln -sf "$(type -P "$tool")" "bin/$tool"
    done
    cp "$solution" kernel.cu
    PATH=$PWD/bin said 4 "$warpladder" lab grade kernel.cu --lab 5
    has err 'bubblewrap (bwrap) is not installed; --trust-submissions'
    PATH=$PWD/bin said 0 "$warpladder" lab grade kernel.cu --lab 5 --trust-submissions
    has out '100 of 100'
    said 1 env PATH="$PWD/bin" stub/check
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
        and (.tests | length) == 8 and .extra_data.seed == "42"
        and ([.tests[] | select(([.visibility] | inside(["hidden", "after_due_date", "after_published", "visible"])) and .score <= .max_score
            and (.name | type) == "string" and (.number | type) == "string" and (.output | type) == "string" and (.tags | type) == "array")]
            | length) == 8
        and ([.leaderboard[] | select((.name | type) == "string" and (.value | type) == "number")] | length) == 6' \
        gradescope/results/results.json >/dev/null || fail "$(cat gradescope/results/results.json)"
    # Without a submission there is a results.json, too.
    rm gradescope/submission/kernel.cu
    AUTOGRADER=$PWD/gradescope said 0 bash gradescope/source/run_autograder
    jq -e '.score == 0 and (.output | test("kernel.cu"))' gradescope/results/results.json >/dev/null || fail "$(cat gradescope/results/results.json)"
}

# A workflow's steps, one after the other as the student's repository has them, and Classroom 50's result.json.
case_workflow() {
    needs_jq
    "$warpladder" lab make 2 --seed 5 --source $address --out mine >/dev/null
    cp "$root/lessons/02_coalesced/kernel.cu" mine/
    sed -n 's/^ *- run: //p; s/^ *run: //p' mine/.github/workflows/check.yml >steps
    [ "$(wc -l <steps)" = 2 ] || fail "$(cat steps)"
    (cd mine && said 0 bash -e ../steps)
    jq -e '.schema == "classroom50/result/v1" and .score == 80 and ([.tests[] | select(.passed and .score == ."max-score" and ."test-name")] | length) == 7' \
        mine/result.json >/dev/null || fail "$(cat mine/result.json)"
    jq -e '.cells | map(.id) | unique | length == 5' mine/notebook.ipynb >/dev/null || fail "the notebook is no JSON"
    jq -e . mine/.devcontainer/devcontainer.json >/dev/null || fail "the container's file is no JSON"
    # The notebook's cell has the stub.
    jq -j '.cells[3].source[1:] | join("")' mine/notebook.ipynb >cell
    "$warpladder" lab make 2 --seed 5 --source $address --out stub >/dev/null
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
    python3 -c 'import sys, xml.etree.ElementTree as e; s = e.parse(sys.argv[1]).getroot(); assert s.get("failures") == "8", s.attrib' graded/bob.xml ||
        fail "$(cat graded/bob.xml)"
    said 0 "$warpladder" lab report graded --out class.html
    has out '"ann","02_coalesced",100,100,"",30,"ok",40,"ok"'
    has out '"bob","02_coalesced",0,100,"wrong result at instances 2, attributes 5"'
    has out '"cid","02_coalesced",0,100,"marks changed"'
    has out '"dora","02_coalesced",0,100,"no kernel.cu"'
    has class.html '4 submissions, mean 25.0 of 100 points'
    has out 'reason,"right","right reason",'
    has class.html '1 of 4</td><td>wrong result (1), marks changed (1), no kernel.cu (1)'
    has class.html "<td>A warp's load touches neighbouring sectors</td>"
    said 0 "$warpladder" lab report graded --table tests
    has out '"02_coalesced","right",30,1,4,"wrong result",1'
    said 0 "$warpladder" lab report graded --table similar
    has out '"02_coalesced","ann","bob","0.9'
    [ "$(wc -l <out)" = 2 ] || fail "$(cat out)"
    # One who is late is a class of one.
    said 0 "$warpladder" lab grade class/ann --lab 2 --out late
    said 0 "$warpladder" lab report late
}

# region_of NAME CODE: the submission of NAME.
region_of() { region "$2" && mkdir -p "class/$1" && mv kernel.cu "class/$1/"; }

# The reason of each kind of mistake, and the copy whose names have been changed.
case_reasons() {
    export CLANG=
    stub
    local sum='int n = 0; for (int i = idx; i < attributes; i += THREADS) n += data[i + pitch * gx] != data[i + pitch * gy];'
    region_of compile 'int x = y;'
    region_of empty ''
    region_of forbidden 'exit(1);'
    region_of race "$sum distance[(size_t)instances * gy + gx] = 0; __syncthreads(); distance[(size_t)instances * gy + gx] += n;"
    region_of renamed "int sum = 0; /* mine */ for (int k = idx; k < attributes; k += THREADS) sum += data[k + pitch * gx] != data[k + pitch * gy];
        distance[(size_t)instances * gy + gx] = 0; __syncthreads(); distance[(size_t)instances * gy + gx] += sum;"
    # Names that the lab's comments and host code have are no given names.
    region_of given "int count = 0; for (int bytes = idx; bytes < attributes; bytes += THREADS) count += data[bytes + pitch * gx] != data[bytes + pitch * gy];
        distance[(size_t)instances * gy + gx] = 0; __syncthreads(); distance[(size_t)instances * gy + gx] += count;"
    region_of outside 'distance[1 << 20] = 1;'
    said 0 "$warpladder" lab grade class/* --lab 5 --out graded
    cut -f 1,6 graded/class.tsv | tail -n +2 | sed 's/instances 2, attributes 4/S/' | tr '\t\n' '=;' >reasons
    printf 'compile=compile error;empty=empty stub;forbidden=forbidden code;given=race at S;outside=access outside at S;race=race at S;renamed=race at S;' |
        cmp - reasons || fail "$(cat graded/class.tsv)"
    grep -q $'^given\trace\t0\\.[0-8].*\t1.00' graded/similar.tsv || fail "$(cat graded/similar.tsv)"
    grep -q $'^race\trenamed\t0\\.[0-8].*\t1.00' graded/similar.tsv || fail "$(cat graded/similar.tsv)"
    said 1 "$warpladder" lab check class/race/kernel.cu --lab 5
    has out 'Hint: One thread adds up what all threads have written'
    said 1 "$warpladder" lab check class/outside/kernel.cu --lab 5
    has out 'Hint: For some thread an index'
    # The place is told in the student's file.
    has out 'FAILED: launch: GPUshared: block (0,0,0)'
    has out ' at kernel.cu:'
}

# A race that does not show in the results earns what the lab's author gives for it, and one that does earns nothing.
case_race_credit() {
    needs_jq
    export CLANG=
    stub
    mkdir 05_shared
    sed 's/^\[lab\]/&\nrace_credit = 0.5/' "$root/labs/05_shared/lab.ini" >05_shared/lab.ini
    # The second barrier is left out, and the thread that sums up comes last on the simulated device.
    sed '0,/    __syncthreads();/! s/    __syncthreads();//; s/(idx == 0)/(idx == THREADS - 1)/' "$solution" >kernel.cu
    said 0 "$warpladder" lab grade kernel.cu --lab "$PWD/05_shared" --format gradescope --out result.json
    jq -e '.score >= 10 and .score <= 50 and .tests[0].score == 10 and (.tests[0].output | test("are right, but: .*race"))' result.json >/dev/null ||
        fail "$(cat result.json)"
    region 'distance[(size_t)instances * gy + gx] = idx;'
    said 0 "$warpladder" lab grade kernel.cu --lab "$PWD/05_shared" --format gradescope --out result.json
    jq -e '.score == 0' result.json >/dev/null || fail "$(cat result.json)"
}

# Where other machines get Warpladder: the remote of the source tree, without a password and without a key; nothing if there is none.
case_address() {
    needs_jq
    local remote
    mkdir bin
    # shellcheck disable=SC2016 # the script's dollars
    printf '#!/bin/sh\ncase $* in remote) [ -z "$REMOTE" ] || echo origin;; *get-url*) echo "$REMOTE";; esac\n' >bin/git
    chmod 755 bin/git
    for remote in git@git.example.org:course/warpladder.git ssh://git@git.example.org:22/course/warpladder.git \
        https://me:secret@git.example.org/course/warpladder.git; do
        rm -rf mine
        REMOTE=$remote PATH=$PWD/bin:$PATH said 0 "$warpladder" lab make 2 --out mine
        for file in notebook.ipynb .github/workflows/check.yml .devcontainer/devcontainer.json; do
            has mine/$file 'https://git.example.org/course/warpladder.git'
        done
        ! grep -rq secret mine || fail "the repository holds a password"
    done
    # Without one, what needs the address is left out, and the rest works.
    for remote in '' /srv/git/warpladder.git file:///srv/git/warpladder.git; do
        rm -rf none
        REMOTE=$remote PATH=$PWD/bin:$PATH said 0 "$warpladder" lab make 2 --out none
        has err 'without --source URL'
        [ "$(cd none && find . -type f | sort | tr '\n' ' ')" = './.gitignore ./Makefile ./README.md ./check ./kernel.cu ./lab ./setup ' ] ||
            fail "$(find none)"
        ! grep -q notebook none/README.md || fail "the page names a notebook"
    done
    : >empty.deb
    said 3 "$warpladder" lab autograder 2 --package empty.deb --out autograder.zip
    has err 'expected a .deb'
}

# Names: of two submissions with one name none is graded; kernel.cu has its folder's name; what spreadsheets and terminals obey is not theirs.
case_names() {
    mkdir -p e/x e/y d1/ann d2/ann
    cp "$solution" e/x/kernel.cu
    cp "$solution" e/y/kernel.cu
    said 2 "$warpladder" lab grade d1/ann d2/ann --lab 5 --out graded
    has err 'd1/ann and d2/ann would both be graded as ann'
    [ ! -e graded ] || fail "something is graded"
    said 0 "$warpladder" lab grade e/x/kernel.cu e/y/kernel.cu --lab 5 --out graded
    [ "$(tail -n +2 graded/class.tsv | cut -f 1,3 | tr '\t\n' ' ;')" = 'x 100;y 100;' ] || fail "$(cat graded/class.tsv)"
    mkdir -p "names/=1+2" names/$'e\033]0;\t\nx' "names/say \"a, b\""
    said 0 "$warpladder" lab grade names/* --lab 5 --out odd
    # In the table that a spreadsheet opens, too. Its reader takes the apostrophe away again.
    grep -q "^'=1+2"$'\t' odd/class.tsv || fail "$(cat odd/class.tsv)"
    said 0 "$warpladder" lab report odd --out odd.html
    has out "\"'=1+2\","
    has out '"e?]0;??x",'
    has out '"say ""a, b""",'
    [ "$(wc -l <out)" = 4 ] || fail "$(cat out)"
    # As many as there are.
    mkdir many
    for i in $(seq 600); do mkdir "many/$i"; done
    said 0 "$warpladder" lab grade many/* --lab 5 --out graded_many
    [ "$(wc -l <graded_many/class.tsv)" = 601 ] || fail "$(head graded_many/class.tsv)"
}

# A class's table that nobody's grader wrote: the file, the line and what is wrong with it.
case_report_of_nonsense() {
    local score
    mkdir class
    for score in -1e8 nan 1e300 -500 inf 100.5 '' 7x; do
        printf 'student\tlab\tscore\tpoints\tseconds\treason\ttests\nann\t1\t%s\t100\t1.5\t\tx=1/1 ok\n' "$score" >class/class.tsv
        said 3 "$warpladder" lab report class --out page.html
        has err 'class.tsv:2: '
        [ ! -e page.html ] || fail "$score makes a page"
    done
    printf 'student\tlab\tscore\tpoints\tseconds\treason\ttests\nann\t1\t70\t0\t1.5\t\tx=0/0 ok\n' >class/class.tsv
    said 3 "$warpladder" lab report class
    head -c 4096 /dev/urandom | tr '\0' x >class/class.tsv
    said 3 "$warpladder" lab report class
    has err 'class.tsv:1: '
    echo 'student	lab	score' >class/class.tsv
    said 3 "$warpladder" lab report class
    has err 'found no table of a class'
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
[lab]\ntitle = t\nstage = lessons/05_shared\n[a]\nname = n\nshapes = --instances 3 --atributes 5
[lab]\ntitle = t\nstage = lesons/05_shared\n[a]\nname = n\nshapes = --instances 3
[lab\n
END
    said 3 "$warpladder" lab check --lab "$PWD/none" "$solution"
    said 2 "$warpladder" lab check --lab 99 "$solution"
    has err 'expected one of 01_naive'
    said 2 "$warpladder" lab check "$solution"
    said 2 "$warpladder" lab make 1
    said 2 "$warpladder" lab fly
    said 2 "$warpladder" lab trial a b
    said 2 "$warpladder" lab list --jobs abc
    has err '--jobs'
    said 0 "$warpladder" lab list
    [ "$(wc -l <out)" -ge 8 ] || fail "$(cat out)"
}

"case_$case"
