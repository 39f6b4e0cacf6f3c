// Occupancy and the attributes of a kernel. Kernels this small are limited by threads, not by registers.
#include <cstdio>

__global__ void light(float *x) { x[threadIdx.x] *= 2; }
__global__ void heavy(float *x) {
    __shared__ float tile[8192]; // 32 KB
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, heavy);
    printf("shared %zu, at most %d threads\n", a.sharedSizeBytes, a.maxThreadsPerBlock);
    cudaFuncGetAttributes(&a, (const void *)light);
    printf("shared %zu\n", a.sharedSizeBytes);
    int blocks = 0, grid = 0, block = 0;
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 512, 0);
    printf("light: %d\n", blocks * 512 == p.maxThreadsPerMultiProcessor);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, heavy, 64, 0);
    printf("heavy: %d\n", blocks == (int)(p.sharedMemPerMultiprocessor / (32768 + p.reservedSharedMemPerBlock)));
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0);
    printf("block %d, grid %d\n", block, grid == p.maxThreadsPerMultiProcessor / block * p.multiProcessorCount);
}
