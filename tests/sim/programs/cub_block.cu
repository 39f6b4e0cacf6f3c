// CUB's primitives of blocks and warps.
#include <cstdio>
#include <cub/cub.cuh>

__global__ void kernel(const int *in, int *out) {
    typedef cub::BlockReduce<int, 128> Reduce;
    typedef cub::BlockScan<int, 128> Scan;
    typedef cub::BlockRadixSort<int, 128, 2, int> Sort;
    typedef cub::BlockLoad<int, 128, 2, cub::BLOCK_LOAD_DIRECT> Load;
    typedef cub::BlockStore<int, 128, 2, cub::BLOCK_STORE_DIRECT> Store;
    typedef cub::WarpReduce<int> Warp;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
        typename Sort::TempStorage sort;
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } shared;
    __shared__ typename Warp::TempStorage warps[4];
    int items[2], places[2] = {2 * (int)threadIdx.x, 2 * (int)threadIdx.x + 1}, sums[2], total = 0;
    Load(shared.load).Load(in, items);
    __syncthreads();
    int sum = Reduce(shared.reduce).Sum(items);
    __syncthreads();
    int most = Reduce(shared.reduce).Reduce(items[0], [](int a, int b) { return a > b ? a : b; });
    __syncthreads();
    Scan(shared.scan).ExclusiveSum(items, sums, total);
    __syncthreads();
    Store(shared.store).Store(out, sums);
    __syncthreads();
    Sort(shared.sort).Sort(items, places);
    __syncthreads();
    Store(shared.store).Store(out + 256, items);
    Store(shared.store).Store(out + 512, places);
    int warp = Warp(warps[threadIdx.x / 32]).Sum((int)threadIdx.x);
    if (threadIdx.x % 32 == 0) out[768 + threadIdx.x / 32] = warp;
    if (threadIdx.x == 0) out[772] = sum, out[773] = most;
    if (threadIdx.x == 127) out[774] = total;
}

int main() {
    int *in, *out;
    cudaMallocManaged(&in, 256 * sizeof(int));
    cudaMallocManaged(&out, 775 * sizeof(int));
    for (int i = 0; i < 256; i++) in[i] = (i * 71 + 13) % 97 - 40;
    kernel<<<1, 128>>>(in, out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    int wrong = 0, sum = 0;
    for (int i = 0; i < 256; i++) {
        wrong += out[i] != sum;
        sum += in[i];
        wrong += in[out[512 + i]] != out[256 + i];
        if (i > 0)
            wrong +=
                out[256 + i - 1] > out[256 + i] || (out[256 + i - 1] == out[256 + i] && out[511 + i] > out[512 + i]);
    }
    printf("wrong %d:", wrong);
    for (int i = 768; i < 775; i++) printf(" %d", out[i]);
    printf("\n");
}
