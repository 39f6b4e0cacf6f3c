/* Checked CUDA calls for kernel.cu files: no call and no launch goes unlooked at.
   For the simulated device the same macros read the simulator's own messages. */
#ifndef WL_CUDA_CHECK_H
#define WL_CUDA_CHECK_H

#include <cuda_runtime.h>

#include "harness/base/device.h"
#include "harness/base/error.h"

/* Leave the function with WL_NO_MACHINE (or WL_CHECK_FAILED for a kernel that went wrong) and one line that names
   the call, the file and the line. */
#define WL_CUDA(call)                                                                \
    do {                                                                             \
        wl_status wl_cuda_status = wl_cuda_check((call), #call, __FILE__, __LINE__); \
        if (wl_cuda_status != WL_OK) return wl_cuda_status;                          \
    } while (0)

static inline wl_status wl_cuda_check(cudaError_t error, const char *call, const char *file, int line) {
    if (error == cudaSuccess) return WL_OK;
    wl_status code = error == cudaErrorMemoryAllocation || error == cudaErrorNoDevice ? WL_NO_MACHINE : WL_CHECK_FAILED;
    wl_fail(code, "%s:%d: %s: %s", file, line, call, cudaGetErrorString(error));
    cudaGetLastError(); /* said once: else the next variant's first launch would be blamed for it */
    return code;
}

/* After every launch: was the configuration accepted, and on the simulated device, did the kernel run clean? */
#define WL_LAUNCHED() WL_CUDA(cudaGetLastError())

/* Device memory for a result, filled with a poison pattern so that an element no kernel writes is seen. */
#define WL_POISON 0xA5
static inline cudaError_t wl_cuda_output(void **pointer, size_t bytes) {
    cudaError_t error = cudaMalloc(pointer, bytes ? bytes : 1);
    return error == cudaSuccess ? cudaMemset(*pointer, WL_POISON, bytes ? bytes : 1) : error;
}

/* A result back to the host and, where it is checked, poison in its place: the next launch has to write all of it again. Else one
   that does nothing (a queue of tiles that nobody filled anew) would be timed, and its predecessor's result be taken for its own. */
static inline cudaError_t wl_cuda_take(void *host, void *result, size_t bytes) {
    cudaError_t error = cudaMemcpy(host, result, bytes, cudaMemcpyDeviceToHost);
    return error == cudaSuccess && wl_takes_results ? cudaMemset(result, WL_POISON, bytes) : error;
}

#endif
