// The 8-bit floating-point formats.
#include <cstdio>
#include <cuda_fp8.h>

__global__ void convert(const float *in, float *out, unsigned char *bits, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    __nv_fp8_e4m3 a(in[i]);
    __nv_fp8_e5m2 b(in[i]);
    out[i] = float(a);
    out[i + n] = float(b);
    bits[i] = a.__x;
    bits[i + n] = b.__x;
}

int main() {
    const int n = 12;
    const float values[n] = {0, 1, -1.0625f, 1.1f, 447, 500, -60000, 0.001f, 0.002f, 0.01f, 3.3f, 1e-9f};
    float *in, *out;
    unsigned char *bits;
    cudaMallocManaged(&in, sizeof values);
    cudaMallocManaged(&out, 2 * sizeof values);
    cudaMallocManaged(&bits, 2 * n);
    for (int i = 0; i < n; i++) in[i] = values[i];
    convert<<<1, 32>>>(in, out, bits, n);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 2 * n; i++) printf("%g/%02x%c", out[i], bits[i], i % n == n - 1 ? '\n' : ' ');
}
