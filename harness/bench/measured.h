/* Measurements as the bytes of a unit (harness/bench/units.h). */
#ifndef HARNESS_BENCH_MEASURED_H
#define HARNESS_BENCH_MEASURED_H

#include "harness/bench/measure.h"

wl_status wl_measurements_keep(uint64_t unit, const wl_measurements *measurements);
/* What was kept, in place: items point into measurements->devices, so it is not to be copied. WL_NO_MACHINE: this program lacks a variant.
   On success free with wl_measurements_free. */
wl_status wl_measurements_recall(uint64_t unit, const wl_device_list *devices, wl_measurements *measurements);

#endif
