/* c = a + b for arrays of 1,000 numbers: a whole CUDA program. Run it: warpladder simulate vector_addition.cu */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, THREADS = 256 };

__global__ void add(const float *a, const float *b, float *c, int n) { // each array [n]
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static void expect(cudaError_t error) {
    if (error == cudaSuccess) return;
    printf("CUDA: %s\n", cudaGetErrorString(error));
    exit(1);
}

int main(void) {
    float a[N], b[N], c[N]; // in host memory
    for (int i = 0; i < N; i++) a[i] = i, b[i] = 2 * i;

    float *device_a, *device_b, *device_c; // addresses in device memory
    expect(cudaMalloc(&device_a, sizeof a));
    expect(cudaMalloc(&device_b, sizeof b));
    expect(cudaMalloc(&device_c, sizeof c));
    expect(cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice));
    expect(cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice));

    add<<<(N + THREADS - 1) / THREADS, THREADS>>>(device_a, device_b, device_c, N);
    expect(cudaGetLastError());

    expect(cudaMemcpy(c, device_c, sizeof c, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += c[i] != 3 * i;
    printf("%d of %d sums are wrong\n", wrong, N);
    cudaFree(device_a), cudaFree(device_b), cudaFree(device_c);
    return wrong > 0;
}
