# lessons/05_shared with one mistake: its blocks take more shared memory than the smallest GPUs have that it supports.
s/^    GPUshared<<<grid, THREADS>>>/    enum { MUCH = 100 << 10 };\
    WL_CUDA(cudaFuncSetAttribute(GPUshared, cudaFuncAttributeMaxDynamicSharedMemorySize, MUCH));\
    GPUshared<<<grid, THREADS, MUCH>>>/
