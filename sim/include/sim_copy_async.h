/* Asynchronous copies from global to shared memory, as cooperative_groups/memcpy_async.h, cuda_pipeline.h and cuda/pipeline have them. */
#pragma once

#include "cuda_runtime.h"

WL_DEVICE_CODE

extern "C" {
void wl_sim_copy_async(void *to, const void *from, unsigned bytes, unsigned zeros); // the last bytes become zero
void wl_sim_copy_commit(void);
void wl_sim_copy_wait(unsigned groups);
// A barrier's phase also waits for this copy.
void wl_sim_copy_to_barrier(void *to, const void *from, unsigned long bytes, void *barrier);
}

/* Thread `rank` of `count` starts its share, in the largest pieces that the addresses allow. */
static inline void wl_copy_share(void *to, const void *from, size_t bytes, unsigned rank, unsigned count) {
    const uintptr_t all = (uintptr_t)to | (uintptr_t)from | bytes;
    const unsigned piece = all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1;
    for (size_t i = (size_t)rank * piece; i < bytes; i += (size_t)count * piece)
        wl_sim_copy_async((char *)to + i, (const char *)from + i, piece, 0);
}

namespace cuda {
/* A number of bytes that is a multiple of the alignment, as both addresses are. */
template <size_t Alignment> struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
    constexpr operator size_t() const { return value; }
};
} // namespace cuda

WL_DEVICE_CODE_END
