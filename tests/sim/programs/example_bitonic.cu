// Bitonic sort of one block in shared memory, and of more by steps in global memory.
#include <cstdio>

__global__ void block_sort(int *data, int n) {
    __shared__ int s[256];
    int i = threadIdx.x;
    s[i] = data[blockIdx.x * 256 + i];
    for (int size = 2; size <= 256; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            int other = i ^ step;
            if (other > i) {
                bool up = ((blockIdx.x * 256 + i) & size) == 0;
                if ((s[i] > s[other]) == up) {
                    int t = s[i];
                    s[i] = s[other];
                    s[other] = t;
                }
            }
        }
    __syncthreads();
    data[blockIdx.x * 256 + i] = s[i];
}
__global__ void global_step(int *data, int size, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ step;
    if (other > i && ((data[i] > data[other]) == ((i & size) == 0))) {
        int t = data[i];
        data[i] = data[other];
        data[other] = t;
    }
}

int main() {
    const int n = 1024;
    int *data;
    cudaMallocManaged(&data, n * sizeof(int));
    for (int i = 0; i < n; i++) data[i] = (i * 7919 + 31) % 10007;
    block_sort<<<n / 256, 256>>>(data, n);
    for (int size = 512; size <= n; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) global_step<<<n / 256, 256>>>(data, size, step);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 1; i < n; i++) wrong += data[i - 1] > data[i];
    printf("wrong %d, %d %d %s\n", wrong, data[0], data[n - 1], cudaGetErrorName(cudaGetLastError()));
}
