#!/usr/bin/env bash
# count_hardware.sh BUILD: lets Nsight Compute count what lessons 01 to 05 and the access patterns do on this machine's GPU;
# prints one row a kernel launch. compare_counters.sh sets the simulated device's counts beside them.
set -euo pipefail
build=$1
cd "$(dirname "$0")/../.."
# shellcheck source=experiments/gpu/ncu.sh
. experiments/gpu/ncu.sh
head_of "$build" "experiments/gpu/count_hardware.sh BUILD"
for shape in 112x512 33x2051; do
    # Lessons' kernels are called GPU...; the first launch of each: check runs a variant more than once.
    count $shape -k regex:^GPU "$build/warpladder" check 'lessons/0[1-5]*' --device gpu --datasets 1 \
        --instances ${shape%x*} --attributes ${shape#*x} | awk -F'\t' '!seen[$3]++'
done
count patterns "$build/patterns_gpu"
