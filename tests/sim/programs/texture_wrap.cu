// Normalised coordinates with all address modes, on a 1-D array and on pitched memory.
#include <cstdio>

__global__ void line(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex1D<float>(t, ((int)threadIdx.x - 12) / 8.0f);
}
__global__ void plane(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex2D<float>(t, ((int)threadIdx.x - 8) / 8.0f + 0.0625f, 0.25f);
}

int main() {
    const float texels[8] = {10, 20, 30, 40, 50, 60, 70, 80};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 8);
    cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels, sizeof texels, 1, cudaMemcpyHostToDevice);
    float *out;
    cudaMallocManaged(&out, 32 * sizeof *out);
    const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                            cudaAddressModeBorder};
    for (int m = 0; m < 4; m++)
        for (int filter = 0; filter < 2; filter++) {
            cudaResourceDesc resource = {};
            resource.resType = cudaResourceTypeArray;
            resource.res.array.array = array;
            cudaTextureDesc how = {};
            how.addressMode[0] = modes[m];
            how.normalizedCoords = 1;
            how.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint;
            cudaTextureObject_t texture;
            cudaCreateTextureObject(&texture, &resource, &how, nullptr);
            line<<<1, 32>>>(texture, out);
            cudaDeviceSynchronize();
            for (int i = 0; i < 32; i++) printf("%g ", out[i]);
            printf("\n");
            cudaDestroyTextureObject(texture);
        }
    float *pitched;
    size_t pitch;
    cudaMallocPitch(&pitched, &pitch, sizeof texels, 2);
    cudaMemcpy2D(pitched, pitch, texels, sizeof texels, sizeof texels, 1, cudaMemcpyHostToDevice);
    cudaMemset2D((char *)pitched + pitch, pitch, 0, sizeof texels, 1);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pitched;
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = 8;
    resource.res.pitch2D.height = 2;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
    how.normalizedCoords = 1;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    plane<<<1, 24>>>(texture, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 24; i++) printf("%g ", out[i]);
    printf("\n%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFreeArray(array);
    cudaFree(pitched);
    cudaFree(out);
}
