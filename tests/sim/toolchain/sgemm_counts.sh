#!/usr/bin/env bash
# sgemm_counts.sh WARPLADDER: what the eight steps of docs/sgemm.cu do to memory, from the report of `warpladder simulate`, as
# results/sgemm_simulated.tsv has it: a row per kernel, and one per source line that touches memory.
set -euo pipefail
warpladder=$(readlink -f "$1")
cd "$(dirname "$0")/../../.."
report=$(mktemp)
trap 'rm -f "$report"' EXIT
"$warpladder" simulate docs/sgemm.cu --report "$report" >/dev/null
printf '# command: warpladder simulate docs/sgemm.cu --report FILE\n# shape: n = 128\n'
printf 'kernel\tline\tglobal_requests\tsectors\tshared_requests\tshared_passes\n'
jq -r '.kernels[] | .name as $name | ({line: "NA", counters: .counters}, .lines[]) | .line as $line | .counters |
    [$name, $line, .global_load_requests + .global_store_requests, .global_load_sectors + .global_store_sectors, .shared_requests,
        .shared_passes] | select(.[2] + .[4] > 0) | @tsv' "$report"
