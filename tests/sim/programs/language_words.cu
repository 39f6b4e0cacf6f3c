// __inline__ and __inline beside __device__, kernels of extern "C", bounds before a kernel's words, variables of every memory, and types with a
// constructor in shared memory.
#include <cstdio>
__device__ __inline__ int twice(int x) { return 2 * x; }
__inline__ __device__ int thrice(int x) { return 3 * x; }
static __device__ __inline int four(int x) { return 4 * x; }
extern "C" {
__device__ __constant__ int table[4] = {1, 2, 3, 4};
__global__ void fill(int *p) {
    __shared__ int s[32];
    s[threadIdx.x] = twice((int)threadIdx.x) + thrice(table[threadIdx.x % 4]);
    __syncthreads();
    p[threadIdx.x] = s[31 - threadIdx.x];
}
}
extern "C" __launch_bounds__(64) __global__ void add(int *p, int n) { p[threadIdx.x] += four(n); }
namespace {
__device__ const float halves[2] = {0.5f, 1.5f};
__device__ float3 point = {1, 2, 3};
__device__ volatile int zero;
__constant__ const int ones[] = {1, 1};
} // namespace
template <typename T> __device__ T initial = T(7);
__device__ __managed__ int seen;
__device__ int (*rows)[4];
__global__ void use(float *out, int *of) {
    rows = (int(*)[4])of;
    seen = 5;
    *out = halves[1] + point.z + zero + ones[1] + initial<float> + (*rows)[1];
}

struct Pair {
    int a, b;
    __device__ Pair() {}
};
template <typename T> __global__ void share(int *out) {
    __shared__ T first[32];
    __shared__ Pair one;
    first[threadIdx.x].b = (int)threadIdx.x;
    if (threadIdx.x == 3) one.a = 20;
    __syncthreads();
    out[threadIdx.x] = first[31 - threadIdx.x].b + one.a;
}

int main() {
    int *p, h[32];
    float *x, f;
    cudaMalloc(&p, sizeof h), cudaMalloc(&x, sizeof f);
    fill<<<1, 32>>>(p);
    add<<<1, 32>>>(p, 2);
    use<<<1, 1>>>(x, p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost), cudaMemcpy(&f, x, 4, cudaMemcpyDeviceToHost);
    printf("%d %d %g %d\n", h[0], h[31], f, seen);
    share<Pair><<<2, 32>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[31]);
}
