// cuda_pipeline.h: each thread copies ahead of itself, two stages.
#include <cuda_pipeline.h>
#include <cstdio>

__global__ void sums(const float4 *in, float *out, int steps) {
    __shared__ float4 stage[2][64];
    const int i = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&stage[0][i], &in[i], sizeof(float4));
    __pipeline_commit();
    for (int s = 0; s < steps; s++) {
        if (s + 1 < steps) __pipeline_memcpy_async(&stage[(s + 1) % 2][i], &in[(s + 1) * 64 + i], sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        float4 v = stage[s % 2][i];
        sum += v.x + v.y * 2 + v.z * 3 + v.w * 4;
    }
    out[i] = sum;
}

int main() {
    const int steps = 5;
    float4 *in;
    float *out;
    cudaMallocManaged(&in, steps * 64 * sizeof(float4));
    cudaMallocManaged(&out, 64 * sizeof(float));
    for (int i = 0; i < steps * 64; i++) in[i] = make_float4(i, 1, 2, i % 4);
    sums<<<1, 64>>>(in, out, steps);
    cudaDeviceSynchronize();
    printf("%g %g %s\n", out[0], out[63], cudaGetErrorName(cudaGetLastError()));
    cudaFree(in);
    cudaFree(out);
}
