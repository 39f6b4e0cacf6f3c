/* Taking samples: variants side by side, round by round, until each is measured well enough. */
#pragma once

#include "harness/bench/expected.h"
#include "harness/bench/measurements.h"

/* A variant that passed its check, ready to run. */
typedef struct {
    wl_measurement *measurement; /* receives the samples, the rounds' medians, stop_reason, a failure in row.verdict */
    void **states;               /* [datasets] */
    const size_t *slices;        /* [datasets]: of the whole work; for a serial variant that is timed in part */
    size_t timed;                /* so many of the slices are timed; 0: everything, by launch */
    /* The rest is the rounds' own. */
    double spent;        /* seconds that went into its turns */
    double kept_seconds; /* of samples that count */
    size_t kept;
    size_t took_part;    /* rounds with at least one sample that counts */
    double last_seconds; /* what its last sample took, all in all */
    int done, failed;
} wl_contestant;

/* One round after another: every contestant takes its turn on the round's data set, rounds % datasets. The order of
   turns moves on by one each round. Returns WL_OK also when single contestants fail. */
wl_status wl_take_rounds(wl_contestant *contestants, size_t count, size_t datasets, const wl_measure_options *options);

/* How many of the problem's slices to compute for a serial variant, so that a sample takes 20 ms or more but not much
   more than need be: 0 for all of them where that takes at most `whole_seconds`, and for a variant without
   launch_slices or one that cannot run. */
size_t wl_choose_slices(const wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                        double whole_seconds, const wl_clockwork *clockwork);
