/* Tiles of 128 x 128 ACROSS that a warpgroup writes in parts of 16 columns while it multiplies the next one: which tile is next, and how
   a thread's sums come to lie side by side. What lesson 16 and distances/03_one_pass share; rows are in the order of wl_unit_wide_row. */
#pragma once

#include "allpairs/units.h"

enum { WL_WIDE_BAND = 8 }; // rows of tiles that are taken together

/* --- Which tile is next ---------------------------------------------------------------------------------------------- */

/* Tile t of down x across tiles: bands of rows, and in a band column after column. Tiles that are under way together so have rows and
   columns in common. */
static __device__ __forceinline__ uint2 wl_wide_band(unsigned t, unsigned down, unsigned across) {
    const unsigned first = t / (WL_WIDE_BAND * across) * WL_WIDE_BAND;
    const unsigned rows = down - first < WL_WIDE_BAND ? down - first : (unsigned)WL_WIDE_BAND;
    t -= first * across;
    return make_uint2(first + t % rows, t / rows);
}

/* Row j and columns i, counted in tiles of 128. Bit k: columns i[k] are written; are written mirrored, too. */
template <int ACROSS> struct wl_wide_place { unsigned j, i[ACROSS], written, mirrored; };

/* A symmetric matrix of `tiles` x `tiles`: the columns stand in a ring, and each row has those up to half the ring after it. So all rows
   have the same number of tiles, and every pair is in one of them. */
template <int ACROSS> static __host__ __device__ inline unsigned wl_wide_symmetric_pairs(unsigned tiles) {
    return (tiles / 2 + ACROSS) / ACROSS;
}
template <int ACROSS>
static __device__ __forceinline__ wl_wide_place<ACROSS> wl_wide_symmetric(unsigned t, unsigned tiles) {
    const uint2 at = wl_wide_band(t, tiles, wl_wide_symmetric_pairs<ACROSS>(tiles));
    wl_wide_place<ACROSS> place = {at.x, {0}, 0, 0};
#pragma unroll
    for (int k = 0; k < ACROSS; k++) {
        const unsigned after = ACROSS * at.y + k, i = at.x + after;
        place.i[k] = i < tiles ? i : i - tiles;
        if (2 * after > tiles || (2 * after == tiles && 2 * at.x >= tiles)) continue; // half a ring: from one side
        place.written |= 1u << k;
        if (after > 0) place.mirrored |= 1u << k;
    }
    return place;
}

/* --- Writing --------------------------------------------------------------------------------------------------------- */

/* Two neighbouring sums in one word, each modulo 2^16. */
static __device__ __forceinline__ uint32_t wl_wide_pack(int first, int second) {
    return ((unsigned)first & 0xffff) | (unsigned)second << 16;
}
/* Four neighbours. */
static __device__ __forceinline__ int4 wl_wide_four(uint32_t a, uint32_t b) {
    return make_int4((int)(a & 0xffff), (int)(a >> 16), (int)(b & 0xffff), (int)(b >> 16));
}

/* 8 x 8 numbers, two in each lane as in a sum's tile: the same of the transposed numbers. */
static __device__ __forceinline__ uint32_t wl_wide_transposed(uint32_t two) {
    const int lane = threadIdx.x % 32, from = 8 * (lane % 4) + lane / 8;
    const uint32_t first = __shfl_sync(~0u, two, from), second = __shfl_sync(~0u, two, from + 4);
    return lane / 4 % 2 ? first >> 16 | (second & 0xffff0000) : (first & 0xffff) | second << 16;
}

/* This thread's first row among its warp's 16; its second is two further on. */
static __device__ __forceinline__ unsigned wl_wide_one(void) {
    const unsigned lane = threadIdx.x % 32;
    return lane / 8 * 4 + lane / 4 % 2;
}

/* Four numbers, as far as there are so many columns. FOURS: `columns` is a multiple of 4, which makes the code shorter. */
template <int FOURS>
static __device__ __forceinline__ void wl_wide_store(int *to, size_t columns, size_t row, size_t column, int4 numbers) {
    int *at = to + columns * row + column;
    if (FOURS || columns % 4 == 0) {
        *(int4 *)at = numbers;
        return;
    }
    at[0] = numbers.x;
    if (column + 1 < columns) at[1] = numbers.y;
    if (column + 2 < columns) at[2] = numbers.z;
    if (column + 3 < columns) at[3] = numbers.w;
}
