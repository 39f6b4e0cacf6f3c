// A histogram: private in shared memory, then added up, with int and with half sums.
#include <cstdio>
#include <cuda_fp16.h>

__global__ void histogram(const unsigned char *data, int n, int *bins, __half *weights) {
    __shared__ int mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[data[i] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
        atomicAdd(&weights[threadIdx.x], __float2half(0.5f));
    }
}

int main() {
    const int n = 5000;
    unsigned char *data;
    int *bins;
    __half *weights;
    cudaMallocManaged(&data, n);
    cudaMallocManaged(&bins, 16 * sizeof *bins);
    cudaMallocManaged(&weights, 16 * sizeof *weights);
    for (int i = 0; i < n; i++) data[i] = (unsigned char)(i * i + i / 7);
    for (int i = 0; i < 16; i++) bins[i] = 0, weights[i] = __float2half(1);
    histogram<<<4, 128>>>(data, n, bins, weights);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    int wrong = 0;
    for (int i = 0; i < n; i++) bins[data[i] % 16]--;
    for (int i = 0; i < 16; i++) wrong += bins[i] != 0;
    printf("wrong %d, weight %g\n", wrong, __half2float(weights[3]));
}
