// A pipeline of pieces over two streams with pinned memory.
#include <cstdio>

__global__ void cube(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i] * in[i];
}

int main() {
    const int n = 4096, pieces = 8, piece = n / pieces;
    float *in, *out, *device_in[2], *device_out[2];
    cudaMallocHost((void **)&in, n * sizeof(float));
    cudaMallocHost((void **)&out, n * sizeof(float));
    cudaStream_t streams[2];
    for (int s = 0; s < 2; s++) {
        cudaStreamCreate(&streams[s]);
        cudaMalloc(&device_in[s], piece * sizeof(float));
        cudaMalloc(&device_out[s], piece * sizeof(float));
    }
    for (int i = 0; i < n; i++) in[i] = (float)(i % 50);
    for (int p = 0; p < pieces; p++) {
        int s = p % 2;
        cudaMemcpyAsync(device_in[s], in + p * piece, piece * sizeof(float), cudaMemcpyHostToDevice, streams[s]);
        cube<<<piece / 128, 128, 0, streams[s]>>>(device_in[s], device_out[s], piece);
        cudaMemcpyAsync(out + p * piece, device_out[s], piece * sizeof(float), cudaMemcpyDeviceToHost, streams[s]);
    }
    for (int s = 0; s < 2; s++) cudaStreamSynchronize(streams[s]);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += out[i];
    printf("%.0f %s\n", sum, cudaGetErrorName(cudaGetLastError()));
    for (int s = 0; s < 2; s++) cudaFree(device_in[s]), cudaFree(device_out[s]);
    cudaFreeHost(in);
    cudaFreeHost(out);
}
