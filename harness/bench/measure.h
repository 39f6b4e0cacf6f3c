/* Measuring: variants checked, then timed side by side, round by round. docs/measuring.md gives the rules' reasons. */
#pragma once

#include "harness/bench/check.h"
#include "harness/bench/measurements.h"

/* What to measure. */
typedef struct {
    const wl_problem *problem;
    const wl_arguments *arguments;
    uint64_t seed;
    const char *pattern; /* "lessons", "lessons/03*": see wl_variant_matches; NULL: every variant. The CPU
                                      variants run beside whatever matches, as baselines */
    const wl_device_list *devices;
    wl_measure_options options;
    size_t only; // data set number `only`, from 1; 0: all of them
} wl_measure_request;

/* Check and time. WL_OK also when single variants fail their check or are unsupported: their rows say so, and
   wl_measurements_status tells. Anything else: there are no measurements and nothing to free. */
wl_status wl_measure(const wl_measure_request *request, wl_measurements *measurements);

/* The same where data sets may be of different sizes (wl_problem.unequal_inputs): each then has measurements of its own, in the
   order of the data sets, whose device fields point into request->devices. `only` of the request must be 0. */
wl_status wl_measure_all(const wl_measure_request *request, wl_measurements *measurements);

/* Work of wl_register_own_run: if an option of the problem asks for something else than one run of each variant, `run` leaves checking
   and timing to that work, and takes its rows as they are. */
typedef struct wl_own_run {
    const wl_arguments *arguments;
    uint64_t seed;
    const char *pattern; // see wl_variant_matches; NULL: every variant
    const wl_device_list *devices;
    double most_seconds; // that may go into one variant
    int progress;        // tell how far it is on standard error
    FILE *words;         // for what rows do not hold; NULL: nobody wants to read it
    wl_row *rows;        // result: [count], the caller frees them
    size_t count;
} wl_own_run;
