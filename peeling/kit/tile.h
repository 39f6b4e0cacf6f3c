/* Tiles of a matrix product in registers: what a thread has of  sum_k M[k][s] V[c][k]  for several states s and
   several columns c, M and V being in shared memory. Partials are such a product (V: a child's, c: patterns), and
   so are transition matrices.

   The lanes of a warp are LS lanes along the states by 32 / LS along the columns, a thread has W / LS states. 16
   bytes at a time are read: of M neighbouring states, of V neighbouring k. Shared memory gives 128 bytes a pass,
   and what several lanes want is given to all of them; but 16-byte loads go by quarters of a warp, of which two go
   together only if lanes i and i ^ 1, or i and i ^ 2, want the same. Hence the order of the lanes below. */
#ifndef PEELING_TILE_H
#define PEELING_TILE_H

#include "peeling/kit/device.h"

/* Lane bits, from bit 0: one of the column, those of the state, the column's others. Then M is the same for lanes i
   and i ^ 1, V for i and i ^ 2. */
template <int LS> static __device__ __forceinline__ int peeling_lane_state(int lane) { return lane >> 1 & (LS - 1); }
template <int LS> static __device__ __forceinline__ int peeling_lane_column(int lane) {
    return (lane & 1) | lane / (2 * LS) << 1;
}
/* The largest of the numbers that the lanes of a column have. */
template <typename real, int LS> static __device__ __forceinline__ real peeling_lanes_most(real x) {
#pragma unroll
    for (int step = 2; step <= LS; step *= 2) {
        const real other = __shfl_xor_sync(0xffffffffu, x, step);
        x = other > x ? other : x;
    }
    return x;
}

/* 16 bytes. */
static __device__ __forceinline__ void peeling_read(const float *from, float *to) { // [4]
    const float4 x = *(const float4 *)from;
    to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
}
static __device__ __forceinline__ void peeling_read(const double *from, double *to) { // [2]
    const double2 x = *(const double2 *)from;
    to[0] = x.x, to[1] = x.y;
}
static __device__ __forceinline__ void peeling_write(float *to, const float *from) { // [4]
    *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
}
static __device__ __forceinline__ void peeling_write(double *to, const double *from) { // [2]
    *(double2 *)to = make_double2(from[0], from[1]);
}

/* What a thread's states are. Where 16 bytes are whole numbers of them, such pieces are dealt out to the lanes in
   turn; else (20 states by 4 lanes) single states are. */
template <typename real, int W, int LS> struct peeling_states {
    enum {
        WORD = 16 / sizeof(real),                 // numbers in 16 bytes
        COUNT = W / LS,                           // states of a thread
        PIECE = COUNT % WORD == 0 ? (int)WORD : 1 // neighbours among them
    };
    /* State i of the thread is at(i) from its first one, which is peeling_lane_state * PIECE. */
    static __device__ __forceinline__ int at(int i) { return i / PIECE * (LS * PIECE) + i % PIECE; }
    /* All states of a thread: `from` and `to` point to its first one. */
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

/* Rows of K numbers in shared memory, an odd number of 16 bytes apart: neighbouring rows then lie in different
   banks. */
template <typename real, int K> struct peeling_row {
    enum { APART = (K * (int)sizeof(real) / 16 | 1) * 16 / (int)sizeof(real) };
};

/* sum[c][i] += sum_k M[k][state i] V[column c][k], k < K. M points to the thread's first state, its rows are M_ROW
   apart; V to the thread's first column, whose others are V_NEXT numbers from one another. */
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

#endif
