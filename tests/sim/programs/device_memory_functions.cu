// memcpy and memset in kernels, loads and stores with cache hints, restrict and const pointers.
#include <cstdio>
#include <cstring>

__global__ void kernel(const int *__restrict__ in, int *__restrict__ out) {
    int buffer[8];
    memcpy(buffer, in + 8 * threadIdx.x, sizeof buffer);
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += buffer[i];
    sum += __ldg(in + threadIdx.x) + __ldcs(in + 1) + __ldcg(in + 2) + __ldca(in + 3);
    __stcs(out + threadIdx.x, sum);
    __stcg(out + 32 + threadIdx.x, -sum);
    memset(out + 64 + 2 * threadIdx.x, 1, 2 * sizeof(int));
    float4 v = __ldg((const float4 *)in);
    if (threadIdx.x == 0) out[128] = __float_as_int(v.y);
}

int main() {
    int *in, *out;
    cudaMallocManaged(&in, 256 * sizeof(int));
    cudaMallocManaged(&out, 129 * sizeof(int));
    for (int i = 0; i < 256; i++) in[i] = i;
    kernel<<<1, 32>>>(in, out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d %d %d %x %d\n", out[0], out[31], out[63], out[127], out[128]);
    cudaFree(in);
    cudaFree(out);
}
