/* How many blocks of a kernel a streaming multiprocessor holds at a time, by the limits that CUDA publishes for each compute
   capability and by the rule of its occupancy calculator. */
#pragma once

#include <stddef.h>

#include "harness/base/linkage.h"

WL_C_BEGIN

typedef struct {
    const char *name; // "H200"
    int major, minor; // compute capability
    int multiprocessors;
} wl_gpu;

/* By name, in capital letters or not, or by compute capability: "9.0" or "sm_90", which is the first GPU of it. NULL: none. */
const wl_gpu *wl_gpu_named(const char *name);

typedef struct {
    int blocks;            // per multiprocessor; 0: the kernel cannot be launched
    int warps, most_warps; // those of the blocks, and those that there is room for
    const char *limit;     // what does not let more in: "registers", "shared memory", "warps", "blocks"
    int spare_registers;   // per thread: with up to so many, the number of blocks stays the same
} wl_occupancy;

/* `registers` per thread; 0: not known, and then they are no limit. `shared_bytes` per block, static and dynamic. */
wl_occupancy wl_occupancy_of(const wl_gpu *gpu, int threads, int registers, size_t shared_bytes);

WL_C_END
