/* The simulated device's stand-in for the toolkit's <cuda_pipeline.h>: asynchronous copies of one thread. */
#pragma once

#include "sim_copy_async.h"

WL_DEVICE_CODE

static inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
    wl_sim_copy_async(to, from, (unsigned)bytes, (unsigned)zeros);
}
static inline void __pipeline_commit() { wl_sim_copy_commit(); }
static inline void __pipeline_wait_prior(size_t groups) { wl_sim_copy_wait((unsigned)groups); }

WL_DEVICE_CODE_END
