#include "harness/bench/bounds.h"

#include <pthread.h>
#include <stdio.h>

#include "harness/base/timings.h"
#include "harness/gpu/gpu.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static wl_device first; // the others are alike, or their launches would take another time for the same
static wl_cost all;     // of all launches
static int runs, kinds_differ;

static void bound_kernels(const wl_rates *rates) {
    static char how[80];
    const char *limit;
    if (kinds_differ || !(wl_limit_seconds(&all, rates, &limit) > 0)) return;
    const int is_memory = all.rate == WL_RATE_NONE || limit != wl_rate_name(all.rate);
    snprintf(how, sizeof how, is_memory ? "copying in the device's memory" : "operations per second: %s", limit);
    wl_timings_add(WL_PHASE_KERNEL, 0, is_memory ? all.bytes : all.operations);
    wl_timings_bound(WL_PHASE_KERNEL, is_memory ? rates->bandwidth : rates->operations[all.rate], how);
}

/* No launch is under way any more. */
static void measure(void) {
    double to = 0, back = 0;
    if (runs == 0) return;
    bound_kernels(wl_rates_of(&first, all.rate));
    if (first.backend != WL_GPU || wl_gpu_copy_rates(first.ordinal, &to, &back) != WL_OK) return;
    wl_timings_bound(WL_PHASE_COPY, to, "copying pinned memory to the device");
    wl_timings_bound(WL_PHASE_COPY_BACK, back, "copying from the device to pinned memory");
}

void wl_bounds_note(const wl_variant *variant, const wl_device *device, const void *input) {
    wl_cost cost = {0};
    if (!wl_timings_wanted() || variant->cost == NULL) return;
    variant->cost(device, input, &cost);
    pthread_mutex_lock(&lock);
    if (runs++ == 0) {
        first = *device;
        all.rate = cost.rate;
        wl_timings_on_measure(measure);
    }
    kinds_differ |= all.rate != cost.rate;
    all.bytes += cost.bytes;
    all.operations += cost.operations;
    pthread_mutex_unlock(&lock);
}
