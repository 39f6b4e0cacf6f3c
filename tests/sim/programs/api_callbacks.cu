// Host functions in a stream: each sees what was queued before it.
#include <cstdio>

__global__ void bump(int *a) { a[threadIdx.x]++; }

struct Log {
    int *host, seen[3], count;
};
static void CUDART_CB note(void *p) {
    Log *log = (Log *)p;
    log->seen[log->count++] = log->host[5];
}
static void CUDART_CB finished(cudaStream_t, cudaError_t status, void *p) { *(int *)p = status == cudaSuccess; }

int main() {
    Log log = {};
    int *a, done = 0;
    cudaMalloc(&a, 32 * sizeof(int));
    cudaMallocHost(&log.host, 32 * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemsetAsync(a, 0, 32 * sizeof(int), stream);
    for (int i = 0; i < 3; i++) {
        bump<<<1, 32, 0, stream>>>(a);
        cudaMemcpyAsync(log.host, a, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaLaunchHostFunc(stream, note, &log);
    }
    cudaStreamAddCallback(stream, finished, &done, 0);
    cudaStreamSynchronize(stream);
    printf("%d %d %d %d\n", log.seen[0], log.seen[1], log.seen[2], done);
    cudaFreeHost(log.host);
    cudaFree(a);
    cudaStreamDestroy(stream);
}
