/* Copies between the host's memory and a device's. */
#pragma once

#include "harness/device/cuda_check.h"

/* cudaMemcpy copies memory that is not pinned with one thread, through a pinned buffer of the driver's. A processor's thread copies a
   quarter of what PCIe carries, so several threads do it for large copies (harness/gpu/transfer.cu). In the order of the thread's own
   stream, and done on return. WL_PLAIN_TRANSFER: cudaMemcpy will do (beagle/, whose copies are small). */
#if defined(WL_SIMULATED) || defined(WL_PLAIN_TRANSFER)
static inline wl_status wl_transfer(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    WL_CUDA(cudaMemcpy(to, from, bytes, kind));
    return WL_OK;
}
#else
wl_status wl_transfer(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
#endif
