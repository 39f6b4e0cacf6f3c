#!/usr/bin/env bash
# cases.sh WARPLADDER CASE: the exercises of the stages' pages come to what their answers say (exercises.tsv).
# shellcheck source=tests/support/said.sh
source "$(dirname "$0")/../../support/said.sh" "$@"

case_counted() {
    local when stage changes command says change words tried=0
    while IFS=$'\t' read -r when stage changes command says; do
        if [[ $when == \#* || ($when != always && ${WARPLADDER_EXERCISES:-} != all) ]]; then continue; fi
        rm -rf "$stage"
        mkdir -p "$stage"
        cp -r "$here/../../../$stage/." "$stage"
        while IFS= read -r change; do
            cp "$stage/kernel.cu" before.cu
            sed -i "$change" "$stage/kernel.cu"
            ! cmp -s before.cu "$stage/kernel.cu" || fail "'$change' changes nothing in $stage/kernel.cu"
        done <<<"${changes// ;; /$'\n'}"
        sed -i "s|#include \"$stage/|#include \"|" "$stage"/* # its own headers
        read -ra words <<<"$command"
        "$warpladder" "${words[0]}" "$work/$stage" "${words[@]:1}" >out.txt 2>err.txt || true
        grep -Eq -- "$says" out.txt err.txt || fail "$stage, $changes: found $(tail -n 20 out.txt err.txt); expected '$says'"
        tried=$((tried + 1))
    done <"$here/exercises.tsv"
    [ "$tried" -ge 2 ] || fail "tried $tried exercises"
}
"case_$case"
