/* One tile on one device, by the best variant that takes it. */
#ifndef DISTANCES_MATRIX_TILE_H
#define DISTANCES_MATRIX_TILE_H

#include "distances/problem.h"
#include "harness/bench/crew.h"

/* output [2][rows][columns] of the input: distance and compared. On the worker's thread. An input that is too large for the
   device is cut. */
wl_status distances_tile_run(wl_worker *worker, const distances_input *input, uint32_t *output);

#endif
