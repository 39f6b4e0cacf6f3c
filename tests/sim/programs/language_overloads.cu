// Kernels that share their name with others, and with functions of the host.
#include <cstdio>
__global__ void scale(float *x, int n) {
    if (threadIdx.x < n) x[threadIdx.x] *= 2;
}
__global__ void scale(double *x, int n) {
    if (threadIdx.x < n) x[threadIdx.x] *= 3;
}
template <typename T> __global__ void scale(T **x, int n) {
    if (threadIdx.x < n) (*x)[threadIdx.x] *= 5;
}
void scale(float *x, int n, int threads) { scale<<<1, threads>>>(x, n); }
namespace inner {
__global__ void step(int *p);
void step(int *p, int times) {
    for (int i = 0; i < times; i++) step<<<1, 1>>>(p);
}
__global__ void step(int *p) { ++*p; }
} // namespace inner
static __global__ void step(int *p, float by) { *p += (int)by; }

int main() {
    float *x, **xs, f[4] = {1, 2, 3, 4};
    double *y, d[4] = {1, 2, 3, 4};
    int *n, h = 0;
    cudaMalloc(&x, sizeof f), cudaMalloc(&y, sizeof d), cudaMalloc(&n, 4), cudaMalloc(&xs, sizeof x);
    cudaMemcpy(x, f, sizeof f, cudaMemcpyHostToDevice), cudaMemcpy(y, d, sizeof d, cudaMemcpyHostToDevice);
    cudaMemcpy(xs, &x, sizeof x, cudaMemcpyHostToDevice), cudaMemset(n, 0, 4);
    scale(x, 4, 32);
    scale<<<1, 32>>>(y, 3);
    scale<<<1, 32>>>(xs, 2);
    inner::step(n, 3);
    step<<<1, 1>>>(n, 10.5);
    void (*chosen)(double *, int) = scale;
    chosen<<<1, 32>>>(y, 1);
    cudaMemcpy(f, x, sizeof f, cudaMemcpyDeviceToHost), cudaMemcpy(d, y, sizeof d, cudaMemcpyDeviceToHost);
    cudaMemcpy(&h, n, 4, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g, %g %g %g %g, %d\n", f[0], f[1], f[2], f[3], d[0], d[1], d[2], d[3], h);
}
