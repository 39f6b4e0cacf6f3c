// A sparse matrix (CSR) times a vector, a warp for each row.
#include <cstdio>
#include <vector>

__global__ void spmv(const int *rows, const int *columns, const float *values, const float *x, float *y, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    float sum = 0;
    for (int i = rows[row] + lane; i < rows[row + 1]; i += 32) sum += values[i] * x[columns[i]];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
template <typename T> static T *device(const std::vector<T> &v) {
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main() {
    const int n = 70;
    std::vector<int> rows(1), columns;
    std::vector<float> values, x(n), y(n);
    for (int r = 0; r < n; r++) {
        for (int c = r % 3; c < n; c += 1 + r % 5) columns.push_back(c), values.push_back((float)((r + c) % 9));
        rows.push_back((int)columns.size());
        x[r] = (float)(r % 4);
    }
    float *dy;
    cudaMalloc(&dy, n * sizeof(float));
    spmv<<<(n + 3) / 4, 128>>>(device(rows), device(columns), device(values), device(x), dy, n);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int r = 0; r < n; r++) {
        float sum = 0;
        for (int i = rows[r]; i < rows[r + 1]; i++) sum += values[i] * x[columns[i]];
        wrong += sum != y[r];
    }
    printf("wrong %d, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
}
