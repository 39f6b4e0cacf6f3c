/* Taking samples: variants side by side, round by round, until each is measured well enough. */
#pragma once

#include "harness/bench/expected.h"
#include "harness/bench/measurements.h"

/* A variant that passed its check, ready to run. */
typedef struct {
    wl_measurement *measurement; // receives the samples, the rounds' medians, stop_reason, a failure in row.verdict
    void **states;               // [datasets]
    const size_t *slices;        // [datasets]: of the whole work; for a serial variant that is timed in part
    size_t timed;                // so many of the slices are timed; 0: everything, by launch
    /* The rest is the rounds' own. */
    double spent;        // seconds that went into its turns
    double kept_seconds; // of samples that count
    size_t kept;
    size_t took_part;    // rounds with at least one sample that counts
    double last_seconds; // what its last sample took, all in all
    int done, failed;
} wl_contestant;

/* Measures in rounds. In each round, every item of `contestants` takes its turn on the round's data set, round % datasets.
   The order of turns moves on by one each round. At the end the energy of each is measured. Returns WL_OK also when single items fail. */
wl_status wl_take_rounds(wl_contestant *contestants, size_t count, size_t datasets, const wl_measure_options *options);

/* How many of the problem's slices a serial variant should compute, so that a sample takes at least 20 ms but not much
   longer than necessary. 0 means all slices: they take at most `whole_seconds`, the variant has no launch_slices, or it
   cannot run. */
size_t wl_choose_slices(const wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                        double whole_seconds, const wl_clockwork *clockwork);
