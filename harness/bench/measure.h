/* Measuring: variants checked, then timed side by side, round by round. docs/measuring.md gives the rules' reasons. */
#ifndef HARNESS_BENCH_MEASURE_H
#define HARNESS_BENCH_MEASURE_H

#include <stdint.h>

#include "harness/bench/check.h"
#include "harness/bench/device.h"
#include "harness/bench/problem.h"
#include "harness/bench/results.h"

typedef struct {
    double noise;         /* stop when the relative noise is below this: 0.005 */
    size_t least_samples; /* ... and so many samples are in: 10 */
    double least_seconds; /* ... that last so long together: 0.5 */
    double most_seconds;  /* or when so much time has gone into the variant: 15 */
    size_t most_samples;  /* or when so many samples are in: 200000 */
    double turn_seconds;  /* what a variant's turn in a round lasts, when a sample is not longer: 0.02 */
    double cpu_share; /* on a CPU longer: as many turns as it has to take at least fill this share of most_seconds: 0.5
                             (0: turns of turn_seconds) */
    size_t shared_rounds; /* a variant that is done keeps taking turns until it has had so many, for the ratios: 30 */
    double least_clock;   /* a sample below this share of the nominal SM clock is discarded: 0.75 */
    int hot;              /* leave the L2 cache as the last sample left it */
    int progress;         /* tell how far it is on standard error */
    const wl_clockwork *clockwork; /* NULL: the real one */
} wl_measure_options;

wl_measure_options wl_measure_defaults(void);

/* One timed execution. */
typedef struct {
    double ms;    /* scaled to the whole work where only a share was timed */
    double clock; /* see wl_timing */
    uint32_t round, dataset;
    int discarded;
} wl_sample;

/* A variant on a device: what went in, and everything known of it. */
typedef struct {
    const wl_variant *variant;
    const wl_device *device;
    wl_row row;
    wl_sample *samples; /* [sample_count], discarded ones too, in the order they were taken */
    size_t sample_count;
    double *round_ms; /* [rounds]: median of the round's kept samples; NaN where it took no part */
    size_t rounds;
} wl_measurement;

typedef struct {
    wl_measurement *items; /* [count], device by device, in the registry's order */
    size_t count;
    wl_device_list devices; /* what the items' device fields point into */
} wl_measurements;

/* What to measure. */
typedef struct {
    const wl_problem *problem;
    const wl_arguments *arguments;
    uint64_t seed;
    const char *pattern; /* "lessons", "lessons/03*": see wl_variant_matches; NULL: every variant. The CPU
                                      variants run beside whatever matches, as baselines */
    const wl_device_list *devices;
    wl_measure_options options;
    size_t only; /* data set number `only`, from 1; 0: all of them */
} wl_measure_request;

/* Check and time. WL_OK also when single variants fail their check or are unsupported: their rows say so, and
   wl_measurements_status tells. Anything else: there are no measurements and nothing to free. */
wl_status wl_measure(const wl_measure_request *request, wl_measurements *measurements);
void wl_measurements_free(wl_measurements *measurements);

/* How many times as fast as `baseline` `m` is. On one kind of device the median of the rounds' ratios; a GPU over a CPU
   the CPU's lower quartile over the GPU's median (docs/measuring.md, Speedups). NaN where one has no rounds. */
wl_ratio wl_speedup(const wl_measurement *baseline, const wl_measurement *m);

/* The same where data sets may be of different sizes (wl_problem.unequal_inputs): each then has measurements of its own, in the
   order of the data sets, whose device fields point into request->devices. `only` of the request must be 0. */
wl_status wl_measure_all(const wl_measure_request *request, wl_measurements *measurements);

/* WL_CHECK_FAILED when any row failed; WL_NO_MACHINE when there are rows and every one is unsupported; else WL_OK. */
wl_status wl_rows_status(const wl_row *rows, size_t count);
/* The same of the rows of measurements. WL_NO_MACHINE, too: no memory. */
wl_status wl_measurements_status(const wl_measurements *measurements);

/* The rows alone, in order, for results.h; the caller frees the array. */
wl_row *wl_measurements_rows(const wl_measurements *measurements);

/* Every sample as TSV: variant, backend, device, round, dataset, kernel_ms, clock, discarded. */
wl_status wl_measurements_write_samples(const wl_measurements *measurements, const char *path);

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

#endif
