#!/usr/bin/env bash
# reproduce alachiotis2012 as a command, on tables of its own: the paper's form with data of a second. That the program holds none of
# the paper's numbers shows in that it takes these; that what it says follows from what it measured, in sums over its file.
# shellcheck source=tests/support/figures.sh
. "$(dirname "$0")/../support/figures.sh"
papers=$work/data/plots/papers
mkdir -p "$papers"
cp "$source_folder"/plots/*.gp "$work/data/plots/"
table() { # NUMBER SED: the paper's header, changed, and column names; rows come from standard input
    local file=alachiotis2012_table$1.tsv
    grep '^#' "$source_folder/plots/papers/$file" | sed -e "$2" >"$papers/$file"
    grep -v '^#' "$source_folder/plots/papers/$file" | head -1 >>"$papers/$file"
    tr ' ' '\t' >>"$papers/$file"
}
table 1 's/^# reads: .*/# reads: 12/; s/^# vectors: .*/# vectors: 40/; s/^# read_length: .*/# read_length: 30/' <<'EOF'
210 4 2 1 0.1 0.2 0.3 4 2
5000 90 30 15 0.1 0.2 0.3 6 2
70000 900 300 100 0.1 0.2 0.3 6 2
EOF
table 2 's/^# sites: .*/# sites: 250/; s/^# vectors: .*/# vectors: 24/; s/^# read_length: .*/# read_length: 30/' <<'EOF'
5 4 2 1 0.1 0.2 0.3 4 2
9 4 2 1 0.1 0.2 0.3 4 2
EOF
table 3 '' <<'EOF'
"small" 12 300 40 NA NA 40 200 250 10 21 31
"uneven" 9 400 30 20 160 60 300 350 11 22 33
EOF
export WL_DATA=$work/data

expect 0 "$program" reproduce alachiotis2012 --quick --device cpu --table 1,2,3 --out "$work/o"
says out "12 reads of about 30 letters, 40 vectors"
says out "its columns are empty."
says out "In the paper, the GPU was 2 times as fast as 4 cores: as fast as 8 cores."
says out "small here: 12 taxa, 21 edges, 300 sites, 40 reads of"
says out "Energy was not measured."
one=$work/o/alachiotis2012_table1.tsv
# --quick leaves out what takes gigabytes, not what the paper says of it.
[ "$(grep -c '^"simd"' "$one")" -eq 2 ] || fail "cpu_simd has not two lengths"
[ "$(grep -c '^"GPU"' "$one")" -eq 3 ] || fail "the paper has not three lengths"
grep -q '^# discussion: In the paper, ' "$one" || fail "the file lacks the discussion"
awk -F'\t' '
    /^#/ { next }
    $1 == "line" { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { cells = $at["reads"] * $at["vectors"] * $at["sites"] * 30 }
    # The paper: n x m over its time. Here the reads have 27 to 33 letters, so that the mean of twelve is near 30.
    { ratio = $at["gcups"] * 1e9 * $at["seconds"] / cells }
    $at["variant"] == "\"paper\"" && (ratio < 0.9999 || ratio > 1.0001) { print "paper: " ratio; exit 1 }
    ratio < 0.9 || ratio > 1.1 { print $0 ": " ratio; exit 1 }
    $at["check"] != "\"ok\"" && $at["check"] != "\"paper\"" { print $at["check"]; exit 1 }
    $1 == "\"simd\"" && !($at["speedup_serial"] > 0 && $at["computed_gcups"] < $at["gcups"]) { print $0; exit 1 }' "$one" >"$work/said" ||
    fail "Table 1: $(cat "$work/said")"
[ "$(grep -c '^"simd"' "$work/o/alachiotis2012_table2.tsv")" -eq 2 ] || fail "Table 2 has not two rows"
awk -F'\t' '
    /^#/ { next }
    $1 == "dataset" { for (i = 1; i <= NF; i++) at[$i] = i; next }
    # What the paper does not say is not in its rows: edges, and a mean where it has a range.
    $at["system_mode"] == "\"paper\"" && ($at["edges"] != "NA" || ($at["mean"] == "NA") != ($at["shortest"] != "NA")) { print $0; exit 1 }
    $at["system_mode"] == "\"cpu\"" {
        rows++
        if ($at["check"] != "\"ok\"") { print $at["check"]; exit 1 }
        if ($at["edges"] != 2 * $at["taxa"] - 3) { print "edges: " $at["edges"]; exit 1 }
        cells = $at["edges"] * $at["sites"] * $at["reads"] * $at["mean"]
        ratio = cells / $at["t_scoring"] / 1e9 / $at["gcups_all"]
        if (ratio < 0.999 || ratio > 1.001) { print "GCUPS: " ratio; exit 1 }
        if (!($at["t_all"] > $at["t_scoring"])) { print "times"; exit 1 }
    }
    END { if (rows != 2) { print rows " rows"; exit 1 } }' "$work/o/alachiotis2012_table3.tsv" >"$work/said" ||
    fail "Table 3: $(cat "$work/said")"
[ ! -e "$work/o/alachiotis2012_accuracy.tsv" ] || fail "accuracy was not asked for"
if have_gnuplot; then for n in 1 2 3; do is_chart "$work/o/alachiotis2012_table$n"; done; fi
[ -z "$(find "$work/o" -name '.*' -type f)" ] || fail "temporary files were left"

expect 0 "$program" reproduce alachiotis2012 --quick --device cpu --table 2,accuracy --json --out "$work/j"
says out '"reproduction": "alachiotis2012"'
same_rows "$work/o/alachiotis2012_table2.tsv" "$work/j/alachiotis2012_table2.tsv" 1-5
says out '"papara_letters"'
if command -v python3 >/dev/null; then python3 -m json.tool <"$work/out" >"$work/json" || fail "that is no JSON"; fi
# Without errors and close to the reference nearly everything comes back, and with the tree more than without it.
awk -F'\t' '
    /^#/ { next }
    $1 == "taxa" { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { rows++; papara += $at["papara_letters"]; closest += $at["closest_letters"] }
    $at["error"] == 0 && !($at["papara_letters"] > 0.97) { print $at["papara_letters"]; exit 1 }
    END { if (rows < 8 || papara <= closest) { print rows " rows, " papara " and " closest; exit 1 } }' \
    "$work/j/alachiotis2012_accuracy.tsv" >"$work/said" || fail "accuracy: $(cat "$work/said")"

expect 2 "$program" reproduce alachiotis2012 --device cpu --table 1,4 --out "$work/o"
says err "option --table: found '4'; expected 1, 2, 3 or accuracy"
expect 2 "$program" reproduce payne2010 --device cpu --quick --out "$work/o"
says err "option --quick: found with payne2010"
broken() { # TABLE SED WORDS: a broken table is refused with words
    mkdir -p "$work/broken"
    cp -r "$work/data/." "$work/broken/"
    sed -i -e "$2" "$work/broken/plots/papers/alachiotis2012_table$1.tsv"
    expect 3 env WL_DATA="$work/broken" "$program" reproduce alachiotis2012 --quick --device cpu --out "$work/o"
    says err "$3"
}
broken 1 '/^# cores: /d' "# cores: "
broken 1 's/^# vectors: .*/# vectors: 2.5/' "found 2.5 vectors; expected a whole number"
broken 2 's/^# sites: .*/# sites: 31/' "found reads of 30 letters and 31 sites"
broken 3 's/^"small"\t12/"small"\tNA/' "found 'NA' in column taxa"
