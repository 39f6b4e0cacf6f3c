// Clocks go forward; __nanosleep; the functions that ask where a pointer leads.
#include <cstdio>

__constant__ int constant;
__global__ void kernel(int *out) {
    __shared__ int shared[32];
    int local = 1;
    long long begin = clock64();
    clock_t short_begin = clock();
    shared[threadIdx.x] = out[threadIdx.x];
    __nanosleep(100);
    __syncthreads();
    local += shared[31 - threadIdx.x];
    out[threadIdx.x] = (clock64() >= begin) + 2 * (clock() - short_begin >= 0) + 4 * (int)__isGlobal(out) +
                       8 * (int)__isShared(shared) + 16 * (int)__isLocal(&local) + 32 * (int)__isConstant(&constant) +
                       64 * (int)__isShared(out);
}

int main() {
    int *out;
    cudaMallocManaged(&out, 128);
    for (int i = 0; i < 32; i++) out[i] = i;
    kernel<<<1, 32>>>(out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d\n", out[31]);
    cudaFree(out);
}
