// A 3-D array and a layered one.
#include <cstdio>

__global__ void volume(cudaTextureObject_t t, float *out) {
    int i = threadIdx.x;
    out[i] = tex3D<float>(t, 0.5f + i * 0.25f, 1.0f, 1.0f);
}
__global__ void layers(cudaTextureObject_t t, int *out) {
    int i = threadIdx.x;
    out[i] = tex2DLayered<int>(t, i % 4 + 0.5f, 1.5f, i / 4);
}

static void copy(cudaArray_t to, void *from, size_t width, size_t height, size_t depth) {
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(from, width * 4, width, height);
    p.dstArray = to;
    p.extent = make_cudaExtent(width, height, depth);
    p.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&p);
}

int main() {
    float box[2][2][4];
    int stack[3][2][4];
    for (int i = 0; i < 16; i++) (&box[0][0][0])[i] = (float)(i * 64);
    for (int i = 0; i < 24; i++) (&stack[0][0][0])[i] = i;
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(), ints = cudaCreateChannelDesc<int>();
    cudaArray_t a, b;
    cudaMalloc3DArray(&a, &floats, make_cudaExtent(4, 2, 2));
    cudaMalloc3DArray(&b, &ints, make_cudaExtent(4, 2, 3), cudaArrayLayered);
    copy(a, box, 4, 2, 2);
    copy(b, stack, 4, 2, 3);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = a;
    cudaTextureDesc how = {};
    for (int i = 0; i < 3; i++) how.addressMode[i] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t ta, tb;
    cudaCreateTextureObject(&ta, &resource, &how, nullptr);
    resource.res.array.array = b;
    how.filterMode = cudaFilterModePoint;
    cudaCreateTextureObject(&tb, &resource, &how, nullptr);
    float *out;
    int *whole;
    cudaMallocManaged(&out, 16 * sizeof *out);
    cudaMallocManaged(&whole, 12 * sizeof *whole);
    volume<<<1, 16>>>(ta, out);
    layers<<<1, 12>>>(tb, whole);
    cudaDeviceSynchronize();
    for (int i = 0; i < 16; i++) printf("%g ", out[i]);
    printf("\n");
    for (int i = 0; i < 12; i++) printf("%d ", whole[i]);
    printf("\n%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaDestroyTextureObject(ta);
    cudaDestroyTextureObject(tb);
    cudaFreeArray(a);
    cudaFreeArray(b);
    cudaFree(out);
    cudaFree(whole);
}
