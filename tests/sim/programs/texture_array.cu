// A 2-D array as a texture: points and linear filtering, unnormalised coordinates. The weights are whole parts of 256.
#include <cstdio>

__global__ void sample(cudaTextureObject_t t, const float2 *at, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex2D<float>(t, at[i].x, at[i].y);
}

int main() {
    const int width = 8, height = 4, n = 10;
    float texels[height][width];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) texels[y][x] = (float)(16 * x + 256 * y);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, width, height);
    cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], height, cudaMemcpyHostToDevice);
    float2 *at;
    float *out;
    cudaMallocManaged(&at, n * sizeof *at);
    cudaMallocManaged(&out, n * sizeof *out);
    const float2 points[n] = {{0.5f, 0.5f}, {3.5f, 2.5f}, {1, 1},         {4.25f, 1.75f}, {-3, 0.5f},
                              {9, 9},       {7.75f, 3},   {0.25f, 0.25f}, {2, 3.5f},      {5.0625f, 0.5f}};
    for (int i = 0; i < n; i++) at[i] = points[i];
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    for (int filter = 0; filter < 2; filter++)
        for (int border = 0; border < 2; border++) {
            cudaTextureDesc how = {};
            how.addressMode[0] = how.addressMode[1] = border ? cudaAddressModeBorder : cudaAddressModeClamp;
            how.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint;
            how.readMode = cudaReadModeElementType;
            cudaTextureObject_t texture;
            cudaCreateTextureObject(&texture, &resource, &how, nullptr);
            sample<<<1, 32>>>(texture, at, out, n);
            cudaDeviceSynchronize();
            for (int i = 0; i < n; i++) printf("%g ", out[i]);
            printf("\n");
            cudaDestroyTextureObject(texture);
        }
    cudaFreeArray(array);
    cudaFree(at);
    cudaFree(out);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
