#!/usr/bin/env bash
# times_distances.sh BUILD OUT [VARIANT...]: how long each kernel of these stages (02* and 03*) takes for 10,000 sequences of 10,000
# nucleotides, with and without missing values, as Nsight Compute sees it: every launch that
# `check` makes, cold caches, clocks as they are. Half a minute on an H200. results/distances_ncu_h200.tsv is made by it;
# session_beyond.sh BUILD OUT distances takes longer and has the limits and the other stages.
set -euo pipefail
# shellcheck source=experiments/gpu/ncu.sh
. "$(dirname "$0")/ncu.sh"
build=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- '02*' '03*'
mkdir -p "$out"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

times() { # SHAPE VARIANT ARGUMENTS...
    local shape=$1 variant=$2
    shift 2
    ncu --clock-control none --csv --page raw --print-units base --metrics gpu__time_duration.sum,smsp__cycles_elapsed.avg.per_second \
        "$build/warpladder" check "distances/$variant" "$@" --device gpu >"$log" 2>&1 || {
        cat "$log" >&2
        return 1
    }
    awk -v shape="$shape" -v variant="$variant" '
        /^"ID"/ { n = split(substr($0, 2, length($0) - 2), name, "\",\""); for (i = 1; i <= n; i++) column[name[i]] = i; next }
        /^"[0-9]/ {
            split(substr($0, 2, length($0) - 2), field, "\",\"")
            kernel = field[column["Kernel Name"]]
            sub(/^void /, "", kernel); sub(/[(<].*/, "", kernel)
            time = field[column["gpu__time_duration.sum"]]; clock = field[column["smsp__cycles_elapsed.avg.per_second"]]
            gsub(",", "", time); gsub(",", "", clock)
            printf "\"%s\"\t\"%s\"\t%d\t\"%s\"\t%.4f\t%.0f\n", shape, variant, ++launch, kernel, time / 1e6, clock / 1e6
        }' "$log" | tee -a "$out/distances_ncu_h200.tsv"
}

{
    echo "# what: milliseconds of every launch that 'check' makes, by Nsight Compute; experiments/gpu/times_distances.sh BUILD OUT"
    head_of "$build" "experiments/gpu/times_distances.sh BUILD OUT" | sed '$d'
    printf 'shape\tvariant\tlaunch\tkernel\tms\tclock_mhz\n'
} >"$out/distances_ncu_h200.tsv"
for variant in "$@"; do
    times 10000x10000 "$variant" --rows 10000 --sites 10000
    times "10000x10000, none missing" "$variant" --rows 10000 --sites 10000 --missing 0
done
