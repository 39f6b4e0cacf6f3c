// Boxes of memory: cudaMalloc3D, cudaMemset3D, cudaMemcpy3D with positions.
#include <cstdio>
#include <vector>

__global__ void fill(cudaPitchedPtr box, cudaExtent e) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    char *plane = (char *)box.ptr + z * box.pitch * box.ysize;
    if (x * sizeof(int) < e.width && y < (int)e.height) ((int *)(plane + y * box.pitch))[x] = 100 * z + 10 * y + x;
}

int main() {
    const int nx = 7, ny = 5, nz = 3;
    cudaExtent e = make_cudaExtent(nx * sizeof(int), ny, nz);
    cudaPitchedPtr box;
    cudaMalloc3D(&box, e);
    cudaMemset3D(box, 0xff, e);
    fill<<<nz, dim3(8, 8)>>>(box, e);
    std::vector<int> all(nx * ny * nz, -7);
    cudaMemcpy3DParms p = {};
    p.srcPtr = box;
    p.dstPtr = make_cudaPitchedPtr(all.data(), nx * sizeof(int), nx, ny);
    p.extent = e;
    p.kind = cudaMemcpyDeviceToHost;
    printf("%s\n", cudaGetErrorName(cudaMemcpy3D(&p)));
    int wrong = 0;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) wrong += all[(z * ny + y) * nx + x] != 100 * z + 10 * y + x;
    printf("wrong %d\n", wrong);
    std::vector<int> part(2 * 2 * 2, -1); // x 3..4, y 1..2, z 1..2
    cudaMemcpy3DParms q = {};
    q.srcPtr = box;
    q.srcPos = make_cudaPos(3 * sizeof(int), 1, 1);
    q.dstPtr = make_cudaPitchedPtr(part.data(), 2 * sizeof(int), 2, 2);
    q.extent = make_cudaExtent(2 * sizeof(int), 2, 2);
    q.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&q);
    for (int v : part) printf("%d ", v);
    printf("\n");
    cudaFree(box.ptr);
}
