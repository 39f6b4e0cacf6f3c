#include "harness/probes/rates.h"

#include <math.h>
#include <stddef.h>

const char *wl_rate_name(wl_rate rate) {
    static const char *const names[WL_RATES] = {
        "",     "int32", "popc",     "dpx16",   "min16x2", "half2",  "mma_s8",   "mma_b1",     "wgmma_s8", "wgmma_b1",
        "fp32", "fp64",  "mma_tf32", "mma_f64", "atomic",  "scalar", "logic512", "saturated8", "addmin16"};
    return rate < WL_RATES ? names[rate] : "";
}

#ifndef WL_HAVE_CUDA
wl_status wl_gpu_rates(const wl_device *device, wl_rates *rates) {
    (void)device, (void)rates;
    return wl_fail(WL_NO_MACHINE, "no GPU: built without CUDA");
}
#endif

static wl_rates unknown(void) {
    wl_rates rates = {.bandwidth = NAN};
    for (int i = 0; i < WL_RATES; i++) rates.operations[i] = NAN;
    return rates;
}

const wl_rates *wl_rates_of(const wl_device *device, wl_rate rate) {
    static wl_rates kept[WL_BACKENDS][WL_DEVICES_MOST];
    static char known[WL_BACKENDS][WL_DEVICES_MOST];
    int b = device->backend, i = device->ordinal;
    if (!known[b][i]) {
        kept[b][i] = unknown();
        if (b == WL_GPU && wl_gpu_rates(device, &kept[b][i]) != WL_OK) kept[b][i] = unknown();
        known[b][i] = 1;
    }
    if (b == WL_CPU) wl_cpu_rates(device, rate, &kept[b][i]);
    return &kept[b][i];
}

double wl_limit_seconds(const wl_cost *cost, const wl_rates *rates, const char **limit) {
    double memory = cost->bytes > 0 ? cost->bytes / rates->bandwidth : NAN;
    double work = cost->operations > 0 && cost->rate > WL_RATE_NONE && cost->rate < WL_RATES
                      ? cost->operations / rates->operations[cost->rate]
                      : NAN;
    if (isnan(memory) && isnan(work)) {
        *limit = "";
        return NAN;
    }
    if (isnan(work) || memory >= work) {
        *limit = "bandwidth";
        return memory;
    }
    *limit = wl_rate_name(cost->rate);
    return work;
}
