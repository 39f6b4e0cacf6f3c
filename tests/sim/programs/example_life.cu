// The game of life: unsigned char cells, two buffers that change places, a grid of two dimensions.
#include <cstdio>
#include <cstring>

__global__ void generation(const unsigned char *now, unsigned char *next, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, around = 0;
    if (x >= width || y >= height) return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) around += now[(y + dy + height) % height * width + (x + dx + width) % width];
    next[y * width + x] = around == 3 || (around == 2 && now[y * width + x]);
}

int main() {
    const int width = 20, height = 12;
    unsigned char *now, *next, host[width * height];
    cudaMalloc(&now, sizeof host);
    cudaMalloc(&next, sizeof host);
    memset(host, 0, sizeof host);
    const int glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (auto &p : glider) host[p[1] * width + p[0]] = 1;
    cudaMemcpy(now, host, sizeof host, cudaMemcpyHostToDevice);
    for (int g = 0; g < 20; g++) {
        generation<<<dim3(2, 2), dim3(16, 8)>>>(now, next, width, height);
        unsigned char *t = now;
        now = next;
        next = t;
    }
    cudaMemcpy(host, now, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < width * height; i++)
        if (host[i]) printf("(%d,%d) ", i % width, i / width);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(now);
    cudaFree(next);
}
