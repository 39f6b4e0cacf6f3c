#!/usr/bin/env bash
# findings.sh WARPLADDER CASE: what `warpladder simulate` finds wrong in a program, what it lets pass, and what it does after a finding.
# shellcheck source=tests/support/said.sh
source "$(dirname "$0")/../../support/said.sh" "$@"

# runs CODE OPTION...: simulates the program on standard input, which ends with this code.
runs() {
    local code=$1
    shift
    cat >prog.cu
    said "$code" "$warpladder" simulate --quiet prog.cu "$@"
}

# Threads that have returned hold no barrier back: whole warps, parts of warps, and threads that stored something before they returned.
case_early_return() {
    runs 0 <<'END'
__global__ void part(int *o, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= n) return;
    __syncthreads();
    o[threadIdx.x] = s[n - 1 - threadIdx.x];
}
__global__ void stores(int *o, int n) {
    if (threadIdx.x >= n) {
        o[threadIdx.x] = 5;
        return;
    }
    o[threadIdx.x] = __syncthreads_count(threadIdx.x % 2);
}
int main() {
    int h[64], *o;
    cudaMalloc(&o, 256);
    for (int n : {32, 40, 1}) {
        part<<<1, 64>>>(o, n);
        cudaMemcpy(h, o, n * 4, cudaMemcpyDeviceToHost);
        printf("%d ", h[n / 2]);
        stores<<<1, 64>>>(o, n);
        cudaMemcpy(h, o, 256, cudaMemcpyDeviceToHost);
        printf("%d %d, ", h[0], h[63]);
    }
}
END
    has out '15 16 5, 19 20 5, 0 0 5, '
    # But a thread that goes round a barrier and on is missing at it.
    runs 1 <<'END'
__global__ void k(int *o) {
    if (threadIdx.x < 40) __syncthreads();
    o[threadIdx.x] = 1;
}
int main() {
    int *o;
    cudaMalloc(&o, 256);
    k<<<1, 64>>>(o);
}
END
    has err 'diverged barrier: waits at prog.cu:2, which 24 of 64 threads never reach: thread (40,0,0) went round it and has returned'
}

"case_$case"
