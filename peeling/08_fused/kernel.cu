/* 08_fused: a pattern is carried through the whole tree, in registers.

   Idea: patterns have nothing to do with each other, so a thread that has computed one node's partials for its patterns
   can go on to the next node. With four states they are four numbers: the last result stays in registers, others wait
   in a few slots of shared memory (log2 of the number of tips, in a good order), and no partials ever visit device
   memory.
   Changed since 06_levels: the tree's loop is inside the kernel, not around it; so are the rate classes', the sum over
   them and the logarithm. One launch, where there was one a level.
   It should: read a byte a tip and pattern and write 8 a pattern, and otherwise be limited by arithmetic: 15 GFLOP of
   62 taxa, a million patterns and 4 rates are 0.3 ms of multiply-adds, where partials going back and forth take 8 GB.
   Show it: ./run run peeling/08_fused --model GTR+G4 --patterns 100000 --precision single */
#include "peeling/kit/matrices.h"

enum { S = 4, CHUNK = 32, BLOCK = 128 }; // joins whose matrices are in shared memory together; threads

/* F of a pattern, or a column of P: what all four states at one end have from one at the other. */
template <typename real> struct __align__(16) quad { real s[S]; };

/* Codes of K neighbouring patterns, one byte each, in one load. */
template <int K> struct word;
template <> struct word<1> { typedef uint8_t type; };
template <> struct word<2> { typedef uint16_t type; };
template <> struct word<4> { typedef uint32_t type; };

/* What a branch leaves of a tip: the sum of P's columns in its set. */
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
/* And of an inner node. */
template <typename real>
static __device__ __forceinline__ quad<real> product(const quad<real> column[S], const quad<real> &F) {
    quad<real> sum;
    for (int s = 0; s < S; s++) sum.s[s] = column[0].s[s] * F.s[0];
    for (int j = 1; j < S; j++)
        for (int s = 0; s < S; s++) sum.s[s] += column[j].s[s] * F.s[j];
    return sum;
}

/* Powers of two are taken out when the largest entry has fallen below 2^-40 (doubles: 2^-300), and not after every
   join. Two children may each be as small as that, which leaves a float 2^-46 (2^-422) for what both branches take
   away: lengths above 1e-13. */
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

/* A thread has K patterns. */
template <typename real, int K>
static __global__ void __launch_bounds__(BLOCK) fused(peeling_task task,
                                                      const uint8_t *code, // [tips][row]
                                                      size_t row, uint32_t joins) {
    typedef typename word<K>::type codes;
    extern __shared__ uint4 memory[];                         // read in pieces of 16 bytes
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
/* More patterns a thread share what is loaded of matrices, as long as there are enough threads: 8 warps a
   multiprocessor. */
template <typename real, int K> static wl_status width_of(peeling_state *s) {
    const bool wide = peeling_takes_large(s, s->task.patterns / K, 256) && shared_bytes<real, K>(s) <= s->shared_most;
    return wide ? launch_of<real, K>(s) : launch_of<real, 1>(s);
}
static wl_status joins(peeling_state *s) {
    return peeling_is_double(s) ? width_of<double, 2>(s) : width_of<float, 4>(s);
}
static uint32_t padded(uint32_t) { return S; }
static const char *refuses(const wl_device *, const peeling_input *in) {
    if (in->model->states != S) return "for models of four states";
    return in->data.codes > 256 ? "for at most 256 different sets of states" : NULL;
}

/* Than 06_levels: of 62 taxa not with 40,000 cells, but with 120,000 (README.md); straight lines through these times meet here. Of
   1,000 not with 120,000: what a level costs 06 and a join here, taken from these, says from where on. */
static const peeling_faster faster[] = {
    {PEELING_H200, {S, S}, PEELING_DOUBLE, {2, 128}, {52000, INFINITY}},
    {PEELING_H200, {S, S}, PEELING_SINGLE, {2, 128}, {88000, INFINITY}},
    {PEELING_H200, {S, S}, PEELING_DOUBLE, {129, UINT32_MAX}, {100000, INFINITY}},
    {PEELING_H200, {S, S}, PEELING_SINGLE, {129, UINT32_MAX}, {200000, INFINITY}},
    {},
};

PEELING_STAGE(.idea = "a pattern carried through the whole tree in registers", .source = "Warpladder",
              .limits = "models of 4 states", .padded = padded, .refuses = refuses, .faster = faster,
              .whole_trees_only = 1, .factors_within = 1, .matrices = peeling_matrices, .joins = joins,
              .own_bytes = own_bytes, .ready = pack)
