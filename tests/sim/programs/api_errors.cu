// Error codes: their names, and that one stays until cudaGetLastError takes it.
#include <cstdio>

__global__ void nothing() {}

int main() {
    printf("%s %s\n", cudaGetErrorName(cudaSuccess), cudaGetErrorString(cudaSuccess));
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    nothing<<<1, 2048>>>(); // too many threads
    printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    printf("%s\n", cudaGetErrorName(cudaSetDevice(1000)));
    cudaGetLastError();
    void *p = nullptr;
    cudaError_t error = cudaMalloc(&p, (size_t)1 << 60);
    printf("%s %d\n", cudaGetErrorName(error), p == nullptr);
    cudaGetLastError();
    printf("%s\n",
           cudaGetErrorName(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30)));
    cudaGetLastError();
    nothing<<<1, 32>>>();
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
