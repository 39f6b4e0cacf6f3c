/* Register tiles of a matrix product. A thread computes  sum_k M[k][s] V[c][k]  for several states s and several
   columns c, with M and V in shared memory. Partials are such a product (V: a child's partials, c: patterns), and so
   are transition matrices.

   A warp has LS lanes along the states and 32 / LS along the columns; a thread has W / LS states. Each load reads 16
   bytes: neighbouring states of M, or neighbouring k of V. Shared memory gives 128 bytes per pass, and one pass serves
   all lanes that read the same words. But the hardware handles 16-byte loads by quarters of a warp, and it combines two
   quarters only if lanes i and i ^ 1, or lanes i and i ^ 2, read the same words. This decides the order of lanes
   below. */
#pragma once

#include "peeling/kit/access.h"
#include "peeling/kit/stage.h"

/* Bits of the lane number, from bit 0: one of the column, all of the state, the rest of the column. So lanes i and
   i ^ 1 read the same words of M, and lanes i and i ^ 2 the same words of V. */
template <int LS> static __device__ __forceinline__ int peeling_lane_state(int lane) { return lane >> 1 & (LS - 1); }
template <int LS> static __device__ __forceinline__ int peeling_lane_column(int lane) {
    return (lane & 1) | lane / (2 * LS) << 1;
}
/* The maximum over the lanes of a column. */
template <typename real, int LS> static __device__ __forceinline__ real peeling_lanes_most(real x) {
#pragma unroll
    for (int step = 2; step <= LS; step *= 2) {
        const real other = __shfl_xor_sync(0xffffffffu, x, step);
        x = other > x ? other : x;
    }
    return x;
}

/* The states of a thread. If its states fill whole pieces of 16 bytes, the lanes take such pieces in turn. Otherwise
   (20 states by 4 lanes) they take single states. */
template <typename real, int W, int LS> struct peeling_states {
    enum {
        WORD = 16 / sizeof(real),                 // numbers in 16 bytes
        COUNT = W / LS,                           // states per thread
        PIECE = COUNT % WORD == 0 ? (int)WORD : 1 // neighbouring states per piece
    };
    /* The thread's first state is peeling_lane_state * PIECE, and its state i is at(i) further on. */
    static __device__ __forceinline__ int at(int i) { return i / PIECE * (LS * PIECE) + i % PIECE; }
    /* Reads or writes all states of a thread; `from` and `to` point to the first. */
    static __device__ __forceinline__ void read(const real *from, real *x) { // [COUNT]
#pragma unroll
        for (int i = 0; i < COUNT; i += PIECE)
            if (PIECE == WORD)
                peeling_read(from + at(i), x + i);
            else
                x[i] = from[at(i)];
    }
    static __device__ __forceinline__ void write(real *to, const real *x) {
#pragma unroll
        for (int i = 0; i < COUNT; i += PIECE)
            if (PIECE == WORD)
                peeling_write(to + at(i), x + i);
            else
                to[at(i)] = x[i];
    }
};

/* Rows of K numbers in shared memory lie an odd multiple of 16 bytes apart, so that neighbouring rows begin in
   different banks. */
template <typename real, int K> struct peeling_row {
    enum { APART = (K * (int)sizeof(real) / 16 | 1) * 16 / (int)sizeof(real) };
};

/* sum[c][i] += sum_k M[k][state i] V[column c][k], k < K. M points to the thread's first state, and its rows are M_ROW
   numbers apart. V points to the thread's first column, and its columns are V_NEXT numbers apart. */
template <typename real, int W, int LS, int COLUMNS, int K, int M_ROW, int V_NEXT>
static __device__ __forceinline__ void peeling_tile_multiply(const real *M, const real *V,
                                                             real (&sum)[COLUMNS][W / LS]) {
    typedef peeling_states<real, W, LS> states;
#pragma unroll
    for (int k = 0; k < K; k += states::WORD) {
        real v[COLUMNS][states::WORD];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) peeling_read(V + c * V_NEXT + k, v[c]);
#pragma unroll
        for (int n = 0; n < states::WORD; n++) {
            real m[states::COUNT];
            states::read(M + (k + n) * M_ROW, m);
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
#pragma unroll
                for (int i = 0; i < states::COUNT; i++) sum[c][i] += m[i] * v[c][n];
        }
    }
}
