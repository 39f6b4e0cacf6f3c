// A tiled matrix product with ragged edges, against the plain loop.
#include <cstdio>
#include <vector>

template <int T> __global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float sa[T][T], sb[T][T + 1];
    int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < k; t += T) {
        sa[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
        sb[threadIdx.y][threadIdx.x] = t + threadIdx.y < k && column < n ? b[(t + threadIdx.y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < T; i++) sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

int main() {
    const int m = 35, n = 50, k = 21;
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; i++) a[i] = (float)(i % 11 - 5);
    for (int i = 0; i < k * n; i++) b[i] = (float)(i % 7);
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * 4);
    cudaMalloc(&db, b.size() * 4);
    cudaMalloc(&dc, c.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
    product<16><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(da, db, dc, m, n, k);
    cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < k; l++) sum += a[i * k + l] * b[l * n + j];
            wrong += sum != c[i * n + j];
        }
    printf("wrong %d, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}
