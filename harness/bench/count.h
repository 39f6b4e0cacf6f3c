/* Counting: a variant run once on the simulated device, with what each of its kernels did to memory. */
#pragma once

#include "harness/bench/check.h"
#include "sim/sim.h"

/* One kernel of a variant; several launches of it are added up. */
typedef struct {
    wl_sim_launch launch; // of the first: grid, block, shared_bytes; counters of all
    size_t launches;
} wl_count_kernel;

typedef struct {
    const wl_variant *variant, *before; // and the stage before, if it is to be compared with
    wl_verdict verdict;
    wl_count_kernel *kernels; // [count], in the order of their first launch; none unless the check is ok
    size_t count;
    wl_sim_counters total;
    wl_sim_trace trace; // of what was wanted
} wl_count;

/* What is traced: see wl_sim_trace_begin. */
typedef struct {
    const unsigned *block;
    size_t most;
} wl_count_trace;

/* Run `variant`, one of backend sim, on the first input: what its launch function does is counted, not its preparations.
   `trace` (NULL: nothing) is recorded. WL_OK also where the check failed or the input is not supported: `verdict` says so.
   wl_count_free frees. */
wl_status wl_count_variant(wl_inputs *inputs, const wl_variant *variant, const wl_device *device,
                           const wl_count_trace *trace, wl_count *count);
void wl_count_free(wl_count *count);

/* The counters by name, in the order in which files have them. */
enum { WL_COUNTERS = 11 };
const char *wl_counter_name(size_t counter);
uint64_t wl_counter(const wl_sim_counters *counters, size_t counter);
void wl_counters_add(wl_sim_counters *sum, const wl_sim_counters *more);
