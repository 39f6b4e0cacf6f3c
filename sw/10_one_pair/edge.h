/* The row between two bands, through which one warp hands H and F to the next without a barrier, a fence or a counter.

   Each column has 64 bits, which one store writes and one load reads whole:

     H (32 bits) | number of the band below (18 bits) | H - F (14 bits)

   A warp that loads a column looks whether the number is its own band's. If not, the band above has not come so far, and the
   warp loads again. No other data has to arrive before. 14 bits suffice: F = max(F above - gap_extend, H - gap_open) lies between
   H - gap_open and H. A band overwrites what it has loaded. */
#pragma once

#include "harness/device/relaxed.h"
#include "harness/stage.h"
#include "sw/scoring/scheme.h"

enum { ONE_GAP_BITS = 14 };
static_assert(SW_GAP_MOST < 1 << ONE_GAP_BITS, "H - F may be as large as gap_open");

/* H and F of four columns. */
typedef struct {
    ulonglong2 of[2];
} one_edge;

/* Loads four columns if `wanted`. */
static __device__ __forceinline__ void one_load(one_edge *to, const ulonglong2 *from, bool wanted) {
    wl_load_relaxed(to->of, from, wanted);
}

/* Do all columns have this number? */
static __device__ __forceinline__ bool one_is_for(const one_edge *edge, unsigned band) {
    const uint32_t number = band << ONE_GAP_BITS;
    const uint32_t others = ((uint32_t)edge->of[0].x ^ number) | ((uint32_t)edge->of[0].y ^ number) |
                            ((uint32_t)edge->of[1].x ^ number) | ((uint32_t)edge->of[1].y ^ number);
    return others >> ONE_GAP_BITS == 0;
}

static __device__ __forceinline__ int one_H(unsigned long long column) { return (int)(column >> 32); }
static __device__ __forceinline__ int one_F(unsigned long long column) {
    return one_H(column) - (int)(column & ((1u << ONE_GAP_BITS) - 1));
}
static __device__ __forceinline__ unsigned long long one_column(int H, int F, unsigned band) {
    return (unsigned long long)(uint32_t)H << 32 | (uint32_t)(band << ONE_GAP_BITS | (unsigned)(H - F));
}

/* Stores H and F of four columns if `wanted`; they begin at H[first] and go on at H[0]. */
static __device__ __forceinline__ void one_store(ulonglong2 *to, const int H[4], const int F[4], int first,
                                                 unsigned band, bool wanted) {
    unsigned long long of[4];
#pragma unroll
    for (int c = 0; c < 4; c++) of[c] = one_column(H[(first + c) % 4], F[(first + c) % 4], band);
    wl_store_relaxed(to, of, wanted);
}
