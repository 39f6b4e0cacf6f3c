#!/usr/bin/env bash
# count_programs.sh FOLDER: lets Nsight Compute count what the plain CUDA programs of tests/sim/programs do on this machine's GPU
# (programs.sh build FOLDER); prints one row per program and kernel, all launches of the kernel added up. compare_programs.sh sets the
# simulated device's counts beside them.
set -euo pipefail
folder=$1
cd "$(dirname "$0")/../.."
# shellcheck source=experiments/gpu/ncu.sh
. experiments/gpu/ncu.sh
head_of "" "experiments/gpu/count_programs.sh FOLDER"
for program in tests/sim/programs/*.cu; do
    name=$(basename "$program" .cu)
    export -f count
    export metrics
    # shellcheck disable=SC2016
    timeout 60 bash -c 'set -euo pipefail; count "$0" "$1"' "$name" "$folder/$name" 2>/dev/null || echo "# not counted: $name"
done | awk -F'\t' -v OFS='\t' '
    /^#/ { print; next }
    { key = $1 OFS $3; if (!(key in launches)) order[++n] = key; launches[key]++; for (i = 4; i <= NF; i++) sum[key, i] += $i; fields = NF }
    END {
        for (k = 1; k <= n; k++) {
            split(order[k], part, OFS)
            printf "%s\t%d\t%s", part[1], launches[order[k]], part[2]
            for (i = 4; i <= fields; i++) printf "\t%.0f", sum[order[k], i]
            print ""
        }
    }'
