// Pinned memory that the kernel uses in place: allocated, and registered.
#include <cstdio>
#include <cstdlib>

__global__ void square(const int *from, int *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] * from[i];
}

int main() {
    const int n = 300;
    int *a, *device_a, *device_b;
    cudaHostAlloc(&a, n * sizeof *a, cudaHostAllocMapped);
    int *b = (int *)aligned_alloc(4096, 4096);
    cudaHostRegister(b, 4096, cudaHostRegisterMapped);
    for (int i = 0; i < n; i++) a[i] = i, b[i] = -1;
    b[300] = -1;
    cudaHostGetDevicePointer(&device_a, a, 0);
    cudaHostGetDevicePointer(&device_b, b, 0);
    square<<<3, 128>>>(device_a, device_b, n);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < n; i++) sum += b[i];
    printf("%ld %d\n", sum, b[300]);
    cudaHostUnregister(b);
    free(b);
    cudaFreeHost(a);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
