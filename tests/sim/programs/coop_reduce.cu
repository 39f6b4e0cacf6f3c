// cg::reduce and scans over tiles and coalesced groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void compute(int *out, long long *wide) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int v = (int)threadIdx.x + 1;
    int sum = cg::reduce(tile, v, cg::plus<int>()), most = cg::reduce(tile, v * 37 % 23, cg::greater<int>());
    int bits = cg::reduce(tile, 1 << (v % 16), cg::bit_or<int>());
    int inclusive = cg::inclusive_scan(tile, v, cg::plus<int>()),
        exclusive = cg::exclusive_scan(tile, v, cg::plus<int>());
    long long product = cg::reduce(tile, (long long)v % 3 + 1, [](long long a, long long b) { return a * b; });
    out[threadIdx.x] = sum + most * 1000 + (bits == 0xffff) * 100000;
    out[threadIdx.x + 32] = inclusive * 1000 + exclusive;
    wide[threadIdx.x] = product;
    if (v % 3 == 0) {
        auto some = cg::coalesced_threads();
        out[threadIdx.x] = cg::reduce(some, v, cg::plus<int>());
    }
}

int main() {
    int *out;
    long long *wide;
    cudaMallocManaged(&out, 64 * sizeof(int));
    cudaMallocManaged(&wide, 32 * sizeof(long long));
    compute<<<1, 32>>>(out, wide);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i += 5) printf("%d %d %lld\n", out[i], out[i + 32], wide[i]);
    cudaFree(out);
    cudaFree(wide);
}
