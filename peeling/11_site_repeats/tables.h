/* The tables of an evaluation, and the joins above them in the order in which blocks read them. */
#pragma once

#include "peeling/kit/access.h"
#include "peeling/kit/matrices.h"
#include "peeling/kit/program.h"
#include "peeling/kit/scale.h"
#include "peeling/kit/tables.h"

enum { S = 4, BLOCK = 256, PAIR = 2 * S };

/* F of a pattern, or a column of P. */
template <typename real> struct __align__(16) quad { real s[S]; };
template <typename real>
static __device__ __forceinline__ quad<real> get(const quad<real> *from) { // 16 bytes an access
    quad<real> F;
    for (int s = 0; s < S; s += 16 / sizeof(real)) peeling_read(from->s + s, F.s + s);
    return F;
}
template <typename real> static __device__ __forceinline__ void put(quad<real> *to, const quad<real> &F) {
    for (int s = 0; s < S; s += 16 / sizeof(real)) peeling_write(to->s + s, F.s + s);
}

template <typename real>
static __device__ __forceinline__ quad<real> product(const quad<real> column[S], const quad<real> &F) {
    quad<real> sum;
    for (int s = 0; s < S; s++) sum.s[s] = column[0].s[s] * F.s[0];
    for (int j = 1; j < S; j++)
        for (int s = 0; s < S; s++) sum.s[s] += column[j].s[s] * F.s[j];
    return sum;
}
template <typename real>
static __device__ __forceinline__ const quad<real> *columns_of(const peeling_task *task, uint32_t matrix, uint32_t r) {
    return (const quad<real> *)peeling_matrix<real>(task, matrix & ~PEELING_RESCALE, r);
}

/* As in 08_fused, F is rescaled when its largest entry is below 2^-40 (doubles: 2^-300), not after every join. */
template <typename real> static __device__ __forceinline__ uint32_t least_top() {
    return peeling_top(sizeof(real) == 8 ? (real)0x1p-300 : (real)0x1p-40f);
}
template <typename real> static __device__ __forceinline__ uint32_t largest_top(const quad<real> &F) {
    return max(max(peeling_top(F.s[0]), peeling_top(F.s[1])), max(peeling_top(F.s[2]), peeling_top(F.s[3])));
}
template <typename real> static __device__ __forceinline__ void rescale(quad<real> *F, int *exponent) {
    const uint32_t top = largest_top(*F);
    if (top >= least_top<real>()) return;
    int e;
    const real scale = peeling_scale_of_top<real>(top, &e);
    for (int s = 0; s < S; s++) F->s[s] *= scale;
    *exponent += e;
}

/* A join in shared memory is 16 bytes: x is where its result goes, y and z where its children are. These are PEELING_SLOT + a slot,
   PEELING_LAST, or of a table the first entry and the number (both among the batch's) and whether it has exponents, in these bits.
   Tables come before slots, and slots before the last result. */
enum { TABLE = 16, HAS_EXPONENTS = 1 << 30 };

/* The joins and their matrices in the order in which they are read. */
template <typename real>
static __device__ void line_up(const peeling_task *task, const peeling_tables *on, uint32_t r) {
    quad<real> *P = (quad<real> *)on->P + r * (size_t)on->joins * PAIR; // [joins][2][j]
    uint4 *list = on->list + r * (size_t)on->joins;
    for (uint32_t i = threadIdx.x; i < on->joins * PAIR; i += BLOCK) {
        const peeling_join *join = &task->joins[i / PAIR];
        const int child = i / S % 2, j = i % S;
        const bool is_table = join->child[child] < task->tips; // its reader's word comes from the table's block
        if (!is_table) put(&P[i], get(columns_of<real>(task, join->matrix[child], r) + j));
        if (j == 0 && !is_table) (&list[i / PAIR].y)[child] = join->child[child];
        if (i % PAIR == 0) list[i / PAIR].x = join->to;
    }
}

/* An entry and the matrix of its branch: what a step can load before the step before is done. */
template <typename real> struct coming {
    peeling_entry entry;
    quad<real> column[S];
};
template <typename real>
static __device__ __forceinline__ void load(coming<real> *to, const peeling_task *task, const peeling_tables *on,
                                            uint32_t i, uint32_t r) {
    to->entry = on->entry[i];
    for (int j = 0; j < S; j++) to->column[j] = get(columns_of<real>(task, to->entry.matrix, r) + j);
}

/* One block per table and rate class, and one per rate class for the joins; a thread computes an entry. */
template <typename real> static __global__ void __launch_bounds__(BLOCK) fill(peeling_task task, peeling_tables on) {
    const uint32_t t = blockIdx.x, r = blockIdx.y;
    if (t == on.tables) return line_up<real>(&task, &on, r);
    quad<real> *T = (quad<real> *)on.T + r * (size_t)on.entries; // [entries]
    int *exponent = on.exponent + r * (size_t)on.entries;        // [entries]
    const uint32_t first_step = on.first_step[t], end = on.first_step[t + 1];
    int scaled = 0;
    peeling_step now = on.step[first_step];
    coming<real> ready;
    if (threadIdx.x < now.count) load(&ready, &task, &on, now.first + threadIdx.x, r);
    for (uint32_t step = first_step; step < end; step++) {
        for (uint32_t i = threadIdx.x; i < now.count; i += BLOCK) {
            if (i >= BLOCK) load(&ready, &task, &on, now.first + i, r);
            const peeling_entry entry = ready.entry;
            quad<real> F;
            int e = 0;
            if (entry.right == PEELING_OF_TIP) {
                for (int j = 0; j < S; j++) F.s[j] = (real)(entry.left >> j & 1);
            } else {
                const quad<real> left = get(&T[entry.left]), right = get(&T[entry.right]);
                for (int s = 0; s < S; s++) F.s[s] = left.s[s] * right.s[s];
                e = exponent[entry.left] + exponent[entry.right];
                rescale(&F, &e);
            }
            put(&T[now.first + i], product(ready.column, F));
            exponent[now.first + i] = e;
            scaled |= e != 0;
        }
        if (step + 1 < end) {
            now = on.step[step + 1];
            if (threadIdx.x < now.count) load(&ready, &task, &on, now.first + threadIdx.x, r);
        }
        __syncthreads(); // the next step reads this one's entries
    }
    scaled = __syncthreads_or(scaled);
    if (threadIdx.x > 0) return;
    const peeling_reader reader = on.reader[t];
    (&on.list[r * (size_t)on.joins + reader.join].y)[reader.child] =
        reader.entry | reader.table << TABLE | (scaled ? HAS_EXPONENTS : 0);
}
