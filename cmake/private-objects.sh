#!/bin/sh
# private-objects.sh LD NM OBJCOPY OUTPUT OBJECT... : one object file of a variant, whose symbols are all local to it.
# Weak symbols stay as they are: they belong to templates and inline functions that several files may share.
#
# A variant computes its result itself and returns from its functions. So the build refuses one that calls the reference, the harness
# around it or another program, and what ends the process at once first goes to the harness (sim/watchdog.cpp).
set -eu
ld=$1 nm=$2 objcopy=$3 output=$4
shift 4
forbidden='_reference$|^wl_(problem|variant|check|inputs|try)|^wl_sim_(count|forget|launch|leave|limit|lines|memory|on_|ranges|set|trace|untaken|watch)|^dl(v?sym|m?open)$|^v?fork$|^(system|popen|syscall|ptrace|kill)$|^exec[lv]|^posix_spawn'
trap 'rm -f "$output.all" "$output.symbols"' EXIT
if [ $# -eq 1 ]; then
    cp -- "$1" "$output.all"
else
    "$ld" -r -o "$output.all" "$@"
fi
case $output in
*.serial_O?.o) ;; # the reference itself
*)
    called=$("$nm" -u "$output.all" | awk -v forbidden="$forbidden" '$2 ~ forbidden { print $2; exit }')
    [ -z "$called" ] || {
        echo "$(basename "$output" .o) calls $called, which no variant may: it computes its result itself" >&2
        exit 1
    }
    ;;
esac
"$nm" -g --defined-only "$output.all" | awk '$2 ~ /^[ABCDGRST]$/ { print $3 }' >"$output.symbols"
for end in $("$nm" -u "$output.all" | awk '$2 ~ /^(_exit|_Exit|quick_exit)$/ { print $2 }'); do
    "$objcopy" --redefine-sym "$end=wl_exit_at_once" "$output.all"
done
if [ -s "$output.symbols" ]; then # of an empty list objcopy makes an error
    "$objcopy" --localize-symbols="$output.symbols" "$output.all" "$output"
else
    mv -f -- "$output.all" "$output"
fi
