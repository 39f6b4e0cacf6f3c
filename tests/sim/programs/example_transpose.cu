// Transposition by tiles without bank conflicts, with 8-byte and 16-byte elements.
#include <cstdio>

template <typename T> __global__ void transpose(const T *in, T *out, int width, int height) {
    __shared__ T tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
template <typename T, typename F> static int check(F make) {
    const int width = 33, height = 20;
    T *in, *out;
    cudaMallocManaged(&in, width * height * sizeof(T));
    cudaMallocManaged(&out, width * height * sizeof(T));
    for (int i = 0; i < width * height; i++) in[i] = make(i);
    transpose<T><<<dim3(3, 2), dim3(16, 16)>>>(in, out, width, height);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) wrong += in[y * width + x].x != out[x * height + y].x;
    cudaFree(in);
    cudaFree(out);
    return wrong;
}

int main() {
    int a = check<int2>([](int i) { return make_int2(i, -i); });
    int b = check<float4>([](int i) { return make_float4(i, 1, 2, 3); });
    printf("wrong %d %d, %s\n", a, b, cudaGetErrorName(cudaGetLastError()));
}
