// A function of the host's reads through a device pointer.
#include <cstdio>
__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x; }
static int __attribute__((noinline)) sum_of(const int *p, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += p[i];
    return sum;
}
int main() {
    int *p;
    cudaMalloc(&p, 128);
    k<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    printf("%d\n", sum_of(p, 32));
}
