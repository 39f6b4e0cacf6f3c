// Launches as programs have them: in a header, in macros, of templates, through pointers; and what only looks like one.
#include <cstdio>

#include "launches.h"

extern __device__ int steps_taken; // other.cu's
__constant__ int scale[2] = {3, 5};

struct Runner {
    void (*kernel)(int *, int);
    void run(int *to, int n) { this->kernel<<<n / 64, 64>>>(to, n); }
};

__global__ void add_one(int *to, int n) {
    static __shared__ int tile[64];
    extern __shared__ int unused[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = to[i];
    __syncthreads();
    to[i] = tile[63 - threadIdx.x] + scale[0];
    if (i == 0) atomicAdd(&steps_taken, 1);
}

__global__ void __launch_bounds__(64) add_two(int *to, int) { to[blockIdx.x * 64 + threadIdx.x] += one_more(1); }

int main() {
    const int n = 256;
    int *device, host[n], taken = 0;
    /* kernel<<<1, 1>>>(nothing); */
    const char *text = "kernel<<<1, 1>>>(nothing)";
    cudaMalloc(&device, n * sizeof(int));
    fill_all(device, 7, n / 64);
    LAUNCH(add_one, n / 64, 64, device, n);
    void (*kernels[])(int *, int) = {add_one, add_two};
    for (int k = 0; k < 2; k++) kernels[k]<<<n / 64, 64>>>(device, n);
    auto chosen = &add_two;
    (*chosen)<<<n / 64, 64>>>(device, n);
    Runner{add_one}.run(device, n);
    add_scale(device, n);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&taken, steps_taken, sizeof taken);
    printf("%s: %d %d, %d steps\n", text, host[0], host[n - 1], taken);
    cudaFree(device);
}
