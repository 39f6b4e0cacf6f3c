/* Built without CUDA: there is no GPU, and that is all there is to say. */
#ifndef WL_HAVE_CUDA
#include <stddef.h>

#include "harness/gpu/gpu.h"

static const char reason_none[] = "built without CUDA";

int wl_gpu_devices(const char **reason) {
    if (reason) *reason = reason_none;
    return 0;
}

static wl_status none(void) { return wl_fail(WL_NO_MACHINE, "no GPU: %s", reason_none); }

#pragma GCC diagnostic ignored "-Wunused-parameter"
wl_status wl_gpu_open(int ordinal, wl_device *device) { return none(); }
wl_status wl_gpu_use(int ordinal) { return none(); }
wl_status wl_gpu_sleep_in_waits(int ordinal) { return none(); }
wl_status wl_gpu_trim(int ordinal) { return none(); }
wl_status wl_gpu_copy_rates(int ordinal, double *to, double *back) { return none(); }
wl_status wl_gpu_time(const wl_device *device, wl_timed timed, int cold, wl_timing *timing) { return none(); }
int wl_gpu_energy(int ordinal, double *joules) { return 0; }
wl_status wl_gpu_empty_seconds(const wl_device *device, double *seconds) { return none(); }
wl_status wl_gpu_describe(int ordinal, wl_gpu_facts *facts) { return none(); }

#else
typedef int wl_gpu_none; // a translation unit must declare something
#endif
