#!/usr/bin/env bash
# compare_programs.sh WARPLADDER HARDWARE.tsv: counts the kernels of HARDWARE.tsv (count_programs.sh) on the simulated device and prints
# both counts side by side. Exit code 1 if one differs by more than 1 % and explained_programs.tsv does not say why.
set -euo pipefail
warpladder=$1 hardware=$2
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in $(grep -v '^#' "$hardware" | tail -n +2 | cut -f 1 | sort -u); do
    "$warpladder" simulate "tests/sim/programs/$name.cu" --quiet --report "$scratch/report" >"$scratch/out" 2>&1 || true
    jq -r --arg program "$name" '.kernels[] | [$program, .launches, (.name | sub("^void "; "") | sub("[(<].*"; "")),
        .counters.global_load_requests, .counters.global_load_sectors, .counters.global_store_requests,
        .counters.global_store_sectors, .counters.atomic_requests, .counters.shared_requests, .counters.shared_passes] | @tsv' "$scratch/report"
done >"$scratch/simulated"
awk -F'\t' -v OFS='\t' '
    FILENAME == ARGV[1] { if ($1 !~ /^#/) why[$1, $2, $3] = $4; next }
    FILENAME == ARGV[2] { launches[$1, $3] += $2; for (i = 4; i <= NF; i++) sum[$1, $3, i] += $i; next }
    /^#/ { print; next }
    /^shape/ { for (i = 1; i <= NF; i++) at[$i] = i; print "program", "launches", "kernel", "counter", "simulated", "hardware", "difference_percent", "verdict"; next }
    !(($1, $3) in launches) { other++; next } # a kernel of the runtime or of a library
    {
        n = split("global_load_requests global_load_sectors global_store_requests global_store_sectors atomic_requests shared_requests shared_passes", counter, " ")
        for (i = 1; i <= n; i++) {
            sim = sum[$1, $3, i + 3]; hw = $at[counter[i]]
            difference = hw == sim ? 0 : hw ? (sim - hw) / hw * 100 : 100
            verdict = difference <= 1 && difference >= -1 ? "agrees" : "DIFFERS"
            if (verdict == "DIFFERS" && ($1, $3, counter[i]) in why) verdict = "explained: " why[$1, $3, counter[i]]
            if (verdict == "DIFFERS") failed = 1
            printf "%s\t%d\t%s\t%s\t%.0f\t%.0f\t%.3g\t%s\n", $1, $2, $3, counter[i], sim, hw, difference, verdict
        }
        kernels++
    }
    END { print "# kernels compared: " kernels ", of the runtime and libraries: " other + 0; exit kernels == 0 || failed }
    ' experiments/gpu/explained_programs.tsv "$scratch/simulated" "$hardware"
