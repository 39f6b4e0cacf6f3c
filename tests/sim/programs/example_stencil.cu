// A 2-D convolution with its mask in constant memory and a halo in shared memory.
#include <cstdio>

constexpr int R = 2, T = 16;
__constant__ int mask[(2 * R + 1) * (2 * R + 1)];
__global__ void convolve(const int *in, int *out, int width, int height) {
    __shared__ int tile[T + 2 * R][T + 2 * R];
    int x0 = blockIdx.x * T - R, y0 = blockIdx.y * T - R;
    for (int y = threadIdx.y; y < T + 2 * R; y += T)
        for (int x = threadIdx.x; x < T + 2 * R; x += T) {
            int gx = x0 + x, gy = y0 + y;
            tile[y][x] = gx >= 0 && gx < width && gy >= 0 && gy < height ? in[gy * width + gx] : 0;
        }
    __syncthreads();
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y, sum = 0;
    if (x >= width || y >= height) return;
    for (int i = 0; i <= 2 * R; i++)
        for (int j = 0; j <= 2 * R; j++) sum += mask[i * (2 * R + 1) + j] * tile[threadIdx.y + i][threadIdx.x + j];
    out[y * width + x] = sum;
}

int main() {
    const int width = 37, height = 29;
    int host[25], *in, *out, wrong = 0;
    for (int i = 0; i < 25; i++) host[i] = i % 4 - 1;
    cudaMemcpyToSymbol(mask, host, sizeof host);
    cudaMallocManaged(&in, width * height * sizeof(int));
    cudaMallocManaged(&out, width * height * sizeof(int));
    for (int i = 0; i < width * height; i++) in[i] = i * 31 % 17;
    convolve<<<dim3((width + T - 1) / T, (height + T - 1) / T), dim3(T, T)>>>(in, out, width, height);
    cudaDeviceSynchronize();
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int sum = 0;
            for (int i = -R; i <= R; i++)
                for (int j = -R; j <= R; j++)
                    if (x + j >= 0 && x + j < width && y + i >= 0 && y + i < height)
                        sum += host[(i + R) * 5 + j + R] * in[(y + i) * width + x + j];
            wrong += sum != out[y * width + x];
        }
    printf("wrong %d, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
}
