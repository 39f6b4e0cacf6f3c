/* Checked CUDA calls for kernel.cu files: no call and no launch goes unlooked at.
   For the simulated device the same macros read the simulator's own messages. */
#pragma once

#include <cuda_runtime.h>

#include "harness/base/error.h"

/* Leave the function with WL_NO_MACHINE (or WL_CHECK_FAILED for a kernel that went wrong) and one line that names
   the call, the file and the line. */
#define WL_CUDA(call) WL_TRY(wl_cuda_check((call), #call, __FILE__, __LINE__))

static inline wl_status wl_cuda_check(cudaError_t error, const char *call, const char *file, int line) {
    if (error == cudaSuccess) return WL_OK;
    wl_status code = error == cudaErrorMemoryAllocation || error == cudaErrorNoDevice ? WL_NO_MACHINE : WL_CHECK_FAILED;
    wl_fail(code, "%s:%d: %s: %s", file, line, call, cudaGetErrorString(error));
    cudaGetLastError(); // said once: else the next variant's first launch would be blamed for it
    return code;
}

/* After every launch: was the configuration accepted, and on the simulated device, did the kernel run clean? */
#define WL_LAUNCHED() WL_CUDA(cudaGetLastError())

/* A launch in a header, and its check: the tool that rewrites <<<...>>> for the simulated device reads kernel.cu only. `bytes`: of
   dynamic shared memory. */
#ifdef WL_SIMULATED
#define WL_KERNEL(kernel, grid, block, bytes, ...) wl_sim_launch(wl_sim_shape(grid, block, bytes), kernel, __VA_ARGS__)
#else
#define WL_KERNEL(kernel, grid, block, bytes, ...) kernel<<<grid, block, bytes>>>(__VA_ARGS__)
#endif
#define WL_LAUNCH(...)          \
    do {                        \
        WL_KERNEL(__VA_ARGS__); \
        WL_LAUNCHED();          \
    } while (0)
