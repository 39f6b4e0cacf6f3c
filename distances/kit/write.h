/* How distances/03_one_pass writes a part of a tile: as lesson 16, but results may be too large for 16 bits, and a result need not be
   square. */
#pragma once

#include "allpairs/wide.h"

enum {
    DISTANCES_WIDE_TILE = 128,
    DISTANCES_PART = 16, // columns that are written together
    DISTANCES_TILE_PARTS = DISTANCES_WIDE_TILE / DISTANCES_PART,
};

/* Two sums as whole numbers, where allpairs/wide.h has two of 16 bits in a word. */
static __device__ __forceinline__ int4 wl_wide_four(int2 a, int2 b) { return make_int4(a.x, a.y, b.x, b.y); }
static __device__ __forceinline__ int2 wl_wide_transposed(int2 two) {
    const int lane = threadIdx.x % 32, from = 8 * (lane % 4) + lane / 8;
    const int2 first = make_int2(__shfl_sync(~0u, two.x, from), __shfl_sync(~0u, two.y, from));
    const int2 second = make_int2(__shfl_sync(~0u, two.x, from + 4), __shfl_sync(~0u, two.y, from + 4));
    return lane / 4 % 2 ? make_int2(first.y, second.y) : make_int2(first.x, second.x);
}

/* Writes part `part` of a tile of 128 x 128 ACROSS, and mirrored, as lesson 16 does. two(k): this thread's sums 2k and 2k + 1. It calls
   store(row, column, four) for four neighbours, the first at a multiple of four; the last ones may be beyond the last column. */
template <int ACROSS, typename Two, typename Store>
static __device__ __forceinline__ void distances_write_part(int part, const wl_wide_place<ACROSS> &place, size_t rows,
                                                            size_t columns, const Two &two, const Store &store) {
    const unsigned tile = part / DISTANCES_TILE_PARTS;
    unsigned first_j = place.j * DISTANCES_WIDE_TILE + threadIdx.x / 32 * DISTANCES_PART; // of the warp's 16 rows
#ifndef WL_SIMULATED
    __asm__ volatile("" : "+r"(first_j)); // addresses of later parts are not to be in registers already
#endif
    const unsigned first_i = place.i[tile] * DISTANCES_WIDE_TILE + part % DISTANCES_TILE_PARTS * DISTANCES_PART;
    const unsigned one = wl_wide_one(), four = threadIdx.x % 4 * 4; // of 16 rows or columns
    if (place.written >> tile & 1)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const unsigned j = first_j + one + 2 * h, i = first_i + four;
            if (j < rows && i < columns) store(j, i, wl_wide_four(two(4 * part + h), two(4 * part + 2 + h)));
        }
    if (place.mirrored >> tile & 1)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const unsigned i = first_i + one + 2 * h, j = first_j + four;
            const auto first = wl_wide_transposed(two(4 * part + 2 * h));
            const auto second = wl_wide_transposed(two(4 * part + 2 * h + 1));
            if (i < columns && j < rows) store(i, j, wl_wide_four(first, second));
        }
}
