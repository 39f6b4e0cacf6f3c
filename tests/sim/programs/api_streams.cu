// Streams with priorities, an event that one waits for, and work that overlaps.
#include <cstdio>

__global__ void add(int *a, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += value;
}

int main() {
    const int n = 256, bytes = n * sizeof(int);
    int least, greatest, priority = 1;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStream_t high, low;
    cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest);
    cudaStreamCreateWithFlags(&low, cudaStreamNonBlocking);
    cudaStreamGetPriority(high, &priority);
    unsigned flags = 0;
    cudaStreamGetFlags(low, &flags);
    printf("priorities %d %d, flags %u\n", greatest <= least, priority == greatest, flags);
    int *a, *b, *host;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMallocHost(&host, bytes);
    cudaEvent_t ready;
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    cudaMemsetAsync(a, 0, bytes, high);
    cudaMemsetAsync(b, 0, bytes, low);
    add<<<2, 128, 0, high>>>(a, n, 1);
    add<<<2, 128, 0, low>>>(b, n, 1);
    cudaEventRecord(ready, high);
    cudaStreamWaitEvent(low, ready, 0);
    add<<<2, 128, 0, low>>>(a, n, 5);
    cudaMemcpyAsync(host, a, bytes, cudaMemcpyDeviceToHost, low);
    cudaStreamSynchronize(low);
    printf("%d %d %s\n", host[0], host[n - 1], cudaGetErrorName(cudaEventQuery(ready)));
    cudaFreeHost(host);
    cudaFree(a);
    cudaFree(b);
    cudaEventDestroy(ready);
    cudaStreamDestroy(high);
    cudaStreamDestroy(low);
}
