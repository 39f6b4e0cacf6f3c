// The last block adds up what the others have left: threadfence and a ticket.
#include <cstdio>

__device__ unsigned ticket;
__global__ void sum(const float *in, int n, float *partial, float *result) {
    __shared__ float shared[128];
    __shared__ bool last;
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += in[i];
    shared[threadIdx.x] = s;
    __syncthreads();
    for (int i = 64; i > 0; i /= 2) {
        if (threadIdx.x < i) shared[threadIdx.x] += shared[threadIdx.x + i];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = shared[0];
        __threadfence();
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float total = 0;
        for (int i = 0; i < gridDim.x; i++) total += ((volatile float *)partial)[i];
        *result = total;
    }
}

int main() {
    const int n = 4000;
    float *in, *partial, *result;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&partial, 16 * sizeof *partial);
    cudaMallocManaged(&result, sizeof *result);
    for (int i = 0; i < n; i++) in[i] = (float)(i % 100);
    for (int round = 0; round < 2; round++) {
        sum<<<16, 128>>>(in, n, partial, result);
        cudaDeviceSynchronize();
        printf("%g %s\n", *result, cudaGetErrorName(cudaGetLastError()));
    }
}
