// Kernels launched through the runtime's functions.
#include <cstdio>

__global__ void axpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
template <typename T, int N> __global__ void times(T *x) { x[threadIdx.x] *= N; }

int main() {
    const int n = 100;
    float *x, *y, a = 3;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i < n; i++) x[i] = (float)i, y[i] = 1;
    int count = n;
    void *arguments[] = {&a, &x, &y, &count};
    printf("%s\n", cudaGetErrorName(cudaLaunchKernel((void *)axpy, dim3(4), dim3(32), arguments, 0, nullptr)));
    void *one[] = {&y};
    cudaLaunchKernel((const void *)times<float, 2>, 1, n, one, 0, 0);
    void (*pointer)(float *) = times<float, 5>;
    pointer<<<1, n>>>(y);
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = n;
    cudaLaunchKernelEx(&config, times<float, 1>, y);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%g %g\n", y[0], y[n - 1]);
    cudaFree(x);
    cudaFree(y);
}
