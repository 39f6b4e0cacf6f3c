/* The row between two bands, through which one warp hands H and F to the next without a barrier, a fence or a counter.

   Each column has 64 bits, which one store writes and one load reads whole:

     H (32 bits) | number of the band below (18 bits) | H - F (14 bits)

   A warp that loads a column looks whether the number is its own band's. If not, the band above has not come so far, and the
   warp loads again. No other data has to arrive before. 14 bits suffice: F = max(F above - gap_extend, H - gap_open) lies between
   H - gap_open and H. A band overwrites what it has loaded. */
#ifndef SW_ONE_PAIR_EDGE_H
#define SW_ONE_PAIR_EDGE_H

#include <stdint.h>

#include <cuda_runtime.h>

#include "sw/scoring/scoring.h"

enum { ONE_GAP_BITS = 14 };
static_assert(SW_GAP_MOST < 1 << ONE_GAP_BITS, "H - F may be as large as gap_open");

/* H and F of four columns. */
typedef struct {
    ulonglong2 of[2];
} one_edge;

static __device__ __forceinline__ ulonglong2 one_load(const ulonglong2 *from) {
    ulonglong2 pair;
#ifdef WL_SIMULATED
    pair.x = *(const volatile unsigned long long *)&from->x;
    pair.y = *(const volatile unsigned long long *)&from->y;
#else
    asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];" : "=l"(pair.x), "=l"(pair.y) : "l"(from) : "memory");
#endif
    return pair;
}

static __device__ __forceinline__ one_edge one_load_edge(const ulonglong2 *from) {
    return (one_edge){{one_load(from), one_load(from + 1)}};
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

/* Stores columns step * COLUMNS and so on. */
template <int COLUMNS>
static __device__ __forceinline__ void one_store(ulonglong2 *edge, int step, const int (&H)[COLUMNS],
                                                 const int (&F)[COLUMNS], unsigned band) {
    unsigned long long *to = (unsigned long long *)edge + (size_t)step * COLUMNS;
#ifdef WL_SIMULATED
    for (int c = 0; c < COLUMNS; c++) atomicExch(to + c, one_column(H[c], F[c], band));
#else
    if (COLUMNS == 1)
        asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(to), "l"(one_column(H[0], F[0], band)) : "memory");
#pragma unroll
    for (int c = 0; c + 1 < COLUMNS; c += 2)
        asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(to + c), "l"(one_column(H[c], F[c], band)),
                     "l"(one_column(H[c + 1], F[c + 1], band))
                     : "memory");
#endif
}

#endif
