#!/bin/sh
# finish.sh PREFIX OBJCOPY STRIP [in]: what cmake --install does after it has copied the files (cmake/Install.cmake). With "in", debugging
# information stays in the program, since auditwheel does not understand a file of its own.
set -eu
prefix=$1 objcopy=$2 strip=$3 debug_at=${4:-}
here=$(dirname -- "$0")
program=$prefix/bin/warpladder

mkdir -p "$prefix/share/man/man1" "$prefix/share/bash-completion/completions" "$prefix/share/zsh/site-functions" "$prefix/lib/debug"
"$program" --man >"$prefix/share/man/man1/warpladder.1"
"$program" --words | awk -F '\t' '$1 == "" { print $2 }' | while read -r name; do
    "$program" "$name" --man >"$prefix/share/man/man1/warpladder-$name.1"
done
install -m 644 "$here/completion/warpladder.bash" "$prefix/share/bash-completion/completions/warpladder"
install -m 644 "$here/completion/_warpladder" "$prefix/share/zsh/site-functions/_warpladder"

for stages in "$prefix"/lib/warpladder/stages/*.o; do
    [ ! -f "$stages" ] || "$objcopy" --strip-debug "$stages"
done
debug=$prefix/lib/debug/warpladder.debug
if [ "$debug_at" = in ]; then
    "$objcopy" --compress-debug-sections "$program"
else
    "$objcopy" --only-keep-debug --compress-debug-sections "$program" "$debug"
    chmod 644 "$debug"
    "$strip" --strip-all "$program"
    "$objcopy" --remove-section=.gnu_debuglink --add-gnu-debuglink="$debug" "$program"
fi
for library in "$prefix"/lib/libwarpladder.so.*.*; do
    [ ! -f "$library" ] || "$strip" --strip-unneeded "$library"
done
