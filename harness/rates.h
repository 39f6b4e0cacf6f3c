/* What this machine can do at most, measured here: memory bandwidth and instruction rates. With a variant's wl_cost
   they give the time that no version of it can beat. */
#ifndef WL_RATES_H
#define WL_RATES_H

#include "harness/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NaN: not measured on this device. */
typedef struct {
    double bandwidth;            /* bytes a second, read plus written, of a large copy in the device's memory */
    double operations[WL_RATES]; /* lane-operations a second */
} wl_rates;

/* The rates of `device`, measured on the first call (about a second) and kept. All NaN when measuring failed, and for
   the simulated device. */
const wl_rates *wl_rates_of(const wl_device *device);

/* "int32", "popc", "dpx16", "min16x2", "half2", "mma_s8", "mma_b1", "wgmma_s8", "wgmma_b1", "fp32", "fp64", "mma_tf32", "mma_f64", "atomic", "scalar",
   "logic512", "saturated8", "addmin16"; "" for WL_RATE_NONE. */
const char *wl_rate_name(wl_rate rate);

/* Seconds below which nothing of this cost can get, and in `*limit` what sets it: "bandwidth" or a rate's name. NaN and
   "" when neither is known. */
double wl_limit_seconds(const wl_cost *cost, const wl_rates *rates, const char **limit);

/* The CPU's part; rates_cpu.c. */
void wl_cpu_rates(const wl_device *device, wl_rates *rates);

#ifdef __cplusplus
}
#endif
#endif
