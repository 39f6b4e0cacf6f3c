// Tiles that arrive asynchronously: cooperative_groups::memcpy_async and wait.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void smooth(const int *in, int *out, int n) {
    __shared__ int tile[2][128];
    auto block = cg::this_thread_block();
    const int tiles = n / 128;
    cg::memcpy_async(block, tile[0], in, sizeof tile[0]);
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) {
            cg::memcpy_async(block, tile[(t + 1) % 2], in + (t + 1) * 128, sizeof tile[0]);
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        int i = threadIdx.x;
        out[t * 128 + i] = tile[t % 2][i] + tile[t % 2][127 - i];
        block.sync();
    }
}

int main() {
    const int n = 1024;
    int *in, *out;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    for (int i = 0; i < n; i++) in[i] = i;
    smooth<<<1, 128>>>(in, out, n);
    cudaDeviceSynchronize();
    printf("%d %d %d %s\n", out[0], out[127], out[1000], cudaGetErrorName(cudaGetLastError()));
    cudaFree(in);
    cudaFree(out);
}
