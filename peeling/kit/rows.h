/* Partials times transposed transition matrices on the tensor cores, with patterns as rows: what a product leaves in the registers is
   the left operand of the next one (peeling/10_streamed).

   A warp has 16 patterns. Lane l holds, in F[n][i][p],
     pattern  l/4 + 8 i,   state  8 (first + n) + 2 (l%4) + p,
   where `first` is the warp's first group of eight states: 0 if it has them all. This is how m16n8k8 lays out its result; as a left operand
   it passes, too, if P's rows are read in the order of peeling/kit/tensor.h.

   Matrix m is of the branch above vector m, and it is stored as its use wants it:
     a tip's    [j][s ^ peeling_row_swizzle(j)] with groups of 32 bytes: a look-up reads a row
     another's  [j / 8][s / 8][lane]: what lane l multiplies by, 16 bytes, of rows j = 2 (l%4) and one more, and column s = l/4 of eight.
                Floats are split in two terms here, once for all patterns.
   A warpgroup's product (peeling/12_warpgroups) wants another's in floats as
     [j / 8][high, low][half][s / 8][8 s][4 j]: half 0 has the even j of eight, half 1 the odd ones, as harness/device/warpgroup_floats.h says. */
#pragma once

#include "peeling/kit/lanes.h"

enum { PEELING_ROWS = 16, PEELING_BANK_BYTES = 32 };

extern "C" wl_status PEELING_ON(peeling_matrices_in_turn)(peeling_state *s); // all, so; padded: 32 or 64
extern "C" wl_status PEELING_ON(peeling_matrices_in_halves)(peeling_state *s);

/* In memory F is pairs of neighbouring states, [n][i][lane]. OWN groups of eight states, from `first` on: */
template <typename real> struct __align__(2 * sizeof(real)) peeling_two { real x[2]; };
template <typename real, int OWN>
static __device__ __forceinline__ void peeling_row_load(real F[OWN][2][2], const real *from, uint32_t first) {
    const peeling_two<real> *at = (const peeling_two<real> *)from + first * 2 * PEELING_WARP + peeling_lane();
#pragma unroll
    for (int n = 0; n < OWN; n++)
        for (int i = 0; i < 2; i++) peeling_pair(F[n][i], at[(n * 2 + i) * PEELING_WARP].x);
}
template <typename real, int OWN>
static __device__ __forceinline__ void peeling_row_store(real *to, const real F[OWN][2][2], uint32_t first) {
    peeling_two<real> *at = (peeling_two<real> *)to + first * 2 * PEELING_WARP + peeling_lane();
#pragma unroll
    for (int n = 0; n < OWN; n++)
        for (int i = 0; i < 2; i++) at[(n * 2 + i) * PEELING_WARP] = {{F[n][i][0], F[n][i][1]}};
}
/* The largest entry of each pattern, among these states. */
template <typename real, int OWN>
static __device__ __forceinline__ void peeling_row_largest(uint32_t top[2], const real F[OWN][2][2]) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
        top[i] = 0;
        for (int n = 0; n < OWN; n++) top[i] = max(top[i], max(peeling_top(F[n][i][0]), peeling_top(F[n][i][1])));
        for (int s = 1; s < 4; s *= 2) top[i] = max(top[i], __shfl_xor_sync(0xffffffffu, top[i], s));
    }
}
/* Brings it to [1, 2). */
template <typename real, int OWN>
static __device__ __forceinline__ void peeling_row_rescale(real F[OWN][2][2], int exponent[2]) {
    uint32_t top[2];
    peeling_row_largest<real, OWN>(top, F);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int e;
        const real scale = peeling_scale_of_top<real>(top[i], &e);
        exponent[i] += e;
        for (int n = 0; n < OWN; n++) F[n][i][0] *= scale, F[n][i][1] *= scale;
    }
}
/* At the root: the sum over these states, weighted with their frequencies. */
template <typename real, int OWN>
static __device__ __forceinline__ void peeling_row_sum(double sum[2], const real F[OWN][2][2], const peeling_task *task,
                                                       uint32_t first) {
    sum[0] = sum[1] = 0;
#pragma unroll
    for (uint32_t n = 0; n < OWN; n++)
        for (uint32_t p = 0; p < 2; p++)
            for (int i = 0; i < 2; i++)
                sum[i] += task->frequency[8 * (first + n) + 2 * (peeling_lane() % 4) + p] * (double)F[n][i][p];
    for (int i = 0; i < 2; i++)
        for (int s = 1; s < 4; s *= 2) sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], s);
}

/* Rows of P are ROW numbers apart, and their states exchanged in groups of 32 bytes. Groups n and n + COUNT of eight neighbouring states
   are exchanged alike. A tip's matrix has BYTES, another's has PIECES. */
template <typename real, int W> struct peeling_rows {
    enum {
        ROW = W <= 32 ? 32 : 64,
        COUNT = 32 / (int)sizeof(real) > 4 ? 4 : 2,
        BYTES = W * ROW * (int)sizeof(real),
        PIECES = W * ROW * (int)sizeof(double)
    };
};
/* P^(r) in device memory: there is room for PIECES. */
static __device__ __forceinline__ char *peeling_row_matrix(const peeling_task *task, uint32_t matrix, uint32_t r) {
    return (char *)task->matrix + (matrix * (size_t)task->rates + r) * task->padded * task->padded * sizeof(double);
}

/* A tip: acc = (or, MORE, *=) the sum of P's rows in the pattern's set. */
template <typename real, int W, int OWN, bool MORE>
static __device__ __forceinline__ void peeling_row_look_up(real acc[OWN][2][2], const peeling_task *task, const real *P,
                                                           const uint16_t *codes, uint32_t first) {
    enum { ROW = peeling_rows<real, W>::ROW, COUNT = peeling_rows<real, W>::COUNT };
    const uint32_t lane = peeling_lane(), s = 2 * (lane % 4);
    const uint32_t code[2] = {codes[lane / 4], codes[lane / 4 + 8]};
    real sum[2][OWN][2];
    // No branches here: all loads are on their way together.
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const uint32_t j = min(code[i], task->states - 1), swizzle = peeling_row_swizzle<real, PEELING_BANK_BYTES>(j);
        const real *at[COUNT];
        for (uint32_t m = 0; m < COUNT; m++) at[m] = P + j * ROW + ((8 * (first + m) + s) ^ swizzle);
#pragma unroll
        for (uint32_t n = 0; n < OWN; n++) peeling_pair(sum[i][n], at[n % COUNT] + n / COUNT * (8 * COUNT));
    }
    if (max(code[0], code[1]) >= task->states)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            if (code[i] < task->states) continue;
            uint64_t set = task->set[code[i]];
            const bool full = set == ~(uint64_t)0 >> (64 - task->states);
#pragma unroll
            for (uint32_t n = 0; n < OWN; n++)
                for (uint32_t p = 0; p < 2; p++) sum[i][n][p] = full && 8 * (first + n) + s + p < task->states ? 1 : 0;
            for (; !full && set != 0; set &= set - 1) {
                const uint32_t j = (uint32_t)__ffsll((long long)set) - 1,
                               swizzle = peeling_row_swizzle<real, PEELING_BANK_BYTES>(j);
#pragma unroll
                for (uint32_t n = 0; n < OWN; n++) {
                    real more[2];
                    peeling_pair(more, P + j * ROW + ((8 * (first + n) + s) ^ swizzle));
                    for (int p = 0; p < 2; p++) sum[i][n][p] += more[p];
                }
            }
        }
#pragma unroll
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < OWN; n++)
            for (int p = 0; p < 2; p++) acc[n][i][p] = MORE ? acc[n][i][p] * sum[i][n][p] : sum[i][n][p];
}
