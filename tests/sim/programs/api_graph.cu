// A graph by stream capture, with a second stream that forks and joins, launched three times.
#include <cstdio>

__global__ void add(int *a, int value) { a[threadIdx.x] += value; }
__global__ void combine(int *to, const int *a, const int *b) {
    to[threadIdx.x] = a[threadIdx.x] + 1000 * b[threadIdx.x];
}

int main() {
    const int bytes = 64 * sizeof(int);
    int *a, *b, *c, host[64];
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    cudaDeviceSynchronize();
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEvent_t fork, join;
    cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, one);
    cudaStreamWaitEvent(two, fork);
    add<<<1, 64, 0, one>>>(a, 1);
    add<<<1, 64, 0, two>>>(b, 2);
    cudaEventRecord(join, two);
    cudaStreamWaitEvent(one, join);
    combine<<<1, 64, 0, one>>>(c, a, b);
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(two, &status);
    cudaStreamEndCapture(one, &graph);
    size_t nodes = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    printf("capturing %d, nodes %zu\n", status == cudaStreamCaptureStatusActive, nodes);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < 3; i++) {
        cudaGraphLaunch(executable, one);
        cudaMemcpyAsync(host, c, bytes, cudaMemcpyDeviceToHost, one);
        cudaStreamSynchronize(one);
        printf("%d %d\n", host[0], host[63]);
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
