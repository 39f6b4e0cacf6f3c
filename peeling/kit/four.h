/* A join of four states, for stages 05_registers and 06_levels. A thread has whole patterns, with four numbers of each
   child, and threads share only the matrices. A pattern takes 32 multiplications and 60 bytes (single precision, two
   inner children), so memory decides the time: the loads must start early and take 16 bytes each.

   A tip is one of 15 sets of states, and its factor is a sum of columns of the matrix. A table of 16 rows of four has
   these sums. Row 2^j is column j itself, so the same table serves inner children. */
#pragma once

#include "peeling/kit/scale.h"
#include "peeling/kit/tile.h"

enum { PEELING_FOUR = 4, PEELING_SETS = 16, PEELING_FOUR_BLOCK = 2 * PEELING_SETS * PEELING_FOUR };

template <typename real> static __device__ __forceinline__ void peeling_read_four(const real *from, real *to) { // [4]
    enum { WORD = 16 / sizeof(real) };
#pragma unroll
    for (int i = 0; i < PEELING_FOUR; i += WORD) peeling_read(from + i, to + i);
}

/* Entry (set, s) of a child's table. Each thread of the block computes one. */
template <typename real>
static __device__ __forceinline__ real peeling_of_set(const peeling_task *task, const peeling_join *join, int child,
                                                      uint32_t r, uint32_t set, uint32_t s) {
    const real *P = peeling_matrix<real>(task, join->matrix[child], r); // [j][s]
    real sum = 0;
#pragma unroll
    for (uint32_t j = 0; j < PEELING_FOUR; j++)
        if (set >> j & 1) sum += P[j * PEELING_FOUR + s];
    return set == PEELING_SETS - 1 ? 1 : sum; // missing data: exactly 1, without rounding
}

/* The block computes the patterns from c0 on. A thread has EACH of them, PEELING_FOUR_BLOCK apart. table: in shared
   memory, [2][PEELING_SETS][PEELING_FOUR]. */
template <typename real, int EACH>
static __device__ __forceinline__ void peeling_join_four(const peeling_task *task, const peeling_join *join, uint32_t r,
                                                         size_t c0, real (*table)[PEELING_SETS][PEELING_FOUR]) {
    const size_t C = task->patterns;
    real F[2][EACH][PEELING_FOUR];
    int e[2][EACH];
    uint32_t code[2][EACH];
    size_t c[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        c[i] = c0 + threadIdx.x + i * PEELING_FOUR_BLOCK;
        if (c[i] >= C) c[i] = C - 1; // the last pattern again: cheaper than a condition at every load
    }
    /* All loads come before the first use of any, and before the table's loads, so that their latencies overlap. */
#pragma unroll
    for (int child = 0; child < 2; child++) {
        const uint32_t vector = join->child[child];
        const bool tip = vector < task->tips;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            if (tip) {
                code[child][i] = task->code[vector * C + c[i]];
                e[child][i] = 0;
            } else {
                peeling_read_four(peeling_vector<real>(task, vector, r, c[i]), F[child][i]);
                e[child][i] = *peeling_exponent(task, vector, r, c[i]);
            }
        }
    }
    const uint32_t t = threadIdx.x;
    table[t / (PEELING_SETS * PEELING_FOUR)][t / PEELING_FOUR % PEELING_SETS][t % PEELING_FOUR] = peeling_of_set<real>(
        task, join, t / (PEELING_SETS * PEELING_FOUR), r, t / PEELING_FOUR % PEELING_SETS, t % PEELING_FOUR);
    __syncthreads();

#pragma unroll
    for (int i = 0; i < EACH; i++) {
        real product[PEELING_FOUR] = {1, 1, 1, 1}, most = 0;
#pragma unroll
        for (int child = 0; child < 2; child++) {
            real sum[PEELING_FOUR] = {}, row[PEELING_FOUR];
            if (join->child[child] < task->tips) {
                const uint32_t at = code[child][i];
                peeling_read_four(table[child][at < PEELING_FOUR ? 1u << at : (uint32_t)task->set[at]], sum);
            } else {
#pragma unroll
                for (int j = 0; j < PEELING_FOUR; j++) {
                    peeling_read_four(table[child][1 << j], row);
#pragma unroll
                    for (int s = 0; s < PEELING_FOUR; s++) sum[s] += row[s] * F[child][i][j];
                }
            }
#pragma unroll
            for (int s = 0; s < PEELING_FOUR; s++) product[s] *= sum[s];
        }
#pragma unroll
        for (int s = 0; s < PEELING_FOUR; s++) most = product[s] > most ? product[s] : most;
        int own;
        const real scale = peeling_scale(most, &own);
#pragma unroll
        for (int s = 0; s < PEELING_FOUR; s++) product[s] *= scale;
        if (c0 + threadIdx.x + i * PEELING_FOUR_BLOCK >= C) continue;
        real *to = peeling_partial<real>(task, join->to, r, c[i]);
#pragma unroll
        for (int s = 0; s < PEELING_FOUR; s += 16 / (int)sizeof(real)) peeling_write(to + s, product + s);
        *peeling_exponent(task, join->to, r, c[i]) = own + e[0][i] + e[1][i];
    }
}

/* Patterns per thread on large inputs: a thread then has 128 bytes of its two children in flight. */
template <typename real> struct peeling_four_each {
    enum { MANY = 16 / sizeof(real) };
};
/* An input is large if each multiprocessor gets this many blocks, the number that fits on it. */
enum { PEELING_FOUR_FULL = 6 };
