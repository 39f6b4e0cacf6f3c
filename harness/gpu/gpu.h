/* The GPU side of the harness, as C sees it. Defined in this folder's .cu files where there is a CUDA toolkit, in
   harness/gpu/none.c elsewhere: then there are no GPUs and everything else answers WL_NO_MACHINE. */
#pragma once

#include "harness/base/linkage.h"
#include "harness/base/device.h"
#include "harness/base/error.h"

WL_C_BEGIN

/* Something to time: run(argument). */
typedef struct {
    wl_status (*run)(void *argument);
    void *argument;
} wl_timed;

/* What one timed execution gave. */
typedef struct {
    double seconds;
    double clock; // SM clock during the sample over its nominal rate; NaN where it cannot be told (CPU)
} wl_timing;

enum { WL_GPUS_MOST = 16 };

/* How many GPUs, of which WL_GPUS_MOST are used; with none, `*reason` (may be NULL) receives why, in words. Never fails. */
int wl_gpu_devices(const char **reason);

/* What a context and this program's kernels take of a GPU's memory before the first allocation. */
enum { WL_GPU_START_MB = 600 };

/* Describe GPU `ordinal` and start work on it (its context exists afterwards). WL_NO_MACHINE says in one line why that cannot be:
   memory that others hold (how much is free, how much is needed), exclusive mode, a broken device, no kernels for it. */
wl_status wl_gpu_open(int ordinal, wl_device *device);
/* Launch an empty kernel on the current GPU and wait for it: the CUDA error, 0 for none. */
int wl_gpu_try_kernel(void);
/* Make it the calling thread's current one. */
wl_status wl_gpu_use(int ordinal);
/* See wl_device_sleep_in_waits. */
wl_status wl_gpu_sleep_in_waits(int ordinal);
/* See wl_device_trim. */
wl_status wl_gpu_trim(int ordinal);

/* Bytes per second of copies between pinned memory and the device, each way alone: measured, in some hundredths of a second. */
wl_status wl_gpu_copy_rates(int ordinal, double *to, double *back);

/* Time one execution by events; see wl_clockwork. */
wl_status wl_gpu_time(const wl_device *device, wl_timed timed, int cold, wl_timing *timing);

/* See wl_nvml_energy. */
int wl_gpu_energy(int ordinal, double *joules);

/* Seconds between the events around an empty kernel: what part of a short kernel's time is not the kernel. */
wl_status wl_gpu_empty_seconds(const wl_device *device, double *seconds);

/* Facts for result headers and `warpladder machine`. */
typedef struct {
    char driver[32], runtime[32];       // "13.0": the CUDA version the driver supports; the runtime's own
    char driver_release[32];            // "580.159.04"; "" when it cannot be told
    double clock_mhz, memory_clock_mhz; // nominal
    size_t memory, l2;                  // bytes
    double clock_tick_ns;               // step of the timer the clock probe uses; NaN: the SM clock cannot be measured
} wl_gpu_facts;
wl_status wl_gpu_describe(int ordinal, wl_gpu_facts *facts);

WL_C_END
