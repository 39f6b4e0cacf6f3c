// Copies and fills that are given a variable's name.
#include <cstdio>
__constant__ int table[4];
__device__ int sum, other;
__global__ void k() { sum = table[0] + table[3] + other; }
int main() {
    int h[4] = {1, 2, 3, 4}, r = 0;
    void *address;
    cudaMemcpy(table, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(table, h, sizeof h, cudaMemcpyDefault);
    cudaMemset(&sum, 0, 4);
    k<<<1, 1>>>();
    cudaMemcpy(&r, &sum, sizeof r, cudaMemcpyDeviceToHost);
    cudaGetSymbolAddress(&address, other);
    cudaMemset(address, 0, 4); // so it is right
    printf("%d\n", r);
}
