#!/usr/bin/env bash
# cases.sh BUILD WRONG CASE: is the program the same once it is installed, moved and stripped? WRONG is the program with faulty kernels.
set -euo pipefail
build=$(cd "$1" && pwd) wrong=$(readlink -f "$2") case=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" && exit 1; }

prefix=$work/moved
install_and_move() {
    cmake --install "$build" --prefix "$work/first" >/dev/null
    mv "$work/first" "$prefix"
    program=$prefix/bin/warpladder
}

case_moved_and_stripped() {
    install_and_move
    readelf -SW "$program" >"$work/sections"
    ! grep -qE ' \.(symtab|debug_info)' "$work/sections" || fail "not stripped"
    "$build/warpladder" explain lessons/05_shared --tsv >"$work/expected"
    "$program" explain lessons/05_shared --tsv | cmp - "$work/expected"
    "$program" check lessons/05_shared --device sim --quiet --instances 9 --attributes 70
    # Its data are the prefix's own: gnuplot's scripts, and the papers' tables, without which nothing is reproduced.
    cd "$work"
    "$program" explain lessons/01_naive --figure --out out >/dev/null 2>&1
    ! command -v gnuplot >/dev/null || [ -s out/lessons_01_naive_figure.svg ] || fail "no figure"
    rm "$prefix/share/warpladder/plots/papers/payne2010_figure4.tsv"
    ! "$program" reproduce payne2010 --device cpu --out out >/dev/null 2>error || fail "found data elsewhere"
    grep -q moved/bin/../share error || fail "$(cat error)"
}

# Messages name source lines from the separate file of debugging information, and functions without it.
case_messages() {
    mkdir -p "$prefix/bin"
    cp "$wrong" "$prefix/bin/warpladder"
    sh packaging/finish.sh "$prefix" objcopy strip
    for file in tests/sim/wrong/wrong_{bounds,race,barrier}.expect; do
        sed 's/, made as [a-z]* in .*//' "$file" >"$work/expect" # the array's name stands in the sources, which may be elsewhere
        sh tests/sim/expect.sh "$prefix/bin/warpladder" "lessons/$(basename "$file" .expect)" "$work/expect"
    done
    ! "$prefix/bin/warpladder" check lessons/wrong_race --device sim >"$work/said" 2>&1 || fail "a race was not found"
    grep -q '(wrong/wrong_race.cu:[0-9]' "$work/said" || fail "no source line: $(cat "$work/said")"
    rm "$prefix/lib/debug/warpladder.debug"
    ! "$prefix/bin/warpladder" check lessons/wrong_race --device sim >"$work/said" 2>&1 || fail "a race was not found"
    grep -q 'an unknown line of GPU' "$work/said" || fail "$(cat "$work/said")"
}

# What compiles CUDA programs is installed, too, and nothing of it is taken from elsewhere.
case_programs() {
    install_and_move
    "$program" simulate tests/sim/toolchain/vector_add.cu -- 300 2>"$work/error" | grep -xF 'c[299] = 598' >/dev/null || fail "$(cat "$work/error")"
    chmod 755 "$work" # root grades as another user
    "$program" lab verify 1 >"$work/said" 2>&1 || fail "$(cat "$work/said")"
    "$program" cc --verbose tests/sim/toolchain/race.cu -o "$work/race" 2>"$work/said"
    ! grep -qE "$build|$PWD/(harness|cmake)" "$work/said" || fail "takes files from elsewhere: $(cat "$work/said")"
    ! "$work/race" 2>"$work/error" || fail "a race was not found"
    grep -q 'race.cu:6) which thread' "$work/error" || fail "$(cat "$work/error")"
}

# A stage in a folder of its own.
case_folder() {
    install_and_move
    mkdir -p "$work/own/my stage" "$work/own/wrong"
    cp lessons/05_shared/kernel.cu "$work/own/my stage"
    sed 's/dist\[0\] += dist\[i\]/dist[0] += 1 + dist[i]/' lessons/05_shared/kernel.cu >"$work/own/wrong/kernel.cu"
    cd "$work/own"
    "$program" check 'my stage' --device sim >said 2>&1 || fail "$(cat said)"
    grep -q '^lessons/my_stage sim: ok' said || fail "$(cat said)"
    # The program with the stage, kept: it needs no compiler.
    "$program" cc 'my stage' -o mine >said 2>&1 || fail "$(cat said)"
    PATH=/nowhere ./mine check lessons/my_stage --device sim --quick >said 2>&1 || fail "$(cat said)"
    grep -q '^lessons/my_stage sim: ok' said || fail "$(cat said)"
    "$program" explain 'my stage/' --instances 8 --attributes 64 >said 2>&1 || fail "$(cat said)"
    grep -q '^my_stage  *GPUshared' said || fail "$(cat said)"
    # Beside published stages and another one.
    "$program" explain lessons/01_naive 'my stage/' wrong/../wrong --instances 8 --attributes 64 >said 2>&1 && fail "a wrong stage passes"
    for row in '^01_naive  *GPUnaive' '^my_stage  *GPUshared' '^wrong .*FAILED'; do
        grep -q "$row" said || fail "$row: $(cat said)"
    done
    "$program" run ./wrong --device sim >said 2>&1 && fail "a wrong stage passes: $(cat said)"
    grep -q 'FAILED.*expected' said || fail "$(cat said)"
    echo 'int no_stage;' >wrong/kernel.cu
    "$program" check wrong >said 2>&1 && fail "no stage passes: $(cat said)"
    grep -q "wrong/kernel.cu: found no header of a problem" said || fail "$(cat said)"
}

case_manual() {
    install_and_move
    command -v groff >/dev/null || exit 77
    "$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | while read -r name; do
        page=$prefix/share/man/man1/warpladder-$name.1
        # Every option of --help is in the page.
        "$program" "$name" --help | grep -oE '^ .{0,5}--[a-z-]+' | sed 's/.*--//; s/-/\\\\-/g' | while read -r option; do
            grep -q "\\\\-\\\\-$option\\\\fR" "$page" || fail "$page lacks $option"
        done
    done
    if [ -x "$prefix/bin/warpladder-mpi" ]; then
        for option in work units help version; do
            grep -q "\\\\-\\\\-$option" "$prefix/share/man/man1/warpladder-mpi.1" || fail "warpladder-mpi.1 lacks $option"
        done
    fi
    for page in "$prefix"/share/man/man1/*.1; do
        groff -ww -b -man -Tutf8 "$page" 2>"$work/warnings" >/dev/null
        [ ! -s "$work/warnings" ] || fail "$page: $(cat "$work/warnings")"
    done
}

complete_in_bash() { # words... : what is offered for the last of them
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _warpladder "$1"
    echo " ${COMPREPLY[*]} "
}
case_bash() {
    install_and_move
    # shellcheck source=/dev/null
    source "$prefix/share/bash-completion/completions/warpladder"
    set +eu
    local line words expected
    while IFS='|' read -r line expected; do
        read -ra words <<<"$line"
        [ "${line% }" = "$line" ] || words+=('')
        [[ $(complete_in_bash "$program" "${words[@]}") == *" $expected "* ]] || fail "'$line' does not offer '$expected'"
    done <<'LINES'
ali|align-reads
search --gap-o|--gap-open
search --strand |minus
search --strand = p|plus
distances -o README|README.md
check lessons/05|lessons/05_shared
likelihood --variant peeling/08|peeling/08_fused
reproduce pay|payne2010
LINES
    [ -x "$prefix/bin/warpladder-mpi" ] || return 0
    # Debian's completion finds a program's file by its name.
    complete -r
    # shellcheck source=/dev/null
    source "$prefix/share/bash-completion/completions/warpladder-mpi"
    [ "$(complete -p warpladder-mpi)" = 'complete -F _warpladder warpladder-mpi' ] || fail 'no completion for warpladder-mpi'
    program=$prefix/bin/warpladder-mpi
    while IFS='|' read -r line expected; do
        read -ra words <<<"$line"
        [ "${line% }" = "$line" ] || words+=('')
        [[ $(complete_in_bash "$program" "${words[@]}") == *" $expected "* ]] || fail "'$line' does not offer '$expected'"
    done <<'LINES'
ali|align-reads
search --gap-o|--gap-open
search --wo|--work
distances --un|--units
search --strand |minus
LINES
}

case_zsh() {
    command -v zsh >/dev/null || exit 77
    install_and_move
    # A terminal for zsh's line editor; the second press of the tabulator lists what there is.
    zsh -f -c "
        zmodload zsh/zpty
        fpath=($prefix/share/zsh/site-functions \$fpath)
        zpty shell zsh -f -i
        zpty -w shell \"fpath=($prefix/share/zsh/site-functions \\\$fpath); PATH=$prefix/bin:\\\$PATH; autoload -U compinit; compinit -u -D\"
        sleep 1
        zpty -w -n shell \$'warpladder search --gap-o\\t'
        sleep 2
        zpty -w -n shell \$'\\025warpladder search --strand=mi\\t'
        sleep 2
        zpty -w -n shell \$'\\025warpladder-mpi search --unit\\t'
        sleep 2
        zpty -r -t shell text '*'; print -r -- \$text
        while zpty -r -t shell text; do print -r -- \$text; done
        zpty -d shell" >"$work/said" 2>&1 || true
    local expected='gap-open.*strand=minus'
    [ ! -x "$prefix/bin/warpladder-mpi" ] || expected+='.*search --units'
    grep -q "$expected" <(tr -d '\n' <"$work/said") || fail "$(cat -v "$work/said")"
}

"case_$case"
