// A kernel is given the address that a __device__ variable has on the host.
#include <cstdio>
__device__ int sum;
__global__ void k(int *p) { *p = 3; }
int main() {
    k<<<1, 1>>>(&sum);
    cudaDeviceSynchronize();
}
