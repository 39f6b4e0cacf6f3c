// Kernels that launch kernels: recursion, two in a row, a launch after all others, and a copy.
#include <cstdio>

__global__ void scale(int *a, int n, int factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= factor;
}

template <typename T> __global__ void sum_halves(const T *a, int n, T *sum) {
    if (n == 1) {
        if (threadIdx.x == 0) atomicAdd(sum, *a);
        return;
    }
    if (threadIdx.x < 2) {
        const int half = n / 2, begin = threadIdx.x * half;
        sum_halves<T><<<1, 32>>>(a + begin, threadIdx.x ? n - half : half, sum);
        if (cudaGetLastError() != cudaSuccess) printf("not launched\n");
    }
}

__global__ void parent(int *a, int n, int *order) {
    if (threadIdx.x == 0) {
        scale<<<1, 1, 0, cudaStreamTailLaunch>>>(order, 1, 10);
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        scale<<<(n + 31) / 32, 32, 0, stream>>>(a, n, 2);
        scale<<<(n + 31) / 32, 32, 0, stream>>>(a, n, 3);
        cudaMemcpyAsync(order, a + n - 1, sizeof *order, cudaMemcpyDeviceToDevice, stream);
        cudaStreamDestroy(stream);
    }
}

int main() {
    const int n = 50;
    int *a, *result;
    cudaMallocManaged(&a, n * sizeof *a);
    cudaMallocManaged(&result, 2 * sizeof *result);
    for (int i = 0; i < n; i++) a[i] = i;
    result[0] = result[1] = 0;
    parent<<<1, 32>>>(a, n, result);
    sum_halves<<<1, 32>>>(a, n, result + 1);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", a[1], a[49], result[0], result[1]);
    cudaFree(a);
    cudaFree(result);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
