/* 08_fused: a pattern goes through the whole tree in registers.

   Idea: patterns do not depend on each other, so a thread that has one node's partials can go on to the next node. With
   four states these are four numbers. The last result stays in registers, and others wait in a few slots of shared
   memory (at most log2 of the number of tips, in a good order). No partials go to device memory.
   Changed, against 06_levels: the loops over the tree and the rate classes, the sum over them and the logarithm are
   inside the kernel. One launch instead of one per level.
   Expected: loads of one byte per tip and pattern and stores of 8 bytes per pattern, so arithmetic is the limit.
   Measured: 2.7 times as fast as 06_levels on an H200 with a million patterns of 62 taxa, but slower with 10,000.
   See: warpladder run peeling/08_fused --model GTR+G4 --patterns 100000 --precision single */
#include "peeling/engine/faster.h"
#include "peeling/kit/matrices.h"
#include "peeling/kit/program.h"
#include "peeling/kit/scale.h"
#include "peeling/kit/scaled.h"
#include "peeling/model/generator.h"
#include "peeling/problem.h"

enum { S = 4, CHUNK = 32, BLOCK = 128 }; // CHUNK: joins whose matrices are in shared memory together; BLOCK: threads

/* F of a pattern, or a column of P. */
template <typename real> struct __align__(16) quad { real s[S]; };

/* The codes of K neighbouring patterns, one byte each, are one load of this type. */
template <int K> struct word;
template <> struct word<1> { typedef uint8_t type; };
template <> struct word<2> { typedef uint16_t type; };
template <> struct word<4> { typedef uint32_t type; };

/* P F of a tip: the sum of the columns of P in its set. */
template <typename real>
static __device__ __forceinline__ quad<real> look_up(const peeling_task *task, const quad<real> *P,
                                                     uint32_t code) { // [j]
    if (code < S) return P[code];
    const uint32_t set = (uint32_t)task->set[code];
    quad<real> sum = {};
    for (uint32_t j = 0; j < S; j++)
        for (uint32_t s = 0; s < S; s++) sum.s[s] += set >> j & 1 ? P[j].s[s] : (real)0;
    return sum;
}
/* P F of an inner node. */
template <typename real>
static __device__ __forceinline__ quad<real> product(const quad<real> column[S], const quad<real> &F) {
    quad<real> sum;
    for (int s = 0; s < S; s++) sum.s[s] = column[0].s[s] * F.s[0];
    for (int j = 1; j < S; j++)
        for (int s = 0; s < S; s++) sum.s[s] += column[j].s[s] * F.s[j];
    return sum;
}

/* Rescales when the largest entry is below 2^-40 (doubles: 2^-300), not after every join. Two children may each be as
   small as that. This leaves 2^-46 (2^-422) for what both branches take away, enough for lengths above 1e-13. */
template <typename real> static __device__ __forceinline__ void rescale(quad<real> *F, int *exponent) {
    const real least = sizeof(real) == 8 ? (real)0x1p-300 : (real)0x1p-40f;
    real most = F->s[0];
    for (int s = 1; s < S; s++) most = F->s[s] > most ? F->s[s] : most;
    if (most >= least) return;
    int e;
    const real scale = peeling_scale(most, &e);
    for (int s = 0; s < S; s++) F->s[s] *= scale;
    *exponent += e;
}

/* Each thread computes K patterns. */
template <typename real, int K>
static __global__ void __launch_bounds__(BLOCK) fused(peeling_task task,
                                                      const uint8_t *code, // [tips][row]
                                                      size_t row, uint32_t joins) {
    typedef typename word<K>::type codes;
    extern __shared__ uint4 memory[];                         // uint4, so that it is aligned to 16 bytes
    quad<real> *P = (quad<real> *)memory;                     // [CHUNK][2][j]
    peeling_join *list = (peeling_join *)(P + CHUNK * 2 * S); // [CHUNK]
    quad<real> *slot = (quad<real> *)(list + CHUNK);          // [slots][K][BLOCK]
    const size_t c0 = (blockIdx.x * (size_t)BLOCK + threadIdx.x) * K;
    const bool here = c0 < task.patterns;
    peeling_scaled likelihood[K] = {};
    for (uint32_t r = 0; r < task.rates; r++) {
        quad<real> last[K] = {};
        int exponent[K] = {};
        for (uint32_t first = 0; first < joins; first += CHUNK) {
            const uint32_t count = min((uint32_t)CHUNK, joins - first);
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < count; i += BLOCK) list[i] = task.joins[first + i];
            for (uint32_t i = threadIdx.x; i < count * 2 * S; i += BLOCK) {
                const peeling_join *join = &task.joins[first + i / (2 * S)];
                P[i] = ((const quad<real> *)peeling_matrix<real>(&task, join->matrix[i / S % 2] & ~PEELING_RESCALE,
                                                                 r))[i % S];
            }
            __syncthreads();
            for (uint32_t i = 0; i < count && here; i++) {
                const peeling_join join = list[i];
                quad<real> F[K];
                for (int child = 0; child < 2; child++) {
                    const quad<real> *branch = P + (2 * i + child) * S;
                    const uint32_t from = join.child[child];
                    quad<real> column[S];
                    codes word = 0;
                    if (from < task.tips)
                        word = *(const codes *)(code + from * row + c0);
                    else
                        for (int j = 0; j < S; j++) column[j] = branch[j];
#pragma unroll
                    for (int k = 0; k < K; k++) {
                        quad<real> sum;
                        if (from < task.tips)
                            sum = look_up(&task, branch, word >> 8 * k & 255);
                        else if (from == PEELING_LAST)
                            sum = product(column, last[k]);
                        else
                            sum = product(column, slot[((from - PEELING_SLOT) * K + k) * BLOCK + threadIdx.x]);
                        for (int s = 0; s < S; s++) F[k].s[s] = child == 0 ? sum.s[s] : F[k].s[s] * sum.s[s];
                    }
                }
#pragma unroll
                for (int k = 0; k < K; k++) {
                    rescale(&F[k], &exponent[k]);
                    last[k] = F[k];
                    if (join.to != PEELING_LAST) slot[((join.to - PEELING_SLOT) * K + k) * BLOCK + threadIdx.x] = F[k];
                }
            }
        }
        for (int k = 0; k < K; k++) {
            double sum = 0;
            for (int s = 0; s < S; s++) sum += task.frequency[s] * (double)last[k].s[s];
            peeling_add(&likelihood[k], sum * task.share[r], exponent[k]);
        }
    }
    for (int k = 0; k < K; k++)
        if (c0 + k < task.patterns) task.site[c0 + k] = peeling_log(likelihood[k]);
}

/* --- Codes as bytes, in rows of a length that any word divides --------------------------------------------------- */

static size_t row_of(const peeling_task *task) { return ((size_t)task->patterns + 15) / 16 * 16; }
static size_t own_bytes(const peeling_input *, const peeling_task *task) { return task->tips * row_of(task); }

static __global__ void bytes(peeling_task task, uint8_t *code, size_t row) { // [tips][row]
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= task.tips * row) return;
    const size_t c = i % row;
    code[i] = c < task.patterns ? (uint8_t)task.code[i / row * task.patterns + c] : 0;
}
static wl_status pack(peeling_state *s) {
    const size_t row = row_of(&s->task), threads = s->task.tips * row;
    if (threads == 0) return WL_OK;
    bytes<<<peeling_blocks(threads, 256), 256>>>(s->task, (uint8_t *)s->own, row);
    WL_LAUNCHED();
    return WL_OK;
}

/* --- Launch ------------------------------------------------------------------------------------------------------ */

template <typename real, int K> static size_t shared_bytes(const peeling_state *s) {
    return CHUNK * (2 * S * sizeof(quad<real>) + sizeof(peeling_join)) + sizeof(quad<real>) * K * BLOCK * s->slots;
}
template <typename real, int K> static wl_status launch_of(peeling_state *s) {
    const size_t bytes = shared_bytes<real, K>(s);
    if (bytes > s->shared_most)
        return wl_fail(WL_NO_MACHINE,
                       "joins that keep %u vectors alive: found %zu bytes of shared memory; expected %zu", s->slots,
                       s->shared_most, bytes);
    WL_CUDA(cudaFuncSetAttribute(fused<real, K>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    const unsigned blocks = peeling_blocks(s->task.patterns, (size_t)BLOCK * K);
    fused<real, K><<<blocks, BLOCK, bytes>>>(s->task, (const uint8_t *)s->own, row_of(&s->task), s->join_count);
    WL_LAUNCHED();
    return WL_OK;
}
/* A thread with K patterns loads the matrices once for all of them. This pays if there are still enough threads: 8
   warps per multiprocessor. */
template <typename real, int K> static wl_status width_of(peeling_state *s) {
    const bool wide = peeling_takes_large(s, s->task.patterns / K, 256) && shared_bytes<real, K>(s) <= s->shared_most;
    return wide ? launch_of<real, K>(s) : launch_of<real, 1>(s);
}
static wl_status joins(peeling_state *s) { return s->is_double ? width_of<double, 2>(s) : width_of<float, 4>(s); }
static uint32_t padded(uint32_t) { return S; }
static const char *refuses(const wl_device *, const peeling_input *in) {
    if (in->model->states != S) return "for models of four states";
    return in->data.codes > 256 ? "for at most 256 different sets of states" : NULL;
}

/* Where it is faster than 06_levels, in cells (rate classes x patterns). With 62 taxa 40,000 are slower and 120,000 are
   faster; the limits are where straight lines through the measured times meet. With 1,000 taxa 120,000 are slower, and
   the limits are computed from the costs of a level in 06 and of a join here. */
static const peeling_faster faster[] = {
    {PEELING_H200, {S, S}, PEELING_DOUBLE, {2, 128}, {52000, INFINITY}},
    {PEELING_H200, {S, S}, PEELING_SINGLE, {2, 128}, {88000, INFINITY}},
    {PEELING_H200, {S, S}, PEELING_DOUBLE, {129, UINT32_MAX}, {100000, INFINITY}},
    {PEELING_H200, {S, S}, PEELING_SINGLE, {129, UINT32_MAX}, {200000, INFINITY}},
    {},
};

PEELING_STAGE(.idea = "a pattern carried through the whole tree in registers", .source = "Warpladder",
              .limits = "models of 4 states", .padded = padded, .refuses = refuses, .faster = faster,
              .whole_trees_only = 1, .factors_within = 1, .matrices = PEELING_ON(peeling_matrices), .joins = joins,
              .own_bytes = own_bytes, .ready = pack)
