/* The loop of distances_real_tile over some sites of a block of pairs, once for each instruction set.
   Compiled for: portable avx2 bw_avx512 */
#include "tools/distances/real/real.h"
#include "tools/distances/real/real_block.h"

/* A fused multiply-add rounds once where others round twice: results would depend on the CPU. */
#pragma GCC optimize("fp-contract=off")

/* GCC makes one AVX-512 register of it, two of AVX's or four of SSE2's. */
typedef double lanes __attribute__((vector_size(8 * DISTANCES_REAL_LANES)));
typedef int64_t lane_masks __attribute__((vector_size(8 * DISTANCES_REAL_LANES)));

/* R rows with C columns, all sums in registers: R + C loads serve R * C pairs. R, C and what is asked for are constants of each
   call, and it is inlined. */
static inline __attribute__((always_inline)) void pairs(const distances_real_block *block, size_t row, size_t column,
                                                        const int R, const int C, const int sum_of,
                                                        const int complete) {
    enum { MOST = 4 };
    const lanes *a[MOST], *b[MOST]; // [steps]
    lanes sum[MOST][MOST];
    lane_masks present[MOST][MOST];
    const lane_masks magnitude = (lane_masks){} + INT64_MAX; // all bits but the sign
    const lanes one = (lanes){} + 1;
    for (int r = 0; r < R; r++) a[r] = (const lanes *)block->rows + (row + (size_t)r) * DISTANCES_REAL_STEPS;
    for (int c = 0; c < C; c++) b[c] = (const lanes *)block->columns + (column + (size_t)c) * DISTANCES_REAL_STEPS;
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) {
            sum[r][c] = (lanes){};
            present[r][c] = (lane_masks){};
        }
    for (size_t step = 0; step < block->steps; step++)
#pragma GCC unroll 4
        for (int r = 0; r < R; r++)
#pragma GCC unroll 4
            for (int c = 0; c < C; c++) {
                lanes d = a[r][step] - b[c][step];
                lanes term = sum_of == DISTANCES_REAL_SQUARES      ? d * d
                             : sum_of == DISTANCES_REAL_MAGNITUDES ? (lanes)((lane_masks)d & magnitude)
                                                                   : (lanes)((lane_masks)one & (d != 0));
                if (complete) {
                    sum[r][c] += term;
                } else {
                    lane_masks both = d == d; // not NaN: -1
                    sum[r][c] += (lanes)((lane_masks)term & both);
                    present[r][c] -= both;
                }
            }
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) {
            size_t pair = (row + (size_t)r) * DISTANCES_REAL_BLOCK + column + (size_t)c;
            double total = 0;
            int64_t count = 0;
            for (int lane = 0; lane < DISTANCES_REAL_LANES; lane++) {
                total += sum[r][c][lane];
                count += present[r][c][lane];
            }
            block->sum[pair] += total;
            block->compared[pair] += (uint32_t)count;
        }
}

static inline __attribute__((always_inline)) void all_pairs(const distances_real_block *block, const int sum_of,
                                                            const int complete) {
    enum { R = 2, C = 4 };
    size_t row = 0;
    for (; row + R <= block->row_count; row += R) {
        size_t column = 0;
        for (; column + C <= block->column_count; column += C) pairs(block, row, column, R, C, sum_of, complete);
        for (; column < block->column_count; column++) pairs(block, row, column, R, 1, sum_of, complete);
    }
    for (; row < block->row_count; row++)
        for (size_t column = 0; column < block->column_count; column++)
            pairs(block, row, column, 1, 1, sum_of, complete);
}

void WL_CORE(distances_real_core)(const distances_real_block *block) {
    if (block->sum_of == DISTANCES_REAL_SQUARES && block->complete)
        all_pairs(block, DISTANCES_REAL_SQUARES, 1);
    else if (block->sum_of == DISTANCES_REAL_SQUARES)
        all_pairs(block, DISTANCES_REAL_SQUARES, 0);
    else if (block->sum_of == DISTANCES_REAL_MAGNITUDES && block->complete)
        all_pairs(block, DISTANCES_REAL_MAGNITUDES, 1);
    else if (block->sum_of == DISTANCES_REAL_MAGNITUDES)
        all_pairs(block, DISTANCES_REAL_MAGNITUDES, 0);
    else if (block->complete)
        all_pairs(block, DISTANCES_REAL_UNEQUAL, 1);
    else
        all_pairs(block, DISTANCES_REAL_UNEQUAL, 0);
}
