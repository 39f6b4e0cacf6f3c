/* The small kernels before and after the joins of most stages, and the calls of CUDA that peeling/kit/host.c needs. */
#include "peeling/kit/device.h"

#include "peeling/kit/factor.h"
#include "peeling/kit/scale.h"
#include "peeling/kit/scaled.h"
#include "peeling/kit/sums.h"

/* --- Before the joins -------------------------------------------------------------------------------------------- */

static __global__ void peeling_factor(peeling_task task) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, W = task.padded, R = task.rates;
    if (i < task.edge_count * R * W) task.factor[i] = peeling_factor_of(&task, i / (R * W), i / W % R, i % W);
}
static wl_status factors(peeling_state *s) {
    const size_t threads = (size_t)s->task.edge_count * s->task.rates * s->task.padded;
    peeling_factor<<<peeling_blocks(threads, 256), 256>>>(s->task);
    WL_LAUNCHED();
    return WL_OK;
}

template <typename real> static __global__ void peeling_tip_vectors(peeling_task task) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, W = task.padded;
    if (i >= task.tips * (size_t)task.patterns * W) return;
    const uint32_t s = (uint32_t)(i % W);
    ((real *)task.tip)[i] = s < task.states && (task.set[task.code[i / W]] >> s & 1) ? (real)1 : (real)0;
}
template <typename real> static wl_status tips_as(peeling_state *s) {
    const size_t threads = s->task.tips * (size_t)s->task.patterns * s->task.padded;
    if (threads == 0) return WL_OK;
    peeling_tip_vectors<real><<<peeling_blocks(threads, 256), 256>>>(s->task);
    WL_LAUNCHED();
    return WL_OK;
}
static wl_status tips(peeling_state *s) { return PEELING_BY_PRECISION(tips_as, s); }

static __global__ void pack(peeling_task task, uint16_t *code, uint32_t row) { // [tips][row]
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= (size_t)task.tips * row) return;
    const size_t c = i % row;
    code[i] = c < task.patterns ? task.code[i / row * task.patterns + c] : 0;
}
wl_status PEELING_ON(peeling_pack)(peeling_state *s, uint16_t *code, uint32_t row) {
    const size_t threads = (size_t)s->task.tips * row;
    if (threads == 0) return WL_OK;
    pack<<<peeling_blocks(threads, 256), 256>>>(s->task, code, row);
    WL_LAUNCHED();
    return WL_OK;
}

/* --- After a join ------------------------------------------------------------------------------------------------ */

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
template <typename real> static wl_status rescaled_as(peeling_state *s, const peeling_join *join) {
    const size_t threads = s->task.rates * (size_t)s->task.patterns;
    peeling_rescale<real><<<peeling_blocks(threads, 128), 128>>>(s->task, *join);
    WL_LAUNCHED();
    return WL_OK;
}
wl_status PEELING_ON(peeling_rescaled)(peeling_state *s, const peeling_join *join) {
    return s->is_double ? rescaled_as<double>(s, join) : rescaled_as<float>(s, join);
}

/* --- After all joins --------------------------------------------------------------------------------------------- */

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
template <typename real> static wl_status sites_as(peeling_state *s) {
    if (s->task.patterns == 0) return WL_OK;
    uint32_t lanes = 1;
    while (lanes < PEELING_WARP && 2 * lanes <= s->task.padded) lanes *= 2;
    peeling_site<real><<<peeling_blocks(s->task.patterns * (size_t)lanes, 256), 256>>>(s->task, s->root, lanes);
    WL_LAUNCHED();
    return WL_OK;
}
static wl_status sites(peeling_state *s) { return PEELING_BY_PRECISION(sites_as, s); }

static __global__ void peeling_sum_sites(peeling_task task) {
    __shared__ double shared[PEELING_SUM_BLOCK];
    const size_t c = blockIdx.x * (size_t)PEELING_SUM_BLOCK + threadIdx.x;
    const double sum = peeling_block_sum(c < task.patterns ? task.weight[c] * task.site[c] : 0, shared);
    if (threadIdx.x == 0) task.block_total[blockIdx.x] = sum;
}
static wl_status total(peeling_state *s) {
    const uint32_t blocks = peeling_blocks(s->task.patterns, PEELING_SUM_BLOCK);
    if (blocks > 0) {
        peeling_sum_sites<<<blocks, PEELING_SUM_BLOCK>>>(s->task);
        WL_LAUNCHED();
    }
    peeling_sum_blocks_of<<<1, PEELING_SUM_BLOCK>>>(s->task, blocks);
    WL_LAUNCHED();
    return WL_OK;
}

/* --- Memory ------------------------------------------------------------------------------------------------------ */

static wl_status shared_most(int ordinal, size_t *bytes) {
    int found = 0;
    WL_CUDA(cudaDeviceGetAttribute(&found, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
    *bytes = (size_t)found;
    return WL_OK;
}
static wl_status allocate(void **to, size_t bytes) { return wl_cuda_output(to, bytes); }
/* Not the asynchronous copy: it may return before it has read memory that is not pinned. */
static wl_status copy(void *to, const void *from, size_t bytes) {
    if (bytes > 0) WL_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return WL_OK;
}

extern "C" {
wl_status PEELING_ON(peeling_ends)(const peeling_state *s, const peeling_join *branch);
wl_status PEELING_ON(peeling_slopes)(const peeling_state *s, const struct peeling_slope_task *task);
}
const peeling_device PEELING_ON(peeling_device) = {shared_most,
                                                   allocate,
                                                   wl_cuda_free,
                                                   copy,
                                                   wl_cuda_take,
                                                   tips,
                                                   factors,
                                                   sites,
                                                   total,
                                                   PEELING_ON(peeling_ends),
                                                   PEELING_ON(peeling_slopes)};
