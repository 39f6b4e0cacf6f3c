/* Device memory of a stage: allocated, filled, taken back to the host and freed. Sizes are in bytes; 0 is a size like others. */
#pragma once

#include "harness/base/resident.h"
#include "harness/device/cuda_check.h"
#include "harness/device/transfer.h"

#define WL_POISON 0xA5 // what a result is filled with: an element that no kernel writes is seen

/* In the order of the thread's own stream: the tools have several threads per GPU, and none must wait for the others' kernels, as
   cudaMalloc and cudaFree do. The thread that allocates also frees. WL_NO_MACHINE and *to = NULL when there is not so much. */
template <typename T> static wl_status wl_cuda_allocate(T **to, size_t bytes) {
    const cudaError_t error = cudaMallocAsync((void **)to, bytes ? bytes : 1, 0);
    if (error == cudaSuccess) return WL_OK;
    *to = NULL;
    if (error != cudaErrorMemoryAllocation) return wl_cuda_check(error, "cudaMallocAsync", __FILE__, __LINE__);
    cudaGetLastError(); // else the next launch, of a smaller input, would be blamed for it
    return wl_fail(WL_NO_MACHINE, "%zu bytes of device memory are not to be had: %s", bytes, cudaGetErrorString(error));
}

static inline void wl_cuda_free(void *memory) { // or NULL
    if (memory != NULL) cudaFreeAsync(memory, 0);
}

/* Frees several. */
template <typename... T> static void wl_cuda_free_all(T *...memory) { (wl_cuda_free(memory), ...); }

/* New memory with a copy of host memory. */
template <typename T> static wl_status wl_cuda_copy(T **to, const void *from, size_t bytes) {
    const wl_status status = wl_cuda_allocate(to, bytes);
    return status == WL_OK && bytes > 0 ? wl_transfer(*to, from, bytes, cudaMemcpyHostToDevice) : status;
}

static inline void wl_cuda_forget(void *memory) { wl_cuda_free(memory); }

/* Under its lock: `kept` becomes a copy of host [bytes], which nobody uses yet. */
static inline wl_status wl_cuda_make_resident(wl_resident *kept, const void *host, size_t bytes) {
    char *memory = NULL;
    if (kept->memory != NULL) kept->release(kept->memory);
    kept->host = kept->memory = NULL;
    kept->release = wl_cuda_forget;
    wl_status status = wl_cuda_copy(&memory, host, bytes);
    /* The next to use it has another stream. */
    if (status == WL_OK) status = wl_cuda_check(cudaStreamSynchronize(0), "cudaStreamSynchronize", __FILE__, __LINE__);
    if (status != WL_OK) {
        wl_cuda_free(memory);
        return status;
    }
    kept->memory = memory;
    kept->host = host;
    kept->bytes = bytes;
    return WL_OK;
}

/* The device's copy of host [bytes], made now if `kept` is not yet one: to be left again by wl_cuda_leave, when the stream no longer uses
   it. *copy = NULL: it is a copy of something else that is in use. */
static inline wl_status wl_cuda_resident(wl_resident *kept, const void *host, size_t bytes, const void **copy) {
    wl_status status = WL_OK;
    *copy = NULL;
    wl_resident_lock(kept);
    const int is_it = kept->host == host && kept->bytes == bytes;
    if (!is_it && kept->users == 0) status = wl_cuda_make_resident(kept, host, bytes);
    if (status == WL_OK && kept->host == host && kept->bytes == bytes) {
        *copy = kept->memory;
        kept->users++;
    }
    wl_resident_unlock(kept);
    return status;
}

static inline void wl_cuda_leave(wl_resident *kept) { // or NULL
    if (kept == NULL) return;
    wl_resident_lock(kept);
    kept->users--;
    wl_resident_unlock(kept);
}

/* New memory with every byte set to `value`. */
template <typename T> static wl_status wl_cuda_filled(T **to, int value, size_t bytes) {
    const wl_status status = wl_cuda_allocate(to, bytes);
    if (status == WL_OK) WL_CUDA(cudaMemset(*to, value, bytes ? bytes : 1));
    return status;
}

/* New memory for a result, poisoned. The simulated device's memory is so from the start, and it knows what nobody has written. */
template <typename T> static wl_status wl_cuda_output(T **to, size_t bytes) {
#ifdef WL_SIMULATED
    return wl_cuda_allocate(to, bytes);
#else
    return wl_cuda_filled(to, WL_POISON, bytes);
#endif
}

/* A result back to the host; with `poison`, poison takes its place, and the next launch has to write all of it again. Else a launch
   that does nothing (a queue of tiles that nobody filled anew) would pass with its predecessor's result. */
static inline wl_status wl_cuda_take(void *host, void *result, size_t bytes, int poison) {
    if (bytes == 0) return WL_OK;
    WL_TRY(wl_transfer(host, result, bytes, cudaMemcpyDeviceToHost));
    if (poison) WL_CUDA(cudaMemset(result, WL_POISON, bytes));
    return WL_OK;
}
