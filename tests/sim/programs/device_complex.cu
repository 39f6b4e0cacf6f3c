// cuComplex, and vector types with operators as programs define them.
#include <cuComplex.h>
#include <cstdio>

__host__ __device__ inline float4 operator+(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__host__ __device__ inline float4 operator*(float s, float4 a) {
    return make_float4(s * a.x, s * a.y, s * a.z, s * a.w);
}
__host__ __device__ inline float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__host__ __device__ inline void operator+=(float3 &a, float3 b) { a.x += b.x, a.y += b.y, a.z += b.z; }

__global__ void mandelbrot(int *out, int width) {
    int i = threadIdx.x;
    cuFloatComplex c = make_cuFloatComplex(-2 + 3.0f * (i % width) / width, -1 + 2.0f * (i / width) / 8),
                   z = make_cuFloatComplex(0, 0);
    int n = 0;
    while (n < 50 && cuCabsf(z) < 2) z = cuCaddf(cuCmulf(z, z), c), n++;
    out[i] = n;
}
__global__ void vectors(float4 *v, float3 *sum, cuDoubleComplex *q) {
    v[0] = v[0] + 2 * v[1];
    v[1].x = dot(v[0], v[0]);
    float3 s = make_float3(1, 2, 3);
    s += make_float3(v[0].x, v[0].y, v[0].z);
    *sum = s;
    *q = cuCdiv(make_cuDoubleComplex(3, 4), cuConj(make_cuDoubleComplex(1, 2)));
}

int main() {
    int *out;
    float4 *v;
    float3 *sum;
    cuDoubleComplex *q;
    cudaMallocManaged(&out, 64 * sizeof *out);
    cudaMallocManaged(&v, 2 * sizeof *v);
    cudaMallocManaged(&sum, sizeof *sum);
    cudaMallocManaged(&q, sizeof *q);
    v[0] = make_float4(1, 2, 3, 4);
    v[1] = make_float4(0.5f, 1, 0, -1);
    mandelbrot<<<1, 64>>>(out, 8);
    vectors<<<1, 1>>>(v, sum, q);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 64; i++) printf("%d%c", out[i], i % 8 == 7 ? '\n' : ' ');
    printf("%g %g %g %g %g\n", v[1].x, sum->x, sum->z, q->x, q->y);
}
