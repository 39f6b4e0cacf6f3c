// A barrier is missing between the store and the load of tile[].
#include <cuda_runtime.h>

__global__ void reverse(int *data) {
    __shared__ int tile[64];
    tile[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
    int *data;
    cudaMalloc((void **)&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
    return 0;
}
