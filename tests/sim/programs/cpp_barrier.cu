// cuda::barrier with copies that it waits for, and a cuda::pipeline of two stages.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/utility>
namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void with_barrier(const int *in, int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ alignas(16) int tile[64];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&barrier, block.size());
    block.sync();
    for (int step = 0; step < 3; step++) {
        cuda::memcpy_async(block, tile, in + 64 * step, sizeof(int) * 64, barrier);
        auto token = barrier.arrive();
        barrier.wait(cuda::std::move(token));
        out[64 * step + threadIdx.x] = tile[63 - threadIdx.x];
        barrier.arrive_and_wait();
    }
}
__global__ void with_pipeline(const int *in, int *out, int tiles) {
    __shared__ alignas(16) int stage[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int ahead = 0;
    for (int t = 0; t < tiles; t++) {
        for (; ahead < tiles && ahead < t + 2; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[ahead % 2], in + 64 * ahead, cuda::aligned_size_t<16>(256), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[64 * t + threadIdx.x] = 2 * stage[t % 2][63 - threadIdx.x];
        pipe.consumer_release();
    }
}

int main() {
    int *in, *out;
    cudaMallocManaged(&in, 256 * sizeof *in);
    cudaMallocManaged(&out, 256 * sizeof *out);
    for (int i = 0; i < 256; i++) in[i] = i * i;
    with_barrier<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%d %d %s\n", out[0], out[191], cudaGetErrorName(cudaGetLastError()));
    with_pipeline<<<1, 64>>>(in, out, 4);
    cudaDeviceSynchronize();
    printf("%d %d %s\n", out[0], out[255], cudaGetErrorName(cudaGetLastError()));
}
