// Functors, generic kernels and lambdas (nvcc: --extended-lambda is not needed, the lambdas are made on the device).
#include <cstdio>

template <typename F> __global__ void for_each(int *a, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = f(a[i]);
}
struct Scale {
    int by;
    __host__ __device__ int operator()(int v) const { return v * by; }
};
template <int... N> __device__ constexpr int sum_of() { return (N + ... + 0); }
__global__ void local(int *a) {
    int offset = 100;
    auto add = [=](int v) { return v + offset; };
    auto twice = [&](auto f, int v) { return f(f(v)); };
    a[threadIdx.x] = twice(add, a[threadIdx.x]) + sum_of<1, 2, 3>();
    if constexpr (sizeof(int) == 4) a[threadIdx.x]++;
}

int main() {
    int *a;
    cudaMallocManaged(&a, 50 * sizeof *a);
    for (int i = 0; i < 50; i++) a[i] = i;
    for_each<<<2, 32>>>(a, 50, Scale{3});
    local<<<1, 50>>>(a);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d %d\n", a[0], a[49]);
    cudaFree(a);
}
