// Event times: not negative, longer for more work, and refused where the event has none.
#include <cstdio>

__global__ void spin(int *a, int rounds) {
    int x = threadIdx.x;
    for (int i = 0; i < rounds; i++) x = x * 5 + a[threadIdx.x];
    a[threadIdx.x] = x;
}

int main() {
    int *a;
    cudaMalloc(&a, 128);
    cudaMemset(a, 0, 128);
    cudaEvent_t begin, middle, end, untimed;
    cudaEventCreate(&begin);
    cudaEventCreate(&middle);
    cudaEventCreate(&end);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    spin<<<1, 32>>>(a, 1);
    cudaEventRecord(begin);
    spin<<<1, 32>>>(a, 10);
    cudaEventRecord(middle);
    spin<<<1, 32>>>(a, 20000);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float first = -1, second = -1;
    printf("%s ", cudaGetErrorName(cudaEventElapsedTime(&first, begin, middle)));
    printf("%s ", cudaGetErrorName(cudaEventElapsedTime(&second, middle, end)));
    printf("%d\n", 0 <= first && first < second);
    cudaEventRecord(untimed);
    printf("%s\n", cudaGetErrorName(cudaEventElapsedTime(&first, begin, untimed)));
    cudaFree(a);
}
