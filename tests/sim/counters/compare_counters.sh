#!/usr/bin/env bash
# compare_counters.sh BUILD HARDWARE.tsv: counts the launches of HARDWARE.tsv (count_hardware.sh) on the simulated device and
# prints both counts side by side. Exit code 1 if one that has no explanation differs by more than 1 %.
#
# Of the lessons' atomics the addresses are compared: where all lanes of a warp add to one address, nvcc adds them up in
# registers and lets one lane go to memory, while the simulated device counts the lanes the source sends. Of the patterns',
# whose addresses the compiler cannot know, the sectors.
set -euo pipefail
build=$1 hardware=$2
cd "$(dirname "$0")/../../.."
simulated=$(mktemp)
trap 'rm -f "$simulated"' EXIT

for shape in 112x512 33x2051; do
    "$build/warpladder" explain 'lessons/0[1-5]*' --tsv --quiet --datasets 1 --instances ${shape%x*} --attributes ${shape#*x} |
        awk -F'\t' -v OFS='\t' -v shape=$shape '/^#/ || $1 == "variant" { print; next } { $1 = shape; print }'
done >"$simulated"
"$build/patterns_sim" | awk -F'\t' -v OFS='\t' '/^variant/ { print; next } { $1 = "patterns"; print }' >>"$simulated"

awk -F'\t' -v OFS='\t' '
    function compare(counter, sim, hw,   difference, verdict) {
        difference = hw == sim ? 0 : hw ? (sim - hw) / hw * 100 : 100
        verdict = "agrees"
        if (difference > 1 || difference < -1) verdict = explained(counter, sim, hw, difference)
        if (verdict == "DIFFERS") failed = 1
        printf "%s\t%s\t%s\t%s\t%d\t%d\t%.3g\t%s\n", shape, launch, kernel, counter, sim, hw, difference, verdict
        compared++
    }
    function explained(counter, sim, hw, difference) {
        # nvcc unrolls the loop over attributes by four and does the remainder first. Where the last row of threads is
        # not full, the lanes with one trip more do it there, alone, and are 128 attributes ahead of their warp after.
        if (shape == "33x2051" && difference < 0 && difference > -5 && counter ~ /^(global_load_sectors|atomic_)/)
            return "explained: unrolled loop, remainder first"
        # Which trip a repeated address takes is not modelled.
        if (shape == "patterns" && counter == "atomic_sectors" && sim - hw >= -1 && sim - hw <= 1)
            return "explained: one trip more or less"
        return "DIFFERS"
    }
    FNR == NR && /^variant/ { for (i = 1; i <= NF; i++) at[$i] = i; next }
    FNR == NR && /^#/ { next }
    FNR == NR { row[$1, $1 == "patterns" ? ++pattern : $2] = $0; next }
    /^#/ { print; next }
    /^shape/ {
        for (i = 1; i <= NF; i++) hw_at[$i] = i
        print "shape", "launch", "kernel", "counter", "simulated", "hardware", "difference_percent", "verdict"
        next
    }
    {
        shape = $1; launch = $2; kernel = $3
        key = shape == "patterns" ? launch : kernel
        if (!((shape, key) in row)) { print "not simulated: " shape, kernel > "/dev/stderr"; failed = 1; next }
        split(row[shape, key], s, "\t")
        n = split("global_load_requests global_load_sectors global_store_requests global_store_sectors " \
                  "atomic_requests shared_requests shared_passes", counter, " ")
        for (i = 1; i <= n; i++) compare(counter[i], s[at[counter[i]]], $hw_at[counter[i]])
        if (shape == "patterns") compare("atomic_sectors", s[at["atomic_sectors"]], $hw_at["atomic_sectors"])
        else compare("atomic_addresses", s[at["atomic_addresses"]], $hw_at["atomic_sectors"])
    }
    END {
        if (!compared) { print "nothing to compare" > "/dev/stderr"; exit 1 }
        exit failed
    }' "$simulated" "$hardware"
