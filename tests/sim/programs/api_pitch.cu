// Pitched memory: rows of 2-D copies and fills.
#include <cstdio>
#include <vector>

__global__ void transpose(const float *in, size_t in_pitch, float *out, size_t out_pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float *row = (const float *)((const char *)in + y * in_pitch);
    ((float *)((char *)out + x * out_pitch))[y] = row[x];
}

int main() {
    const int width = 45, height = 30;
    float *in, *out;
    size_t in_pitch, out_pitch;
    cudaMallocPitch(&in, &in_pitch, width * sizeof(float), height);
    cudaMallocPitch((void **)&out, &out_pitch, height * sizeof(float), width);
    std::vector<float> host(width * height), back(width * height);
    for (int i = 0; i < width * height; i++) host[i] = (float)i;
    cudaMemset2D(out, out_pitch, 0, height * sizeof(float), width);
    cudaMemcpy2D(in, in_pitch, host.data(), width * sizeof(float), width * sizeof(float), height,
                 cudaMemcpyHostToDevice);
    dim3 blockDim(16, 16), gridDim((width + 15) / 16, (height + 15) / 16); // as programs call them
    transpose<<<gridDim, blockDim>>>(in, in_pitch, out, out_pitch, width, height);
    cudaMemcpy2D(back.data(), height * sizeof(float), out, out_pitch, height * sizeof(float), width,
                 cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) wrong += back[x * height + y] != host[y * width + x];
    printf("pitch %d, wrong %d\n", in_pitch >= width * sizeof(float) && in_pitch % 256 == 0, wrong);
    printf("%s\n", cudaGetErrorName(cudaMemcpy2D(back.data(), 4, out, out_pitch, 8, 2, cudaMemcpyDeviceToHost)));
    cudaFree(in);
    cudaFree(out);
}
