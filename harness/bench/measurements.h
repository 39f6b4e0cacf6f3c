/* How to measure, what was measured, and what it says. */
#pragma once

#include <stdint.h>

#include "harness/bench/device.h"
#include "harness/bench/results.h"

typedef struct {
    double noise;         // stop when the relative noise is below this: 0.005
    size_t least_samples; // ... and so many samples are in: 10
    double least_seconds; // ... that last so long together: 0.5
    double most_seconds;  // or when so much time has gone into the variant: 15
    size_t most_samples;  // or when so many samples are in: 200000
    double turn_seconds;  // what a variant's turn in a round lasts, when a sample is not longer: 0.02
    double cpu_share; /* on a CPU longer: as many turns as it has to take at least fill this share of most_seconds: 0.5
                             (0: turns of turn_seconds) */
    size_t shared_rounds;  // a variant that is done keeps taking turns until it has had so many, for the ratios: 30
    double energy_seconds; // a device's energy counter is watched over so many seconds of launches: 0.5 (0: it is not)
    double least_clock;    // a sample below this share of the nominal SM clock is discarded: 0.75
    int hot;               // leave the L2 cache as the last sample left it
    int progress;          // tell how far it is on standard error
    const wl_clockwork *clockwork; // NULL: the real one
} wl_measure_options;

wl_measure_options wl_measure_defaults(void);

/* One timed execution. */
typedef struct {
    double ms;    // scaled to the whole work where only a share was timed
    double clock; // see wl_timing
    uint32_t round, dataset;
    int discarded;
} wl_sample;

/* A variant on a device: what went in, and everything known of it. */
typedef struct {
    const wl_variant *variant;
    const wl_device *device;
    wl_row row;
    wl_sample *samples; // [sample_count], discarded ones too, in the order they were taken
    size_t sample_count;
    double *round_ms; // [rounds]: median of the round's kept samples; NaN where it took no part
    size_t rounds;
} wl_measurement;

typedef struct {
    wl_measurement *items; // [count], device by device, in the registry's order
    size_t count;
    wl_device_list devices; // what the items' device fields point into
} wl_measurements;

void wl_measurements_free(wl_measurements *measurements);

/* How many times as fast as `baseline` `m` is. On one kind of device the median of the rounds' ratios; a GPU over a CPU
   the lower quartile of the CPU's rounds over the median of the GPU's (docs/measuring.md, Speedups). NaN where one has no rounds. */
wl_ratio wl_speedup(const wl_measurement *baseline, const wl_measurement *m);

/* WL_CHECK_FAILED when any row failed; WL_NO_MACHINE when there are rows and every one is unsupported; else WL_OK. */
wl_status wl_rows_status(const wl_row *rows, size_t count);
/* The same of the rows of measurements. WL_NO_MACHINE, too: no memory. */
wl_status wl_measurements_status(const wl_measurements *measurements);

/* The rows alone, in order, for results.h; the caller frees the array. */
wl_row *wl_measurements_rows(const wl_measurements *measurements);

/* Every sample as TSV: variant, backend, device, round, dataset, kernel_ms, clock, discarded. */
wl_status wl_measurements_write_samples(const wl_measurements *measurements, const char *path);
