// CUB's primitives of the device: each asked for its temporary memory first.
#include <cstdio>
#include <cub/cub.cuh>

struct Odd {
    __host__ __device__ bool operator()(int v) const { return v % 2 != 0; }
};
template <typename F> static void twice(F call) {
    void *temporary = nullptr;
    size_t bytes = 0;
    call(temporary, bytes);
    cudaMalloc(&temporary, bytes);
    call(temporary, bytes);
    cudaFree(temporary);
}

int main() {
    const int n = 500;
    int *in, *out, *values, *moved, *count;
    float *keys, *sorted;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMallocManaged(&values, n * sizeof(int));
    cudaMallocManaged(&moved, n * sizeof(int));
    cudaMallocManaged(&count, 16 * sizeof(int));
    cudaMallocManaged(&keys, n * sizeof(float));
    cudaMallocManaged(&sorted, n * sizeof(float));
    for (int i = 0; i < n; i++) in[i] = i * 37 % 101, keys[i] = (i * 53 % 211) - 100.5f, values[i] = i;
    twice([&](void *t, size_t &b) { cub::DeviceReduce::Sum(t, b, in, count, n); });
    twice([&](void *t, size_t &b) { cub::DeviceReduce::Max(t, b, in, count + 1, n); });
    twice([&](void *t, size_t &b) { cub::DeviceScan::ExclusiveSum(t, b, in, out, n); });
    cudaDeviceSynchronize();
    printf("%d %d %d\n", count[0], count[1], out[n - 1]);
    twice([&](void *t, size_t &b) { cub::DeviceScan::InclusiveSum(t, b, in, out, n); });
    twice([&](void *t, size_t &b) { cub::DeviceRadixSort::SortPairs(t, b, keys, sorted, values, moved, n); });
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += keys[moved[i]] != sorted[i] || (i > 0 && sorted[i - 1] > sorted[i]);
    printf("%d, wrong %d, %g %g\n", out[n - 1], wrong, sorted[0], sorted[n - 1]);
    twice([&](void *t, size_t &b) { cub::DeviceRadixSort::SortKeysDescending(t, b, in, out, n); });
    twice([&](void *t, size_t &b) { cub::DeviceSelect::If(t, b, out, moved, count, n, Odd()); });
    cudaDeviceSynchronize();
    printf("%d %d, kept %d: %d %d\n", out[0], out[n - 1], count[0], moved[0], moved[count[0] - 1]);
    twice([&](void *t, size_t &b) { cub::DeviceRunLengthEncode::Encode(t, b, out, values, moved, count, n); });
    cudaDeviceSynchronize();
    printf("%d runs, %d times %d\n", count[0], moved[0], values[0]);
    twice([&](void *t, size_t &b) { cub::DeviceHistogram::HistogramEven(t, b, in, count, 11, 0, 100, n); });
    cudaDeviceSynchronize();
    for (int i = 0; i < 10; i++) printf("%d ", count[i]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
