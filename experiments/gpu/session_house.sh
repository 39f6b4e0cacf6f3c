#!/usr/bin/env bash
# session_house.sh OLD NEW OUT [PART...]: does a redesign leave the kernels as they were? OLD and NEW are the programs before and after.
# Parts, all of them where none is named:
#   check       every stage of every ladder at all check shapes, NEW                                   two minutes
#   times       the last three stages of each ladder, OLD and NEW by turns                               four minutes
#   sanitize    compute-sanitizer's memcheck, racecheck, initcheck and synccheck on all stages, NEW    three minutes
#
# OUT/house_h200.tsv has one row per stage: the kernel times of both programs and their ratio. Exit code 1 if anything went wrong.
# shellcheck disable=SC2317 # step calls the functions
set -uo pipefail
old=$(realpath "$1") new=$(realpath "$2") out=$3 failed=0
shift 3
cd "$(dirname "$0")/../.." || exit
mkdir -p "$out"
out=$(cd "$out" && pwd)
export WL_DATA=$PWD
[ $# -gt 0 ] || set -- check times sanitize
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# shellcheck source=experiments/gpu/step.sh
. experiments/gpu/step.sh

# What is timed. The reference on the CPU, which each run is checked against, takes most of the time: so the inputs are small.
ladders=(
    "lessons/14* lessons/15* lessons/16* --instances 4096 --attributes 8192"
    "distances/0* --rows 600 --sites 4096"
    "sw/08* sw/09* --subjects 60000"
    "sw/10* --subjects 2 --query-lengths 20000 --longest 30000"
    "papara/07* papara/08* papara/09* --reads 60"
    "peeling/08* --patterns 20000 --model GTR --precision single"
    "peeling/09* peeling/10* --patterns 2000"
)
rounds=${ROUNDS:-3}

times() {
    local ladder round which program
    for ladder in "${ladders[@]}"; do
        for ((round = 1; round <= rounds; round++)); do
            for which in old new; do
                program=$old
                [ "$which" = old ] || program=$new
                read -ra words <<<"$ladder"
                if ! "$program" run "${words[@]}" --device gpu --max-time "${SECONDS_EACH:-1.5}" --quiet --out "$scratch/run" \
                    >"$scratch/said" 2>&1; then
                    echo "$which: $ladder: $(tail -n 1 "$scratch/said")"
                    return 1
                fi
                # Columns by name, so that both programs may order them as they like.
                awk -F '\t' -v which="$which" '/^#/ { next } !named { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); at[$i] = i }; named = 1; next }
                    { gsub(/"/, "") } $at["backend"] == "gpu" { print which "\t" $at["problem"] "/" $at["variant"] "\t" $at["shape"] "\t" $at["kernel_ms_median"] }' \
                    "$scratch"/run/*.tsv | tee -a "$scratch/times"
                rm -rf "$scratch/run"
            done
        done
    done
    {
        echo "# The kernel times of two programs, by turns on one GPU: the median of $rounds runs each."
        echo "# gpu: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)"
        for which in old new; do
            program=$old
            [ "$which" = old ] || program=$new
            "$program" machine --json | sed -n 's/.*"commit": *"\([^"]*\)".*/# '"$which"' commit: \1/p'
        done
        printf 'stage\tshape\told_ms\tnew_ms\tnew_over_old\n'
        sort -k2,2 -k3,3 -k1,1 -k4,4g "$scratch/times" | awk -F '\t' '
            function middle() { return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
            function end() { if (n) median[key, which] = middle(); n = 0 }
            { if ($1 != which || $2 "\t" $3 != key) { end(); which = $1; key = $2 "\t" $3; keys[key] = 1 } v[++n] = $4 }
            END { end(); for (k in keys) printf "%s\t%.6g\t%.6g\t%.4f\n", k, median[k, "old"], median[k, "new"], median[k, "new"] / median[k, "old"] }' | sort
    } >"$out/house_h200.tsv"
    cat "$out/house_h200.tsv"
}

sanitize() { # TOOL PATTERN ARGUMENTS...
    local tool=$1
    shift
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$new" check "$@" --device gpu >"$scratch/said" 2>&1
    local status=$?
    grep -E 'SUMMARY|FAILED|error' "$scratch/said" | head -5
    return "$status"
}

for part in "$@"; do
    case $part in
        check)
            for problem in lessons distances sw papara peeling; do
                step "check $problem" sh -c "'$new' check $problem --device gpu >'$scratch/checked' 2>&1; s=\$?; tail -n 3 '$scratch/checked'; exit \$s"
            done
            ;;
        times) step times times ;;
        sanitize)
            for tool in memcheck racecheck initcheck synccheck; do
                step "$tool lessons" sanitize "$tool" lessons --instances 33 --attributes 513 --datasets 1
                step "$tool distances" sanitize "$tool" distances --rows 67 --sites 130
                step "$tool sw" sanitize "$tool" sw --subjects 67 --longest 60 --query-lengths 25,13
                step "$tool papara" sanitize "$tool" papara --reads 3 --vectors 33 --sites 120
                step "$tool peeling" sanitize "$tool" peeling --patterns 33
            done
            ;;
        *)
            echo "session_house.sh: no part '$part'; expected check, times or sanitize" >&2
            exit 2
            ;;
    esac
done
exit $failed
