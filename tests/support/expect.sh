# shellcheck shell=bash
# shellcheck disable=SC2034 # name: the script's last line
# What the tests of a command line begin with, in a script that gets the program's path and the name of a case.
program=$(realpath "$1")
name=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset POSIXLY_CORRECT

fail() {
    echo "FAILED: $*"
    exit 1
}

# expect CODE REGEX ARG...: the exit code of `warpladder ARG...`, or of `warpladder $tool ARG...` where a script sets tool. The extended
# regular expression must match what stderr says, which is one line unless REGEX is empty, when it is nothing. Output is left in
# $folder/out; where a script sets whole_or_nothing, there is none after a failure.
expect() {
    local code=$1 regex=$2 found lines
    shift 2
    "$program" ${tool:+"$tool"} "$@" >"$folder/out" 2>"$folder/err"
    found=$?
    lines=$(wc -l <"$folder/err")
    [ $found -eq "$code" ] || fail "warpladder ${tool:+$tool }$*: exit code $found, expected $code: $(cat "$folder/err")"
    [ "$code" -eq 0 ] || [ -z "${whole_or_nothing:-}" ] || [ ! -s "$folder/out" ] || fail "warpladder ${tool:+$tool }$*: printed $(cat "$folder/out")"
    if [ -z "$regex" ]; then
        [ ! -s "$folder/err" ] || fail "warpladder ${tool:+$tool }$*: said $(cat "$folder/err")"
    else
        [ "$lines" -eq 1 ] || fail "warpladder ${tool:+$tool }$*: $lines lines on stderr, expected one: $(cat "$folder/err")"
        grep -Eq -- "$regex" "$folder/err" || fail "warpladder ${tool:+$tool }$*: said $(cat "$folder/err"), expected $regex"
    fi
}

# has REGEX: the output of the last expect has a line like this.
has() {
    grep -Eq -- "$1" "$folder/out" || fail "no line like '$1' in: $(cat "$folder/out")"
}
