// __constant__ and __device__ variables: copied to and from, by offset, by address, and asked for their size.
#include <cstdio>

__constant__ float coefficients[4];
__device__ int table[8];
__device__ int counter = 3;

__global__ void evaluate(float x, float *y) {
    *y = ((coefficients[3] * x + coefficients[2]) * x + coefficients[1]) * x + coefficients[0];
    table[4] += counter++;
}

int main() {
    float c[4] = {1, 2, 3, 4}, y = 0, *device_y;
    int part[2] = {50, 60}, back[8] = {}, *address;
    cudaMalloc(&device_y, sizeof y);
    cudaMemcpyToSymbol(coefficients, c, sizeof c);
    cudaMemcpyToSymbol(table, part, sizeof part, 3 * sizeof(int));
    evaluate<<<1, 1>>>(2, device_y);
    cudaMemcpy(&y, device_y, sizeof y, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(back, table, sizeof back);
    printf("%g:", y);
    for (int v : back) printf(" %d", v);
    size_t bytes = 0;
    cudaGetSymbolSize(&bytes, coefficients);
    cudaGetSymbolAddress((void **)&address, counter);
    int value = 0;
    cudaMemcpy(&value, address, sizeof value, cudaMemcpyDeviceToHost);
    printf("\n%zu %d\n", bytes, value);
    printf("%s\n", cudaGetErrorName(cudaMemcpyToSymbol(table, back, sizeof back, 8)));
    cudaFree(device_y);
}
