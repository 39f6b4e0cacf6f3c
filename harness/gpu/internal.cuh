/* Shared by this folder's files. */
#pragma once

#include "harness/device/cuda_check.h"
#include "harness/gpu/gpu.h"

/* The step of the global timer, measured; device.cu. */
wl_status wl_gpu_tick(int ordinal, double *nanoseconds);

/* The nanosecond timer all multiprocessors share. Its step is coarser than a nanosecond: 32 ns to 1 us. */
static __device__ inline unsigned long long wl_global_timer(void) {
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}
