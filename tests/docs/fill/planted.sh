#!/usr/bin/env bash
# docs/fill marks what was measured with other sources than today's, and its check fails where a mark is missing. It fills a page of the right markers; it names each marker that finds nothing or has no end, ends with 1, and leaves the page alone.
set -euo pipefail
root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../..
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/docs" "$scratch/lessons" "$scratch/lessons/01_naive" "$scratch/nothing_yet" "$scratch/results"
cp "$root/docs/fill" "$scratch/docs"
ln -s "$(realpath "$root/cmake")" "$scratch/cmake"
ln -s "$(realpath "$root/results")"/* "$scratch/results"
page=$scratch/page.md

fail() {
    echo "docs/fill: $1" >&2
    exit 1
}
refused() { # PAGE WORDS: fill ends with 1, says the words, and the page stays
    local said status option
    for option in "" --check; do
        printf '%b' "$1" >"$page"
        status=0
        said=$("$scratch/docs/fill" $option 2>&1) || status=$?
        [ $status = 1 ] || fail "found exit code $status; expected 1 of: $1"
        [[ $said == *"$2"* ]] || fail "found '$said'; expected '$2'"
        cmp -s <(printf '%b' "$1") "$page" || fail "found another page; expected it unchanged: $1"
    done
}

printf '<!-- table: times 01_naive -->\n<!-- end -->\n<!-- table: cpu nothing_yet -->\n<!-- end -->\n%s\n' \
    'It takes <!-- value: times 01_naive 112x512 kernel_ms_median --><!-- end --> ms.' >"$page"
"$scratch/docs/fill" || fail "found exit code $?; expected 0"
grep -q '^| .*01_naive' "$page" || fail "found no row of 01_naive"
grep -q '>[0-9][0-9.]*[^<]*<!-- end --> ms' "$page" || fail "found no number"
"$scratch/docs/fill" --check || fail "found exit code $? after filling; expected 0"

# A speedup over CPU code has two digits in values and in every table.
printf '%s\n' '<!-- value: times 15_two_teams 4096x8192 speedup_serial --><!-- end -->' '<!-- table: payne2010 -->' '<!-- end -->' \
    '<!-- value: cell lessons_4096x8192_h200 speedup_serial variant=15_two_teams mega --><!-- end -->' >"$page"
"$scratch/docs/fill" || fail "found exit code $?; expected 0 with speedups"
grep -qE '>[1-9][0-9]0+[^0-9]' "$page" || fail "found a speedup of other than two digits: $(head -1 "$page")"
grep -qE '>[1-9]\.[0-9][^0-9]' "$page" || fail "found no millions: $(tail -1 "$page")"
awk -F ' *[|] *' '$2 == "naive" { rows++
    for (i = 6; i <= 8; i++) { digits = $i; sub(/[.]/, "", digits); sub(/^0+/, "", digits); sub(/0+$/, "", digits); bad += length(digits) > 2 } }
    END { exit bad || rows != 1 }' "$page" || fail "found a speedup of three digits: $(cat "$page")"

# A ladder of one stage, and a result of it.
kernel=$scratch/lessons/01_naive/kernel.cu result=$scratch/results/lessons_5x5_h200.tsv
touch "$scratch/lessons/problem.c"
printf '#include "lessons/kit/device.h"\nint main() { return 1; } // one\n' >"$kernel"
mkdir "$scratch/lessons/kit"
echo '/* nothing */ int helper;' >"$scratch/lessons/kit/device.h"
hash() { sh "$scratch/cmake/sources.sh" "$scratch" | sed -n 's/^lessons.01_naive //p'; }
measured() { # SOURCES: a result file with this line
    printf '# commit: 0\n%s\nproblem\tvariant\tcheck\tshape\tkernel_ms_median\n"lessons"\t"01_naive"\t"ok"\t"5x5"\t3\n' "$1" >"$result"
}
marked() { # WHAT PATTERN: as docs/fill leaves the page; without the mark, the check fails
    printf '%s\n' '<!-- table: times 5x5 01_naive columns=variant,kernel_time -->' '<!-- end -->' \
        '<!-- value: times 01_naive 5x5 kernel_ms_median -->3<!-- end --> ms' >"$page"
    "$scratch/docs/fill" || fail "found exit code $?; expected 0 with $1"
    grep -q "$2" "$page" || fail "found no '$2' with $1: $(cat "$page")"
    "$scratch/docs/fill" --check || fail "found exit code $? with $1; expected 0"
    sed -i 's/^Measured .*//; s/\[\*\]([^)]*)//' "$page"
    if "$scratch/docs/fill" --check 2>/dev/null; then fail "found exit code 0 with $1 and no mark; expected 1"; fi
}
today=$(hash)
measured "# sources: lessons/01_naive $today"
printf '<!-- value: times 01_naive 5x5 kernel_ms_median -->3<!-- end -->\n' >"$page"
"$scratch/docs/fill" --check || fail "found exit code $? of a result of today; expected 0"
printf '#include "lessons/kit/device.h"\n\n/* another\n comment */ int main()   { return 1; }\n' >"$kernel"
"$scratch/docs/fill" --check || fail "found exit code $? after a change of comments and white space; expected 0"
echo 'int helper, another;' >"$scratch/lessons/kit/device.h"
[ "$(hash)" != "$today" ] || fail "found the same hash after a change of what the stage includes"
marked "another header" "^Measured at .*an earlier version.*: lessons_5x5_h200.tsv\.$"
grep -q '>3\[\*\](docs/measuring.md#earlier-versions)<' <("$scratch/docs/fill" && cat "$page") || fail "found no star"
measured "# sources: unknown"
marked "unknown sources" "^Measured .*before version control of results.*: lessons_5x5_h200.tsv\.$"
measured "# seed: 1"
refused '<!-- value: times 01_naive 5x5 kernel_ms_median -->3<!-- end -->\n' "found no '# sources:'"
rm "$result"

# Only some columns and rows, by name.
printf '%s\n<!-- end -->\n' '<!-- table: counters 01_naive 02_coalesced columns=per_launch,change rows=atomic_requests,global_load_sectors -->' >"$page"
"$scratch/docs/fill" || fail "found exit code $? with columns and rows; expected 0"
cmp -s <(sed '1d;/^$/,$d' "$page") - <<'END' || fail "found other columns or rows: $(cat "$page")"
| per launch | change |
| --- | ---: |
| global load sectors | x 0.125 |
| atomic requests | same |
END

none="found no row"
refused '<!-- table: times 01_nave -->\n<!-- end -->\n' "$none"
refused '<!-- table: times 99x99 01_naive -->\n<!-- end -->\n' "$none"
refused '<!-- table: counters 02_coalseced -->\n<!-- end -->\n' "$none"
refused '<!-- table: times 01_naive columns=variant,tim -->\n<!-- end -->\n' "found no column tim"
refused '<!-- table: counters rows=barrier 05_shared -->\n<!-- end -->\n' "found no row barrier"
refused '<!-- table: cpu nothing_at_all -->\n<!-- end -->\n' "$none"
refused '<!-- table: cpu sw 99x99 -->\n<!-- end -->\n' "$none"
refused '<!-- value: times 15_two_teams 4096x8192 spedup --><!-- end -->\n' "found nothing"
refused '<!-- value: hardware 01_naive atomic_operations --><!-- end -->\n' "found nothing"
refused '<!-- value: times 01_naive 112x512 kernel_ms_median --> 7\n' "<!-- end -->"
refused '<!-- table: times 01_naive -->\n| a |\n' "found no <!-- end -->"
refused '<!-- table: times 01_naive -->\n<!-- table: cpu -->\n<!-- end -->\n' "found another table"
refused '<!-- table: times 01_naive --> \n<!-- end -->\n' "alone in its line"
