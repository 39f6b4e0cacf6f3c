#!/bin/sh
# cmake/sources.sh [--own] [ROOT]: a line per variant and tool, "sw/05_two_in_one 3f9c01b2d4e5a678": a hash of its sources. Result files name it
# (`# sources:`), and docs/fill marks what was measured with other sources than these.
#
# The sources of a variant are the files of its folder, reference.c for serial code, and what they include of ladders, allpairs/ and
# harness/device/, with the .c and .cu files of the same name. A tool's are its folder's files. Comments, white space and #include lines do
# not count, nor where a file lies. --own: without what they include.
set -eu
export LC_ALL=C
own=0
if [ "${1:-}" = --own ]; then own=1 && shift; fi
cd "${1:-.}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

ladders=$(for file in */problem.c; do dirname "$file"; done)
# shellcheck disable=SC2086 # one word for each ladder
find $ladders allpairs harness/device tools beagle \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) -type f 2>/dev/null |
    sort >"$scratch/files"

# Each file without what does not count, as $scratch/N for the Nth file; what it includes, in $scratch/includes.
awk -v scratch="$scratch" '
    function close_last() { if (out) close(out) }
    { file = $0; close_last(); out = scratch "/" ++n; printf "" >out; in_comment = 0
      while ((getline line <file) > 0) {
        if (match(line, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/)) {
            split(line, part, "\""); print file "\t" part[2] >(scratch "/includes")
        }
        if (line ~ /^[ \t]*#[ \t]*include/) line = ""
        kept = ""
        while (line != "") {
            if (in_comment) {
                at = index(line, "*/")
                if (!at) break
                line = substr(line, at + 2); in_comment = 0
            } else if (!match(line, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|\/\*|\/\//)) {
                kept = kept line; break
            } else {
                found = substr(line, RSTART, RLENGTH)
                kept = kept substr(line, 1, RSTART - 1)
                line = substr(line, RSTART + RLENGTH)
                if (found == "//") break
                if (found == "/*") in_comment = 1; else kept = kept found
            }
        }
        gsub(/[ \t\r]/, "", kept)
        if (kept != "") printf "%s", kept >out
      }
      close(file)
    }' "$scratch/files"
touch "$scratch/includes"
# shellcheck disable=SC2046 # numbers
(cd "$scratch" && sha256sum $(seq "$(wc -l <files)")) | cut -d' ' -f1 | paste - "$scratch/files" >"$scratch/hashed"

# A file for each unit with its sources, by hash.
mkdir "$scratch/units"
awk -F'\t' -v scratch="$scratch" -v own=$own '
    FILENAME ~ /hashed$/ { hash[$2] = $1; order[++n] = $2; next }
    { includes[$1] = includes[$1] "\t" $2 }
    function counts(file) { return (file in hash) && file !~ /^(tools|beagle)\// }
    function take(file,   part, count, i, k, stem) {
        if (file in taken) return
        taken[file] = 1
        count = split(includes[file], part, "\t")
        for (i = 1; i <= count; i++) if (!own && counts(part[i])) take(part[i])
        if (file !~ /\.h$/ || file ~ /\/problem\.h$/ || file !~ /(\/(kit|core)|^allpairs|^harness\/device)\//) return
        stem = substr(file, 1, length(file) - 2)
        for (k = 1; k <= n; k++)
            if (index(order[k], stem) == 1 && substr(order[k], length(stem) + 1) ~ /^(_[a-z0-9_]*)?\.(c|cu)$/) take(order[k])
    }
    function write(unit, inside,   k, name, file) {
        split("", taken)
        for (k = 1; k <= n; k++) if (index(order[k], inside) == 1) take(order[k])
        name = unit; gsub("/", "+", name); file = scratch "/units/" name
        for (k in taken) print hash[k] | ("sort >" file)
        close("sort >" file)
    }
    END {
        for (f = 1; f <= n; f++) {
            count = split(order[f], part, "/")
            if (count == 3 && part[3] ~ /^kernel\.cu?$/) write(part[1] "/" part[2], part[1] "/" part[2] "/")
            if (count == 2 && part[2] == "reference.c") {
                write(part[1] "/serial_O3", order[f])
                write(part[1] "/serial_O0", order[f])
            }
            if (part[1] == "beagle" && !beagle++) write("beagle", "beagle/")
            if (part[1] == "tools" && !(part[2] in tools) && count > 2) {
                tools[part[2]] = 1
                write("tools/" part[2], "tools/" part[2] "/")
            }
        }
    }' "$scratch/hashed" "$scratch/includes"
cd "$scratch/units"
[ "$(ls)" != "" ] || exit 0
sha256sum -- * | awk '{ gsub("[+]", "/", $2); print $2, substr($1, 1, 16) }'
