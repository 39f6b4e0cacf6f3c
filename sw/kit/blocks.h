/* The number of blocks of a launch, if each takes one piece of work after another. */
#pragma once

#include "harness/stage.h"

/* As many blocks as the device can run at once. They stay until all work is done. */
template <typename KERNEL>
static inline wl_status sw_resident_blocks(size_t multiprocessors, KERNEL kernel, int threads, size_t shared,
                                           size_t *blocks) {
    int each = 1;
    WL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    WL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared));
    *blocks = (size_t)each * multiprocessors;
    return WL_OK;
}
