// Memory in a stream's order, and the pool it comes from.
#include <cstdio>

__global__ void iota(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i;
}
__global__ void sum(const int *a, int n, int *result) {
    int s = 0;
    for (int i = threadIdx.x; i < n; i += 32) s += a[i];
    s = __reduce_add_sync(~0u, s);
    if (threadIdx.x == 0) *result = s;
}

int main() {
    const int n = 1000;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    unsigned long long threshold = ~0ull, got = 0;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got);
    printf("threshold kept: %d\n", got == threshold);
    int *result, host = 0;
    cudaMalloc(&result, sizeof *result);
    for (int round = 0; round < 3; round++) {
        int *a;
        cudaMallocAsync(&a, n * sizeof *a, stream);
        iota<<<(n + 127) / 128, 128, 0, stream>>>(a, n);
        sum<<<1, 32, 0, stream>>>(a, n, result);
        cudaFreeAsync(a, stream);
    }
    cudaMemcpyAsync(&host, result, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    printf("%d %s\n", host, cudaGetErrorName(cudaGetLastError()));
    cudaFree(result);
    cudaStreamDestroy(stream);
}
