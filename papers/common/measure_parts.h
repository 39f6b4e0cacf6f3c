/* A measurement of units (harness/bench/units.h) shared out among part files, and put together again. */
#ifndef PAPERS_COMMON_MEASURE_PARTS_H
#define PAPERS_COMMON_MEASURE_PARTS_H

#include "io/part.h"

/* The measurement as ever. In a part it measures some of the units and shows nothing (wl_units_some), in a merge it measures none. */
typedef wl_status wl_measured_whole(const void *context);

/* Part `part` (from 0) of `parts` into the writer: *mine of *all units. */
wl_status wl_measure_part(wl_measured_whole *whole, const void *context, size_t part, size_t parts,
                          wl_part_writer *writer, uint64_t *mine, uint64_t *all);
wl_status wl_measure_merge(wl_measured_whole *whole, const void *context, const wl_part_set *set);

#endif
