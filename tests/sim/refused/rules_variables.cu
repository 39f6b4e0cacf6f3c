// What variables kernels may not have, and what they may not do.
#include <cstdlib>
__device__ int started = rand();
__global__ void k(int *p) {
    __shared__ int s = 5;
    try {
        if (*p == 0) throw 1;
    } catch (int) {
        *p = s + started;
    }
}
int main() {
    int *p;
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p);
}
