// Bodies that attract each other, by tiles; float4 positions and launch bounds.
#include <cmath>
#include <cstdio>

__global__ void __launch_bounds__(64) forces(const float4 *bodies, float3 *force, int n) {
    __shared__ float4 tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 f = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += 64) {
        tile[threadIdx.x] = t + threadIdx.x < n ? bodies[t + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < 64; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = tile[j].w * r * r * r;
            f.x += dx * s, f.y += dy * s, f.z += dz * s;
        }
        __syncthreads();
    }
    if (i < n) force[i] = f;
}

int main() {
    const int n = 150;
    float4 *bodies;
    float3 *force;
    cudaMallocManaged(&bodies, n * sizeof *bodies);
    cudaMallocManaged(&force, n * sizeof *force);
    for (int i = 0; i < n; i++) bodies[i] = make_float4((float)(i % 5), (float)(i % 7), (float)(i % 11), 1 + i % 3);
    forces<<<(n + 63) / 64, 64>>>(bodies, force, n);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        double x = 0;
        for (int j = 0; j < n; j++) {
            double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
            x += dx * bodies[j].w / std::pow(dx * dx + dy * dy + dz * dz + 0.01, 1.5);
        }
        wrong += std::fabs(x - force[i].x) > 1e-3 * (1 + std::fabs(x));
    }
    printf("wrong %d, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
}
