/* Work that a problem runs itself: where options of its own ask for something else than one run of each variant, `run`
   leaves checking and timing to it, and takes its rows as they are. */
#ifndef WL_OWN_RUN_H
#define WL_OWN_RUN_H

#include "harness/bench/device.h"
#include "harness/bench/problem.h"
#include "harness/bench/results.h"

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

#endif
