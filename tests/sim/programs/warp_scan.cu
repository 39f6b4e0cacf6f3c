// A scan by shuffles over a block, and stream compaction by ballots.
#include <cstdio>

__global__ void scan(const int *in, int *out, int n) {
    __shared__ int sums[32];
    int i = threadIdx.x, lane = i % 32, warp = i / 32, v = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += other;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(~0u, s, d);
            if (lane >= d) s += other;
        }
        sums[lane] = s;
    }
    __syncthreads();
    if (i < n) out[i] = v + (warp > 0 ? sums[warp - 1] : 0);
}
__global__ void compact(const int *in, int n, int *out, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool keep = i < n && in[i] % 2 == 1;
    unsigned mask = __ballot_sync(~0u, keep);
    int base = 0;
    if (lane == 0) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
}

int main() {
    const int n = 1000;
    int *in, *out, *count;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, n * sizeof *out);
    cudaMallocManaged(&count, sizeof *count);
    long expected = 0, odd = 0, sum = 0;
    for (int i = 0; i < n; i++) in[i] = i * 13 % 29, odd += in[i] % 2 * in[i];
    scan<<<1, 1024>>>(in, out, n);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < n; i++) expected += in[i], wrong += out[i] != expected;
    *count = 0;
    compact<<<4, 256>>>(in, n, out, count);
    cudaDeviceSynchronize();
    for (int i = 0; i < *count; i++) sum += out[i];
    printf("wrong %d, kept %d, sum right %d, %s\n", wrong, *count, sum == odd, cudaGetErrorName(cudaGetLastError()));
}
