// Tiles of a block: sums by shuffles, votes, and their place among the tiles.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

template <typename Tile> __device__ int sum(const Tile &tile, int value) {
    for (unsigned i = tile.size() / 2; i > 0; i /= 2) value += tile.shfl_down(value, i);
    return tile.shfl(value, 0);
}
__global__ void sums(int *out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);
    auto warp = cg::tiled_partition<32>(block);
    auto four = cg::tiled_partition<4>(warp);
    int v = (int)block.thread_rank();
    int a = sum(eight, v), b = sum(warp, v), c = sum(four, v);
    unsigned odd = eight.ballot(v & 1);
    int any = four.any(v % 4 == 3), all = four.all(v < 32);
    warp.sync();
    if (eight.thread_rank() == 7)
        out[eight.meta_group_rank()] = a * 1000000 + b * 100 + c % 100 + (odd == 0xaa) * 3 + any * 5 + all * 7;
}

int main() {
    int *out, host[8];
    cudaMallocManaged(&out, sizeof host);
    sums<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; i++) printf("%d\n", out[i]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(out);
}
