// Device queries: what every device of compute capability 7 and later has in common.
#include <cstdio>

int main() {
    int count = 0, device = -1, value = 0, version = 0;
    printf("%d %d\n", cudaGetDeviceCount(&count) == cudaSuccess && count >= 1, cudaSetDevice(0) == cudaSuccess);
    cudaGetDevice(&device);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, device);
    printf("device %d, warp %d, threads %d, grid x %d, z %d\n", device, p.warpSize, p.maxThreadsPerBlock,
           p.maxGridSize[0], p.maxThreadsDim[2]);
    printf("shared %zu, constant %zu, major %d\n", p.sharedMemPerBlock, p.totalConstMem, p.major >= 7);
    printf("%d %d\n", p.name[0] != 0, p.multiProcessorCount > 0);
    cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, device);
    printf("attribute %d\n", value);
    cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device);
    printf("same count: %d\n", value == p.multiProcessorCount);
    size_t free_bytes = 0, total = 0;
    cudaMemGetInfo(&free_bytes, &total);
    printf("memory %d\n", free_bytes > 0 && free_bytes <= total);
    cudaRuntimeGetVersion(&version);
    printf("version %d\n", version >= 11000);
    size_t heap = 0;
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    printf("heap %d\n", heap >= (16u << 20));
}
