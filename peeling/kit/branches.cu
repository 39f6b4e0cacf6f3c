/* The likelihood as a function of one branch's length (the formula is in peeling/cpu_simd/branch.c). `ends` is launched once per branch, and
   `slopes` once per step of Newton's method or for several lengths together. `slopes` reads one vector, 128 bytes per pattern with 4 states
   and 4 rate classes, and only three numbers per length go back to the host. */
#include "peeling/kit/branches.h"

#include "peeling/kit/device.h"
#include "peeling/kit/scale.h"
#include "peeling/kit/stage.h"

enum { PEELING_ENDS_BLOCK = 256, PEELING_NO_CLASS = INT_MIN / 2 };

/* A row of blocks per rate class, one thread per pattern and eigenvector k. Since pi[j] E[j][k] = E^-1[k][j], neighbouring threads read
   neighbouring numbers of E. */
template <int STATES>
static __global__ void __launch_bounds__(PEELING_ENDS_BLOCK) peeling_ends_of(peeling_task task, peeling_join branch) {
    const size_t W = STATES > 0 ? STATES : task.padded, C = task.patterns;
    const size_t i = blockIdx.x * (size_t)PEELING_ENDS_BLOCK + threadIdx.x, c = i / W, k = i % W;
    const uint32_t r = blockIdx.y, S = STATES > 0 ? STATES : task.states;
    if (c >= C) return;
    double product = 1;
    for (int end = 0; end < 2; end++) {
        const uint32_t vector = branch.child[end];
        const bool is_tip = vector < task.tips;
        const uint64_t set = is_tip ? task.set[task.code[vector * C + c]] : 0;
        const double *F = is_tip ? NULL : peeling_partial<double>(&task, vector, r, c); // [padded]
        double sum = 0;
#pragma unroll
        for (uint32_t j = 0; j < S; j++)
            sum += task.right[j * W + k] * (task.frequency[j] * (is_tip ? (double)(set >> j & 1) : F[j]));
        product *= sum;
    }
    peeling_partial<double>(&task, branch.to, r, c)[k] = product;
    if (k == 0) peeling_remember(&task, &branch, r, c, 0);
}
extern "C" wl_status PEELING_ON(peeling_ends)(const peeling_state *s, const peeling_join *branch) {
    const dim3 grid(peeling_blocks(s->task.patterns * (size_t)s->task.padded, PEELING_ENDS_BLOCK), s->task.rates);
    if (s->task.patterns == 0) return WL_OK;
    if (s->task.padded == 4)
        peeling_ends_of<4><<<grid, PEELING_ENDS_BLOCK>>>(s->task, *branch);
    else
        peeling_ends_of<0><<<grid, PEELING_ENDS_BLOCK>>>(s->task, *branch);
    WL_LAUNCHED();
    return WL_OK;
}

/* A pattern's likelihood and its first two derivatives by the length, each times 2^exponent. */
typedef struct {
    double sum[3];
    int exponent;
} peeling_slope;

/* The first eigenvector's product is of what all states have: above 0, unless the class makes the pattern impossible. */
static __device__ __forceinline__ int peeling_class_exponent(const peeling_task *task, uint32_t ends, uint32_t r,
                                                             size_t c) {
    return *peeling_partial<double>(task, ends, r, c) > 0 ? *peeling_exponent(task, ends, r, c) : PEELING_NO_CLASS;
}

/* factor: exp(eigenvalue * rate * length), [rates][padded]. */
template <int STATES>
static __device__ __forceinline__ peeling_slope peeling_slope_of(const peeling_task *task, uint32_t ends, size_t c,
                                                                 const double *factor) {
    const uint32_t W = STATES > 0 ? STATES : task->padded, first = task->rate[0] == 0;
    peeling_slope at = {{0, 0, 0}, PEELING_NO_CLASS};
    for (uint32_t r = first; r < task->rates; r++)
        at.exponent = max(at.exponent, peeling_class_exponent(task, ends, r, c));
    for (uint32_t r = first; r < task->rates; r++) {
        const int lower = peeling_class_exponent(task, ends, r, c) - at.exponent;
        const double weight = lower <= -1023 ? 0 : task->share[r] * peeling_power(lower, double());
        const double *product = peeling_partial<double>(task, ends, r, c); // [padded]
        double sum[3] = {0, 0, 0};
#pragma unroll
        for (uint32_t k = 0; k < W; k++) {
            const double speed = task->eigenvalue[k] * task->rate[r], term = product[k] * factor[r * W + k];
            sum[0] += term;
            sum[1] += speed * term;
            sum[2] += speed * speed * term;
        }
        for (int d = 0; d < 3; d++) at.sum[d] += weight * sum[d];
    }
    return at;
}

/* A block's sums of three numbers each, in shared[0]. */
static __device__ __forceinline__ void peeling_three_sums(const double value[3], double (*shared)[3]) {
    for (int d = 0; d < 3; d++) shared[threadIdx.x][d] = value[d];
    __syncthreads();
    for (uint32_t half = PEELING_SUM_BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            for (int d = 0; d < 3; d++) shared[threadIdx.x][d] += shared[threadIdx.x + half][d];
        __syncthreads();
    }
}

/* Blocks of one column of the grid have one length. A block adds its patterns up; peeling_add_slopes adds the blocks. */
template <int STATES>
static __global__ void __launch_bounds__(PEELING_SUM_BLOCK)
    peeling_slopes_of(peeling_task task, peeling_slope_task look) {
    extern __shared__ double peeling_factors[]; // [rates][padded]
    __shared__ double shared[PEELING_SUM_BLOCK][3];
    const double length = look.length[blockIdx.y];
    for (uint32_t i = threadIdx.x; i < task.rates * task.padded; i += blockDim.x)
        peeling_factors[i] = exp(task.eigenvalue[i % task.padded] * task.rate[i / task.padded] * length);
    __syncthreads();
    const size_t c = blockIdx.x * (size_t)PEELING_SUM_BLOCK + threadIdx.x;
    double added[3] = {0, 0, 0}; // height, slope, curvature
    if (c < task.patterns) {
        peeling_slope at = peeling_slope_of<STATES>(&task, look.ends, c, peeling_factors);
        if (look.constant != NULL && look.constant[c] > 0) at.sum[0] += ldexp(look.constant[c], -at.exponent);
        if (look.heights) {
            added[0] = task.weight[c] * log(at.sum[0]);
        } else {
            /* Rounding made it 0: a change so rare that it needs all of the length. */
            const double one = at.sum[0] > 0 ? at.sum[1] / at.sum[0] : 1 / length;
            const double two = at.sum[0] > 0 ? at.sum[2] / at.sum[0] : 0;
            added[1] = task.weight[c] * one;
            added[2] = task.weight[c] * (two - one * one);
        }
    }
    peeling_three_sums(added, shared);
    for (int d = 0; threadIdx.x == 0 && d < 3; d++)
        look.added[(blockIdx.y * 3 + d) * gridDim.x + blockIdx.x] = shared[0][d];
}

/* A block per length, whose sums are always added up in the same order. */
static __global__ void peeling_add_slopes(peeling_slope_task look, uint32_t blocks) {
    __shared__ double shared[PEELING_SUM_BLOCK][3];
    double sum[3] = {0, 0, 0};
    for (uint32_t b = threadIdx.x; b < blocks; b += PEELING_SUM_BLOCK)
        for (int d = 0; d < 3; d++) sum[d] += look.added[(blockIdx.x * 3 + d) * blocks + b];
    peeling_three_sums(sum, shared);
    if (threadIdx.x < 3) look.sum[blockIdx.x * 3 + threadIdx.x] = shared[0][threadIdx.x];
}

extern "C" wl_status PEELING_ON(peeling_slopes)(const peeling_state *s, const peeling_slope_task *look) {
    const uint32_t blocks = peeling_blocks(s->task.patterns, PEELING_SUM_BLOCK);
    const dim3 grid(blocks, look->count);
    const size_t factors = sizeof(double) * s->task.rates * s->task.padded;
    if (blocks > 0) {
        if (s->task.padded == 4)
            peeling_slopes_of<4><<<grid, PEELING_SUM_BLOCK, factors>>>(s->task, *look);
        else
            peeling_slopes_of<0><<<grid, PEELING_SUM_BLOCK, factors>>>(s->task, *look);
        WL_LAUNCHED();
    }
    peeling_add_slopes<<<look->count, PEELING_SUM_BLOCK>>>(*look, blocks);
    WL_LAUNCHED();
    return WL_OK;
}
