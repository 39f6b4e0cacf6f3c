// Coalesced groups: one atomic for all lanes that took a branch, and partitions by label.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__device__ int grab(int *counter) {
    cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) first = atomicAdd(counter, (int)active.size());
    return active.shfl(first, 0) + (int)active.thread_rank();
}
__global__ void filter(const int *in, int n, int *out, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0) out[grab(count)] = in[i];
}
__global__ void labels(int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto same = cg::labeled_partition(warp, (int)(threadIdx.x % 5));
    auto half = cg::binary_partition(warp, threadIdx.x < 10);
    out[threadIdx.x] = (int)(same.size() * 1000 + same.thread_rank() * 100 + half.size());
}

int main() {
    const int n = 1000;
    int *in, *out, *count;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMallocManaged(&count, sizeof(int));
    for (int i = 0; i < n; i++) in[i] = i * 7 % 1000;
    *count = 0;
    filter<<<4, 256>>>(in, n, out, count);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < *count; i++) sum += out[i];
    printf("%d %ld\n", *count, sum);
    labels<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", out[0], out[9], out[31]);
    cudaFree(in);
    cudaFree(out);
    cudaFree(count);
}
