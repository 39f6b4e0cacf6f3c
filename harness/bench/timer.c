#include "harness/bench/timer.h"

#include <math.h>
#include <stddef.h>

static double real_now(void *context) {
    (void)context;
    return wl_now();
}

static wl_status real_time(void *context, const wl_device *device, wl_timed timed, int cold, wl_timing *timing) {
    (void)context;
    if (device->backend == WL_GPU) return wl_gpu_time(device, timed, cold, timing);
    double begin = wl_now();
    wl_status status = timed.run(timed.argument);
    timing->seconds = wl_now() - begin;
    timing->clock = NAN;
    return status;
}

const wl_clockwork *wl_clockwork_real(void) {
    static const wl_clockwork clockwork = {NULL, real_now, real_time};
    return &clockwork;
}
