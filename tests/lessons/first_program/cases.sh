#!/usr/bin/env bash
# cases.sh WARPLADDER CASE: what a reader of lessons/00_first_program does. Each case has one of the page's changes.
# shellcheck source=tests/support/said.sh
source "$(dirname "$0")/../../support/said.sh" "$@"
lesson=$here/../../../lessons/00_first_program

changed() { # PROGRAM SED-SCRIPT: the copy wrong.cu, in which each command of the script has changed something
    cp "$lesson/$1" wrong.cu
    local command
    while IFS= read -r command; do
        cp wrong.cu before.cu
        sed -i "$command" wrong.cu
        ! cmp -s before.cu wrong.cu || fail "'$command' changes nothing in $1"
    done <<<"$2"
}
no_bounds='s/if (i < n) //'
no_copy='/cudaMemcpy(device_b/d'

case_programs() {
    said 0 "$warpladder" simulate "$lesson/vector_addition.cu"
    has out '0 of 1000 sums are wrong'
    has err 'add: 1 launch of 4 blocks of 256 threads'
    said 0 "$warpladder" simulate "$lesson/first_kernel.cu"
    has out '0 of 12544 distances are wrong'
    has err '401,408        8.0   32.0 sectors per request' # 12,845,056 sectors, as the page of 01_naive has
}
case_no_bounds_check() {
    changed vector_addition.cu "$no_bounds"
    said 1 "$warpladder" simulate wrong.cu
    has err 'add: block (3,0,0) thread (232,0,0): out of bounds'
    has err 'it would be element 1000 of 1000'
}
case_no_copy() {
    changed vector_addition.cu "$no_copy"
    said 1 "$warpladder" simulate wrong.cu
    has out '1000 of 1000 sums are wrong'
    has err 'uninitialised memory: load of 4 bytes at'
}
# The access out of bounds is the graver mistake of the two, and is told first.
case_two_mistakes() {
    changed vector_addition.cu "$no_bounds"$'\n'"$no_copy"
    said 1 "$warpladder" simulate wrong.cu
    has err 'uninitialised memory'
    head -n 1 err | grep -q 'thread (232,0,0): out of bounds' || fail "not told first: $(cat err)"
}
case_host_pointer() {
    changed vector_addition.cu 's/(device_a, device_b, device_c, N)/(a, device_b, device_c, N)/'
    said 1 "$warpladder" simulate wrong.cu
    has err 'in host memory (the pointer does not come from cudaMalloc)'
    sed -i 's/ float a\[N\]/ static&/' wrong.cu # an array that lives as long as the program is the host's, too
    said 1 "$warpladder" simulate wrong.cu
    has err 'in host memory (the pointer does not come from cudaMalloc)'
}
case_too_many_threads() {
    changed vector_addition.cu 's/THREADS = 256/THREADS = 2048/'
    said 1 "$warpladder" simulate wrong.cu
    has out 'a block has 1 to 1,024 threads'
}
case_result_read_before_the_copy() {
    changed vector_addition.cu 's/c\[i\] !=/device_c[i] !=/'$'\n''/cudaFree/d'
    said 1 "$warpladder" simulate wrong.cu
    has err 'the host reads device memory'
    changed vector_addition.cu '/cudaMemcpy(c,/d'
    said 1 "$warpladder" simulate wrong.cu
    has out 'sums are wrong'
}
case_exercises() {
    changed vector_addition.cu 's/N = 1000/N = 1025/'
    said 0 "$warpladder" simulate wrong.cu
    has err '1 launch of 5 blocks'
    changed vector_addition.cu '/int i = block/d'$'\n''s/if (i < n)/for (int i = threadIdx.x; i < n; i += blockDim.x)/'$'\n''s/<<<.*>>>/<<<1, THREADS>>>/'
    said 0 "$warpladder" simulate wrong.cu
    has out '0 of 1000 sums are wrong'
    changed first_kernel.cu 's/atomicAdd(distance + instances \* gy + gx, 1)/distance[instances * gy + gx]++/'
    said 1 "$warpladder" simulate wrong.cu
    has err 'race on global memory'
}

"case_$case"
