// A __device__ variable by its name on the host.
#include <cstdio>
__device__ int total;
__constant__ float weights[3] = {1, 2, 3};
__managed__ int shared;
__global__ void k(int n) { atomicAdd(&total, n * (int)weights[2]), shared = n; }
int main() {
    k<<<1, 4>>>(2);
    if (cudaDeviceSynchronize() == cudaSuccess && shared == 2) printf("%d\n", total);
}
