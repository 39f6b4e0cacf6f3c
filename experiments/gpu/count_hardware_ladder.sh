#!/usr/bin/env bash
# count_hardware_ladder.sh PROBLEM BUILD: lets Nsight Compute count what the stages named in shapes_PROBLEM.sh do on this machine's GPU;
# prints one row a kernel, all its launches added up. compare_counters_ladder.sh sets the simulated device's counts beside them.
set -euo pipefail
problem=$1 build=$2
cd "$(dirname "$0")/../.."
# shellcheck source=experiments/gpu/ncu.sh
. experiments/gpu/ncu.sh
# shellcheck source=experiments/gpu/shapes_sw.sh
. "experiments/gpu/shapes_$problem.sh"
head_of "$build" "experiments/gpu/count_hardware_ladder.sh $problem BUILD"
for shape in $shapes; do
    # check launches a stage more than once; compare_counters_ladder.sh divides by how often.
    read -ra options <<<"$(shape_options "$shape")"
    read -ra variants <<<"$stages"
    count "$shape" -k "regex:^($kernels)$" "$build/warpladder" check \
        "${variants[@]}" --device gpu "${options[@]}" |
        awk -F'\t' -v OFS='\t' '
            !($3 in row) { order[++n] = $3 }
            { row[$3] = $1; launches[$3]++; for (i = 4; i <= NF; i++) sum[$3, i] += $i; fields = NF }
            END {
                for (k = 1; k <= n; k++) {
                    printf "%s\t%d\t%s", row[order[k]], launches[order[k]], order[k]
                    for (i = 4; i <= fields; i++) printf "\t%.0f", sum[order[k], i]
                    print ""
                }
            }'
done
