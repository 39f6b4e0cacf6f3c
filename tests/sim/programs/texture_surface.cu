// Surfaces: an image is written, mirrored through a second one, and read back.
#include <cstdio>

__global__ void draw(cudaSurfaceObject_t s, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) surf2Dwrite(make_uchar4(x, y, x + y, 255), s, x * 4, y);
}
__global__ void mirror(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x >= width || y >= height) return;
    uchar4 v;
    surf2Dread(&v, from, (width - 1 - x) * 4, y);
    uchar4 outside = surf2Dread<uchar4>(from, 4 * width + 40, y, cudaBoundaryModeZero);
    v.w = outside.w;
    surf2Dwrite(v, to, x * 4, y);
}

int main() {
    const int width = 9, height = 5;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t a, b;
    cudaMallocArray(&a, &format, width, height, cudaArraySurfaceLoadStore);
    cudaMallocArray(&b, &format, width, height, cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    cudaSurfaceObject_t sa, sb;
    resource.res.array.array = a;
    cudaCreateSurfaceObject(&sa, &resource);
    resource.res.array.array = b;
    cudaCreateSurfaceObject(&sb, &resource);
    draw<<<1, dim3(16, 8)>>>(sa, width, height);
    mirror<<<1, dim3(16, 8)>>>(sa, sb, width, height);
    uchar4 host[height][width];
    cudaMemcpy2DFromArray(host, sizeof host[0], b, 0, 0, sizeof host[0], height, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uchar4 v = host[y][x];
            int m = width - 1 - x;
            wrong += v.x != m || v.y != y || v.z != m + y || v.w != 0;
        }
    printf("wrong %d, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
    cudaDestroySurfaceObject(sa);
    cudaDestroySurfaceObject(sb);
    cudaFreeArray(a);
    cudaFreeArray(b);
}
