// The host reads device memory after more launches in a row than memory is closed after: it is closed when the host waits.
#include <cstdio>
__global__ void k(int *p) { p[threadIdx.x]++; }
int main() {
    int *p;
    cudaMalloc(&p, 128);
    cudaMemset(p, 0, 128);
    for (int i = 0; i < 40; i++) k<<<1, 32>>>(p);
    cudaStreamSynchronize(0);
    printf("%d\n", p[0]);
}
