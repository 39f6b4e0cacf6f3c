// Half precision and bfloat16: arithmetic, comparisons, conversions and pairs.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void compute(const float *in, float *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    __half a = __float2half(in[i]), b = __float2half(0.75f);
    out[i] = __half2float(__hadd(a, b)) + __half2float(__hmul(a, b)) * 2;
    out[i + n] = __half2float(__hfma(a, b, a)) + (__hgt(a, b) ? 1000 : 0);
    __half2 pair = __floats2half2_rn(in[i], -in[i]);
    pair = __hadd2(__hmul2(pair, pair), __float2half2_rn(1));
    out[i + 2 * n] = __low2float(pair) - __high2float(pair);
    __nv_bfloat16 c = __float2bfloat16(in[i] * 1.01f);
    out[i + 3 * n] = __bfloat162float(c) + __bfloat162float(__hmul(c, c));
    a += b;
    out[i + 4 * n] = (float)(a / b) + __half2float(hsqrt(__habs(a)));
}

int main() {
    const int n = 8;
    const float values[n] = {0, 1, -2.5f, 3.125f, 100, -0.001f, 6.5f, 150};
    float *in, *out;
    cudaMallocManaged(&in, sizeof values);
    cudaMallocManaged(&out, 5 * sizeof values);
    for (int i = 0; i < n; i++) in[i] = values[i];
    compute<<<1, 32>>>(in, out, n);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 5 * n; i++) printf("%g%c", out[i], i % n == n - 1 ? '\n' : ' ');
}
