/* What real.c hands to the loops of real_core_each.c. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A block of 32 x 32 pairs over 512 sites: 256 KB, which stay in the second cache while each row serves 32 columns. */
enum {
    DISTANCES_REAL_BLOCK = 32,
    DISTANCES_REAL_LANES = 8,
    DISTANCES_REAL_STEPS = 64,
    DISTANCES_REAL_SITES = DISTANCES_REAL_LANES * DISTANCES_REAL_STEPS
};

typedef struct {
    const double *rows, *columns; // [BLOCK][SITES], 64-byte aligned; NaN where missing, and after the last site
    size_t row_count, column_count, steps;
    int sum_of;         // distances_real_sum
    int complete;       // nothing is missing: zeros follow the last site, and nothing is counted
    double *sum;        // [BLOCK][BLOCK], added to
    uint32_t *compared; // [BLOCK][BLOCK], added to
} distances_real_block;

typedef void distances_real_core(const distances_real_block *block);
extern distances_real_core distances_real_core_portable;
/* NULL: not in this build. */
extern distances_real_core distances_real_core_avx2 __attribute__((weak)),
    distances_real_core_bw_avx512 __attribute__((weak));
