/* Device code of all stages, and the small kernels before and after the joins: factors of the transition matrices, tips
   as vectors, rescaling, sites, and their sum. The host code is in peeling/kit/device.h. */
#ifndef PEELING_KIT_STAGE_H
#define PEELING_KIT_STAGE_H

#include <math.h>

#include "harness/device/memory.h"
#include "peeling/problem.h"

enum { PEELING_WARP = 32 };

/* The kernels' parameter, by value. The model has S states and buffers have `padded` of them; F and P are 0 for the
   states above S. real is float or double. */
typedef struct {
    uint32_t tips, patterns, rates;
    uint32_t states;           // S
    uint32_t padded;           // at least S
    uint32_t edge_count;       // in the list
    uint32_t exchange;         // `partial` has state s of pattern c at s ^ 8 (c & exchange); 0 unless plan.exchanged
    const uint16_t *code;      // [tips][patterns]
    const uint64_t *set;       // [codes]
    const double *weight;      // [patterns]
    const double *right;       // E [padded][padded]
    const double *left;        // E^-1 [padded][padded]
    const double *eigenvalue;  // [padded]
    const double *frequency;   // [padded]
    const double *rate;        // [rates]
    const double *share;       // [rates]
    const peeling_edge *edges; // [edge_count]
    const peeling_join *joins; // level by level
    double *factor;            // [edge of the list][rates][padded]: expm1(eigenvalue * rate * length)
    void *matrix;  // real [matrices][rates][padded][padded]: [s][j] in stage 01 and library_cublas, else [j][s]
    void *tip;     // real [tips][patterns][padded]: 1 for the states of the tip's set, else 0; see tips_as_vectors
    void *partial; // real [partials][rates][patterns][padded]
    int *exponent; // [partials][rates][patterns]
    double *site;  // [patterns], then the total
    double *block_total; // [blocks of the sum]
} peeling_task;

/* F of a vector in rate class r, from pattern c on: [padded] for each pattern. A tip is the same in all classes. */
template <typename real>
static __device__ __forceinline__ const real *peeling_vector(const peeling_task *task, uint32_t vector, uint32_t r,
                                                             size_t c) {
    const size_t C = task->patterns, W = task->padded;
    return vector < task->tips
               ? (const real *)task->tip + (vector * C + c) * W
               : (const real *)task->partial + (((vector - task->tips) * (size_t)task->rates + r) * C + c) * W;
}
/* The same for writing; not for tips. */
template <typename real>
static __device__ __forceinline__ real *peeling_partial(const peeling_task *task, uint32_t vector, uint32_t r,
                                                        size_t c) {
    return (real *)task->partial +
           (((vector - task->tips) * (size_t)task->rates + r) * task->patterns + c) * task->padded;
}
static __device__ __forceinline__ int *peeling_exponent(const peeling_task *task, uint32_t vector, uint32_t r,
                                                        size_t c) {
    return task->exponent + ((vector - task->tips) * (size_t)task->rates + r) * task->patterns + c;
}
/* The exponent of a child, 0 for a tip. */
static __device__ __forceinline__ int peeling_exponent_of(const peeling_task *task, uint32_t vector, uint32_t r,
                                                          size_t c) {
    return vector < task->tips ? 0 : *peeling_exponent(task, vector, r, c);
}
/* P^(r) in a matrix buffer: [padded][padded]. */
template <typename real>
static __device__ __forceinline__ real *peeling_matrix(const peeling_task *task, uint32_t matrix, uint32_t r) {
    return (real *)task->matrix + (matrix * (size_t)task->rates + r) * task->padded * task->padded;
}

/* --- Exponents --------------------------------------------------------------------------------------------------- */

/* The upper 32 bits of a number that is not negative, exponent first. They have the same order as the numbers, and
   comparing 32-bit integers is cheaper. */
static __device__ __forceinline__ uint32_t peeling_top(float x) { return (uint32_t)__float_as_int(x); }
static __device__ __forceinline__ uint32_t peeling_top(double x) { return (uint32_t)__double2hiint(x); }
/* 2^e for e in the number's range of exponents. */
static __device__ __forceinline__ float peeling_power(int e, float) { return __int_as_float((e + 127) << 23); }
static __device__ __forceinline__ double peeling_power(int e, double) { return __hiloint2double((e + 1023) << 20, 0); }

/* The factor for F whose largest entry has this top: it brings that entry to [1, 2). *e gets the exponent to remember.
   The factor is a power of two, so multiplying rounds nothing. It is made from the bits, since frexp takes ten times as
   long. An entry below 1e-38 (doubles: 1e-308) has no exponent in its bits and gets too small a power. That does no
   harm, because the next join rescales again. A column of zeros is impossible data; it gets some power and stays 0. */
template <typename real> static __device__ __forceinline__ real peeling_scale_of_top(uint32_t top, int *e) {
    *e = sizeof(real) == 8 ? (int)(top >> 20) - 1023 : (int)(top >> 23) - 127;
    return peeling_power(-*e, real());
}
/* The same for the largest entry itself; 1 for zeros. */
template <typename real> static __device__ __forceinline__ real peeling_scale(real most, int *e) {
    return peeling_scale_of_top<real>(most > 0 ? peeling_top(most) : peeling_top((real)1), e);
}

/* A join's exponent: its own, plus those of both children. */
static __device__ __forceinline__ void peeling_remember(const peeling_task *task, const peeling_join *join, uint32_t r,
                                                        size_t c, int e) {
    *peeling_exponent(task, join->to, r, c) =
        e + peeling_exponent_of(task, join->child[0], r, c) + peeling_exponent_of(task, join->child[1], r, c);
}

/* --- Factors of the matrices ------------------------------------------------------------------------------------- */

/* The paper's "precalculating the scaling factors": one thread per (edge, rate, eigenvalue). expm1 instead of exp: the
   matrix is the identity plus E diag(factor) E^-1, which is exact for length 0. */
static __device__ __forceinline__ double peeling_factor_of(const peeling_task *task, size_t edge, size_t r, size_t k) {
    const double speed = task->eigenvalue[k] * task->rate[r];
    /* Here 0 times an infinite length is 0. */
    return speed == 0 ? 0 : expm1(speed * task->edges[edge].length);
}
static __global__ void peeling_factor(peeling_task task) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, W = task.padded, R = task.rates;
    if (i < task.edge_count * R * W) task.factor[i] = peeling_factor_of(&task, i / (R * W), i / W % R, i % W);
}

/* Entry (i, j) of P from its sum over k: adds the identity, and sets negative rounding errors and padding to 0. */
static __device__ __forceinline__ double peeling_probability(const peeling_task *task, uint32_t i, uint32_t j,
                                                             double sum) {
    if (i >= task->states || j >= task->states) return 0;
    const double p = sum + (i == j ? 1 : 0);
    return p > 0 ? p : 0;
}

/* --- Tips as vectors --------------------------------------------------------------------------------------------- */

template <typename real> static __global__ void peeling_tip_vectors(peeling_task task) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, W = task.padded;
    if (i >= task.tips * (size_t)task.patterns * W) return;
    const uint32_t s = (uint32_t)(i % W);
    ((real *)task.tip)[i] = s < task.states && (task.set[task.code[i / W]] >> s & 1) ? (real)1 : (real)0;
}

/* --- Rescaling by itself ----------------------------------------------------------------------------------------- */

/* For stages whose joins do not rescale. One thread per (r, c) finds the largest entry, then multiplies all of them. */
template <typename real> static __global__ void peeling_rescale(peeling_task task, peeling_join join) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, C = task.patterns;
    if (i >= task.rates * C) return;
    const uint32_t r = (uint32_t)(i / C);
    const size_t c = i % C;
    real *F = peeling_partial<real>(&task, join.to, r, c); // [padded]
    real most = 0;
    for (uint32_t s = 0; s < task.states; s++) most = F[s] > most ? F[s] : most;
    int e;
    const real scale = peeling_scale(most, &e);
    for (uint32_t s = 0; s < task.states; s++) F[s] *= scale;
    peeling_remember(&task, &join, r, c, e);
}

/* --- Sites and their sum ----------------------------------------------------------------------------------------- */

/* A sum of values times 2^e, for sum_r share[r] L[r] 2^e[r]. Terms are added one after the other. One that is
   negative or not a number makes the sum not a number. */
typedef struct {
    double sum; // times 2^e
    int e;
} peeling_scaled;
static __device__ __forceinline__ void peeling_add(peeling_scaled *l, double value, int e) {
    if (value == 0) return;
    if (!(value > 0)) value = NAN;
    if (l->sum == 0) l->e = e;
    /* If the exponents differ by 2,000, ldexp gives 0. That is right: the other term is 2^2000 times as large. */
    if (e <= l->e) {
        l->sum += ldexp(value, e - l->e);
    } else {
        l->sum = ldexp(l->sum, l->e - e) + value;
        l->e = e;
    }
}
static __device__ __forceinline__ double peeling_log(peeling_scaled l) {
    const double LN2 = 0.693147180559945309417;
    return l.sum == 0 ? -INFINITY : log(l.sum) + l.e * LN2;
}

/* `lanes` lanes per pattern, a power of two up to 32, share its states, so that neighbouring lanes load neighbouring
   states. */
template <typename real> static __global__ void peeling_site(peeling_task task, uint32_t root, uint32_t lanes) {
    const uint32_t lane = threadIdx.x % lanes;
    const size_t c = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / lanes;
    const bool here = c < task.patterns; // lanes without a pattern stay: the shuffles need all lanes
    peeling_scaled l = {0, 0};
    for (uint32_t r = 0; r < task.rates; r++) {
        double sum = 0;
        if (here) {
            const real *F = peeling_vector<real>(&task, root, r, c);
            for (uint32_t s = lane; s < task.states; s += lanes)
                sum += task.frequency[s] * (double)F[s ^ 8 * (c & task.exchange)];
        }
        for (uint32_t step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
        if (here && lane == 0) peeling_add(&l, sum * task.share[r], peeling_exponent_of(&task, root, r, c));
    }
    if (here && lane == 0) task.site[c] = peeling_log(l);
}

enum { PEELING_SUM_BLOCK = 256 }; // patterns per block of the last sum

/* The sum of a block's numbers, always in the same order, so that results repeat to the last bit. */
static __device__ __forceinline__ double peeling_block_sum(double value, double *shared) { // [PEELING_SUM_BLOCK]
    shared[threadIdx.x] = value;
    for (uint32_t half = PEELING_SUM_BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    }
    return threadIdx.x == 0 ? shared[0] : 0; // only thread 0 gets the sum
}
static __global__ void peeling_sum_sites(peeling_task task) {
    __shared__ double shared[PEELING_SUM_BLOCK];
    const size_t c = blockIdx.x * (size_t)PEELING_SUM_BLOCK + threadIdx.x;
    const double sum = peeling_block_sum(c < task.patterns ? task.weight[c] * task.site[c] : 0, shared);
    if (threadIdx.x == 0) task.block_total[blockIdx.x] = sum;
}
static __global__ void peeling_sum_blocks_of(peeling_task task, uint32_t blocks) {
    __shared__ double shared[PEELING_SUM_BLOCK];
    double sum = 0;
    for (uint32_t b = threadIdx.x; b < blocks; b += PEELING_SUM_BLOCK) sum += task.block_total[b];
    sum = peeling_block_sum(sum, shared);
    if (threadIdx.x == 0) task.site[task.patterns] = sum;
}

#endif
