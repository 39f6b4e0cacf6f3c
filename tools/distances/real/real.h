/* Distances of real values, and of integers as such: what bit planes have no sums for. On the CPU only. */
#pragma once

#include "distances/data.h"

typedef enum {
    DISTANCES_REAL_SQUARES,
    DISTANCES_REAL_MAGNITUDES,
    DISTANCES_REAL_UNEQUAL
} distances_real_sum; // (a - b)^2, |a - b|, a != b

/* Compares instances row .. row + rows - 1 with column .. column + columns - 1 of `data` (of any kind but letters). distance
   [rows][columns] gets the sums over the sites at which both are present, and compared [rows][columns] the number of these sites. If row
   = column and rows = columns, the tile is taken for symmetric. The order of summation is fixed: the same bits on every CPU, with any
   number of threads. */
wl_status distances_real_tile(const distances_data *data, distances_real_sum sum, size_t row, size_t rows,
                              size_t column, size_t columns, int threads, double *distance, uint32_t *compared);
/* "AVX-512BW" */
const char *distances_real_instruction_set(void);
