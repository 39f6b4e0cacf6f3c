// Breadth-first search by levels, until a flag says that nothing changed.
#include <cstdio>

__global__ void level(const int *first, const int *next, int *distance, int depth, int n, bool *changed) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || atomicAdd(&distance[v], 0) != depth) return;
    for (int e = first[v]; e < first[v + 1]; e++)
        if (atomicCAS(&distance[next[e]], -1, depth + 1) == -1) *changed = true;
}

int main() {
    const int n = 200;
    int *first, *next, *distance;
    bool *changed;
    cudaMallocManaged(&first, (n + 1) * sizeof(int));
    cudaMallocManaged(&next, 3 * n * sizeof(int));
    cudaMallocManaged(&distance, n * sizeof(int));
    cudaMallocManaged(&changed, sizeof(bool));
    for (int v = 0; v < n; v++) {
        first[v] = 3 * v;
        next[3 * v] = (v + 1) % n, next[3 * v + 1] = v * 7 % n, next[3 * v + 2] = (v + 50) % n;
        distance[v] = v == 0 ? 0 : -1;
    }
    first[n] = 3 * n;
    int depth = 0;
    do {
        *changed = false;
        level<<<(n + 63) / 64, 64>>>(first, next, distance, depth++, n, changed);
        cudaDeviceSynchronize();
    } while (*changed);
    long sum = 0;
    for (int v = 0; v < n; v++) sum += distance[v];
    printf("%d levels, sum %ld, %s\n", depth, sum, cudaGetErrorName(cudaGetLastError()));
}
