// NV_IF_TARGET and its like: each side takes its own branch.
#include <cstdio>
#include <nv/target>
__device__ int on_device() { return threadIdx.x + 10; }
static int on_host() { return 1; }
__host__ __device__ int side() { NV_IF_TARGET(NV_IS_DEVICE, (return on_device();), (return on_host();)) }
__host__ __device__ int level() {
    int n = 0;
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_100, (n = 100;), NV_PROVIDES_SM_80, (n = 80;), NV_IS_HOST, (n = 1;))
    NV_IF_TARGET(NV_IS_HOST, (n += 1000;))
    return n;
}
__global__ void k(int *p) { p[0] = side(), p[1] = level(); }
int main() {
    int *p, h[2];
    cudaMalloc(&p, sizeof h);
    k<<<1, 1>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d, %d %d\n", h[0], h[1], side(), level());
}
