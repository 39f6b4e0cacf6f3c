// A block as a group: split barriers, thread_group as a parameter, and a dynamic partition.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__device__ int reduce(cg::thread_group group, int *shared, int value) {
    const int rank = (int)group.thread_rank();
    for (int i = (int)group.size() / 2; i > 0; i /= 2) {
        shared[rank] = value;
        group.sync();
        if (rank < i) value += shared[rank + i];
        group.sync();
    }
    return value;
}
__global__ void kernel(int *out) {
    __shared__ int memory[128];
    auto block = cg::this_thread_block();
    int total = reduce(block, memory, (int)block.thread_rank());
    auto tile = cg::tiled_partition(block, 16);
    int part = reduce(tile, memory + 16 * (threadIdx.x / 16), (int)threadIdx.x);
    if (block.thread_rank() == 0) out[0] = total;
    if (tile.thread_rank() == 0) out[1 + threadIdx.x / 16] = part;
    auto token = block.barrier_arrive();
    block.barrier_wait(std::move(token));
    if (block.thread_rank() == 127)
        out[9] = (int)(block.group_index().x + block.dim_threads().x + block.thread_index().x);
}

int main() {
    int *out;
    cudaMallocManaged(&out, 10 * sizeof(int));
    kernel<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 10; i++) printf("%d ", out[i]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(out);
}
