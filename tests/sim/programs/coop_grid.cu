// A cooperative launch: Jacobi sweeps with a barrier of the grid between them.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void sweeps(float *a, float *b, int n, int rounds) {
    cg::grid_group grid = cg::this_grid();
    for (int r = 0; r < rounds; r++) {
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) {
            float left = i > 0 ? a[i - 1] : 0, right = i < n - 1 ? a[i + 1] : 0;
            b[i] = 0.5f * (left + right);
        }
        grid.sync();
        float *t = a;
        a = b;
        b = t;
    }
}

int main() {
    int n = 600, rounds = 6, blocks = 0;
    float *a, *b;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    for (int i = 0; i < n; i++) a[i] = (float)(64 * (i % 10));
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sweeps, 64, 0);
    void *arguments[] = {&a, &b, &n, &rounds};
    cudaError_t error = cudaLaunchCooperativeKernel((void *)sweeps, dim3(5), dim3(64), arguments, 0, 0);
    printf("%s %d\n", cudaGetErrorName(error), blocks >= 5);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * (i + 1);
    printf("%.4f %g %g\n", sum, a[0], a[300]);
    cudaFree(a);
    cudaFree(b);
}
