// A texture of linear memory: elements as they are, as normalised numbers, and zero outside.
#include <cstdio>

__global__ void fetch(cudaTextureObject_t plain, cudaTextureObject_t normalised, float4 *out) {
    out[0] = tex1Dfetch<float4>(normalised, (int)threadIdx.x);
    uchar4 v = tex1Dfetch<uchar4>(plain, 3);
    out[1] = make_float4(v.x, v.y, v.z, v.w);
    uchar4 w = tex1Dfetch<uchar4>(plain, 100);
    out[2] = make_float4(w.x, w.y, w.z, w.w);
    out[3] = tex1Dfetch<float4>(normalised, -1);
}

int main() {
    unsigned char host[32];
    for (int i = 0; i < 32; i++) host[i] = (unsigned char)(i * 8 + (i % 4 == 3 ? 7 : 0));
    host[0] = 255, host[1] = 0, host[2] = 51, host[3] = 102;
    uchar4 *device;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.linear.sizeInBytes = sizeof host;
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t plain, normalised;
    cudaCreateTextureObject(&plain, &resource, &how, nullptr);
    how.readMode = cudaReadModeNormalizedFloat;
    cudaCreateTextureObject(&normalised, &resource, &how, nullptr);
    float4 *out;
    cudaMallocManaged(&out, 4 * sizeof(float4));
    fetch<<<1, 1>>>(plain, normalised, out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 4; i++) printf("%.4f %.4f %.4f %.4f\n", out[i].x, out[i].y, out[i].z, out[i].w);
    cudaDestroyTextureObject(plain);
    cudaDestroyTextureObject(normalised);
    cudaFree(device);
    cudaFree(out);
}
