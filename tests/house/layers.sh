#!/usr/bin/env bash
# layers.sh: #include lines point one way. Says the file and line of each that does not.
#
#   cli -> papers -> problems -> io -> harness/base;  problems -> harness;  cli and papers -> all to the right
#   mpi -> cli; cli -> labs -> toolchain -> harness/base;  cli -> beagle (its interface) -> problems
#   harness/bench -> probes -> gpu -> device -> sim -> base
#
# A problem is a folder with a problem.c; none includes another. A stage's folder is its own: what two stages use lies beside the
# problem. The harness names no problem. Tests include what they like.
set -euo pipefail
cd "$(dirname "$0")/../.."
problems=()
for file in */problem.c docs/*/problem.c; do # a page's example is one
    file=${file%/*}
    problems+=("${file#docs/}")
done
mapfile -t sources < <(find . -path './build*' -prune -o -path ./tests -prune -o -path ./.git -prune -o -type f \
    \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print | sed 's|^\./||' | sort)

awk -v problems="${problems[*]}" '
    function layer(path,   part) {
        sub(/^docs\//, "", path)
        split(path, part, "/")
        return part[1] in is_problem ? "problem " part[1] : part[1] == "harness" ? part[1] "/" part[2] : part[1]
    }
    function stage(path,   part) {
        sub(/^docs\//, "", path)
        split(path, part, "/")
        return part[1] in is_problem && part[2] ~ /^([0-9][0-9]_|cpu_|library)/ ? part[1] "/" part[2] : ""
    }
    function wrong(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; failed = 1 }
    BEGIN {
        n = split(problems, name, " ")
        for (i = 1; i <= n; i++) is_problem[name[i]]
        n = split("bench probes gpu device sim base", part, " ")
        for (i = 1; i <= n; i++)
            for (j = i; j <= n; j++) may["harness/" part[i], "harness/" part[j]]
        may["io", "io"]; may["io", "harness/base"]; may["plots", "plots"]; may["plots", "harness/base"]
        may["cli", "papers"]; may["cli", "labs"]; may["cli", "toolchain"]; may["labs", "toolchain"]
        may["toolchain", "toolchain"]; may["toolchain", "harness/base"]
        may["cli", "report"]
        split("cli papers beagle library labs mpi report", name, " ")
        may["cli", "beagle"]; may["mpi", "cli"]
        for (i in name) is_top[name[i]]
        for (top in is_top) {
            may[top, top]; may[top, "plots"]; may[top, "io"]
            for (i = 1; i <= n; i++) may[top, "harness/" part[i]]
        }
    }
    FNR == 1 { from = layer(FILENAME); in_comment = 0 }
    /^ *# *include "/ {
        to = $0; sub(/^[^"]*"/, "", to); sub(/".*/, "", to)
        into = layer(to)
        if (to ~ /^\.\.\//) wrong("\"" to "\": a path begins at the top folder")
        if (stage(to) != "" && stage(to) != stage(FILENAME)) wrong("\"" to "\" belongs to its own stage")
        if (to !~ /\// || into == from) next
        if (from ~ /^problem /) is_right = into == "io" || into ~ /^harness\//
        else if (into ~ /^problem /) is_right = from in is_top
        else is_right = (from, into) in may || system("test -e " to) != 0 # the latter of another library: htslib/vcf.h
        if (!is_right) wrong(from " may not include \"" to "\"")
        next
    }
    from ~ /^harness\// { # what is in quotes, outside of comments
        code = $0
        if (in_comment) {
            if (code !~ /\*\//) next
            sub(/^.*\*\//, "", code)
        }
        while (match(code, /\/\*([^*]|\*+[^*\/])*\*+\//)) code = substr(code, 1, RSTART - 1) substr(code, RSTART + RLENGTH)
        sub(/\/\/.*/, "", code)
        in_comment = sub(/\/\*.*/, "", code)
        while (match(code, /"[^"]*"/)) {
            text = substr(code, RSTART + 1, RLENGTH - 2)
            code = substr(code, RSTART + RLENGTH)
            sub(/\/.*/, "", text)
            if (text in is_problem) wrong("the harness names the problem \"" text "\"")
        }
    }
    END { exit failed }' "${sources[@]}"

# cli/ is what a command line is, and no more: each file is read in one sitting.
total=0 long=0
for file in cli/*.[ch]; do
    lines=$(wc -l <"$file")
    total=$((total + lines))
    [ "$lines" -le 350 ] || { echo "$file: $lines lines; expected at most 350" && long=1; }
done
[ "$total" -lt 5000 ] || { echo "cli/: $total lines; expected fewer than 5,000" && long=1; }
exit "$long"
