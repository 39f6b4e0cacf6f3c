#!/usr/bin/env bash
# layers.sh: #include lines point one way. Prints the file and line of each that does not.
#
#   cli, mpi, papers, library -> tools -> ladders -> allpairs, io, harness -> harness/base
#   beagle, labs -> ladders;  cli -> labs -> sim/toolchain -> sim;  mpi -> cli
#   harness: bench -> probes -> gpu -> device -> sim -> base
#
# A ladder is a folder with a problem.c. No ladder includes another or a tool, and no tool another. A stage's folder is its own: what two
# stages use lies beside the problem. The harness and sim/ name no ladder. Tests include what they like.
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
        if (path == "harness/stage.h") return "harness/bench"
        split(path, part, "/")
        return part[1] in is_problem ? "problem " part[1] : part[1] ~ /^(harness|tools)$/ ? part[1] "/" part[2] : part[1]
    }
    function stage(path,   part) {
        sub(/^docs\//, "", path)
        split(path, part, "/")
        return part[1] in is_problem && part[2] ~ /^([0-9][0-9]_|cpu_|library)/ ? part[1] "/" part[2] : ""
    }
    function kind(at) { return at ~ /^problem / ? "ladder" : at ~ /^tools\// ? "tool" : at }
    function wrong(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; failed = 1 }
    BEGIN {
        n = split(problems, name, " ")
        for (i = 1; i <= n; i++) is_problem[name[i]]
        n = split("harness/bench harness/probes harness/gpu harness/device sim harness/base", part, " ")
        for (i = 1; i <= n; i++)
            for (j = i; j <= n; j++) may[part[i], part[j]]
        may["io", "io"]; may["io", "harness/base"]; may["plots", "plots"]; may["plots", "harness/base"]; may["allpairs", "allpairs"]
        split("allpairs ladder tool cli papers beagle library labs mpi report experiments", name, " ")
        for (i in name) for (j = 1; j <= n; j++) may[name[i], part[j]]
        split("ladder tool cli papers library labs mpi report", name, " ")
        for (i in name) may[name[i], "io"]
        split("tool cli papers beagle library labs experiments", name, " ")
        for (i in name) may[name[i], "ladder"]
        split("cli papers library mpi", name, " ")
        for (i in name) may[name[i], "tool"]
        split("tool cli papers report", name, " ")
        for (i in name) may[name[i], "plots"]
        may["ladder", "allpairs"]; may["tool", "allpairs"]; may["experiments", "allpairs"]
        may["cli", "papers"]; may["cli", "labs"]; may["cli", "report"]; may["cli", "beagle"]; may["mpi", "cli"]
    }
    FNR == 1 { from = layer(FILENAME); in_comment = 0 }
    /^ *# *include "/ {
        to = $0; sub(/^[^"]*"/, "", to); sub(/".*/, "", to)
        into = layer(to)
        if (to ~ /^\.\.\//) wrong("\"" to "\": a path begins at the top folder")
        if (stage(to) != "" && stage(to) != stage(FILENAME)) wrong("\"" to "\" belongs to its own stage")
        if (to !~ /\// || into == from) next
        is_right = (kind(from), kind(into)) in may && !(kind(from) == kind(into) && kind(from) ~ /^(ladder|tool)$/)
        if (!is_right && system("test -e " to) != 0) is_right = 1 # of another library: htslib/vcf.h
        if (!is_right) wrong(from " may not include \"" to "\"")
        next
    }
    from ~ /^(harness\/|sim$)/ { # what is in quotes, outside of comments
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
            if (text in is_problem) wrong(from " names the ladder \"" text "\"")
        }
    }
    END { exit failed }' "${sources[@]}"

# cli/ is what a command line is, and no more: each file is read in one sitting.
total=0 long=0
for file in cli/*.[ch] cli/*/*.[ch]; do
    lines=$(wc -l <"$file")
    total=$((total + lines))
    [ "$lines" -le 350 ] || { echo "$file: $lines lines; expected at most 350" && long=1; }
done
[ "$total" -lt 5000 ] || { echo "cli/: $total lines; expected fewer than 5,000" && long=1; }

# Headers have no guards, which would have to follow their paths. Two have one: other programs' compilers read them.
while IFS= read -r file; do
    ! grep -q '^#ifndef [A-Z0-9_]*_H$' "$file" || { echo "$file: has a guard; expected #pragma once" && long=1; }
done < <(printf '%s\n' "${sources[@]}" | grep '\.h$\|\.cuh$' | grep -v '^library/warpladder.h$\|^beagle/interface.h$')
exit "$long"
