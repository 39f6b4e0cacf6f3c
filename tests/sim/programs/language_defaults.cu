// Default arguments of kernels, parameters without a name, and macros among the arguments of a template's launch.
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
enum { WIDTH = 4 };
__global__ void fill(int *p, int n = WIDTH, const int step = sizeof(int) / 2);
__global__ void fill(int *p, int n, const int step) {
    for (int i = 0; i < n; i++) p[i] = i * step;
}
template <typename T, int N = 2> __global__ void put(T *p, T value, const T *, unsigned, float (*)[4] = nullptr) {
    for (int i = 0; i < N; i++) p[i] = value;
}
template <bool A, bool B> __global__ void both(const float *p, int *q, long value = LONG_MAX) {
    *q = (p ? 10 : 0) + A + 2 * B + (value < 0);
}
template <class T> __global__ void real(T *p, float a) { p[threadIdx.x] = a; }
template <typename... P> __global__ void many(int *sum, P... values) { *sum = (0 + ... + (int)values); }

int main() {
    int *p, h[4];
    float *x, f[2];
    cudaMalloc(&p, sizeof h), cudaMalloc(&x, sizeof f);
    const auto show = [&] {
        cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
        printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    };
    fill<<<1, 1>>>(p), show();
    fill<<<1, 1>>>(p, 3, 5), show();
    put<int><<<1, 1>>>(p, INT_MAX, NULL, 0), show();
    put<int, 3><<<1, 1, 0, NULL>>>(p, -1, nullptr, 0, NULL), show();
    both<true, false><<<1, 1>>>(NULL, p), show();
    many<<<1, 1>>>(p, 1, 2.5, 'a'), show();
    real<<<1, 1>>>(x, FLT_MAX), real<<<1, 2>>>(x, INFINITY), real<float><<<1, 1>>>(x, M_PI);
    cudaMemcpy(f, x, sizeof f, cudaMemcpyDeviceToHost);
    printf("%.3f %g\n", f[0], f[1]);
}
