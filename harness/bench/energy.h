/* Energy per launch, by the device's counter. docs/measuring.md says what such a counter can resolve. */
#pragma once

#include "harness/bench/rounds.h"

/* A counter moves in steps, of up to 100 ms on a GPU. Therefore what lies between two steps is what counts. */
typedef struct {
    double now, joules, done; // a reading: seconds, joules, and how many launches were done until then
} wl_energy_reading;
typedef struct {
    wl_energy_reading begin, before, first,
        last; // first, last: at steps of the counter; first.now 0: there was none
} wl_energy_watch;

/* Takes a reading into account. The first ones only warm up. */
void wl_energy_note(wl_energy_watch *watch, wl_energy_reading reading);
/* Joules of one launch, and *watts; NaN if the counter was watched for less than `least` seconds. */
double wl_energy_each(const wl_energy_watch *watch, double least, double *watts);

/* Launch the variant again and again for options->energy_seconds, after its samples, with the caches as they come. Fills `joules` and
   `watts` of its row: NaN where the device has no counter, where the counter stands still, and where a launch fails. */
void wl_measure_energy(wl_contestant *contestant, size_t datasets, const wl_measure_options *options);
