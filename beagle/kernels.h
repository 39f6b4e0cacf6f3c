/* The kernels of an instance on a GPU (device.cu). */
#pragma once

#include "beagle/device.h"
#include "peeling/kit/four.h"
#include "peeling/kit/registers.h"
#include "peeling/kit/scaled.h"
#include "peeling/kit/sums.h"

/* --- Joins of a level, from number `first` on --------------------------------------------------------------------- */

template <typename shape>
static __global__ void __launch_bounds__(shape::THREADS, shape::RESIDENT)
    beagle_joins(peeling_task task, uint32_t first, uint32_t tiles) {
    __shared__ peeling_chunk<shape> chunk[2];
    const uint32_t tile = blockIdx.x / task.rates;
    const peeling_join join = task.joins[first + tile / tiles];
    peeling_join_tile<shape>(&task, &join, blockIdx.x % task.rates, tile % tiles * (size_t)shape::PATTERNS, chunk);
}

template <typename real, int EACH>
static __global__ void __launch_bounds__(PEELING_FOUR_BLOCK, PEELING_FOUR_FULL)
    beagle_joins_of_four(peeling_task task, uint32_t first, uint32_t tiles) {
    __shared__ __align__(16) real table[2][PEELING_SETS][PEELING_FOUR];
    const uint32_t tile = blockIdx.x / task.rates;
    const peeling_join join = task.joins[first + tile / tiles];
    peeling_join_four<real, EACH>(&task, &join, blockIdx.x % task.rates,
                                  tile % tiles * (size_t)(EACH * PEELING_FOUR_BLOCK), table);
}

/* --- Scale factors: a thread a pattern ---------------------------------------------------------------------------- */

static __global__ void beagle_notes(peeling_task task, const bg_device_note *notes, // [count]
                                    uint32_t count,
                                    int32_t *scale,   // [scales][patterns]
                                    int32_t *taken) { // [buffers][patterns]
    const size_t c = blockIdx.x * (size_t)blockDim.x + threadIdx.x, C = task.patterns;
    if (c >= C) return;
    for (uint32_t i = 0; i < count; i++) {
        const bg_device_note note = notes[i];
        if (note.to == BG_NONE) {
            int32_t *to = scale + note.write * C + c;
            *to = note.read == BG_NONE ? 0 : *to + note.sign * scale[note.read * C + c];
            continue;
        }
        int32_t below = 0, factor = 0;
        for (int k = 0; k < 2; k++)
            if (note.child[k] != BG_NONE) below += taken[note.child[k] * C + c];
        if (note.write != BG_NONE) {
            int32_t most = INT32_MIN;
            for (uint32_t r = 0; r < task.rates; r++) {
                const int32_t e = *peeling_exponent(&task, note.vector, r, c);
                most = e > most ? e : most;
            }
            factor = most - below;
            scale[note.write * C + c] = factor;
            if (note.sum != BG_NONE) scale[note.sum * C + c] += factor;
        } else if (note.read != BG_NONE) {
            factor = scale[note.read * C + c];
        }
        taken[note.to * C + c] = below + factor;
    }
}

/* --- Likelihoods -------------------------------------------------------------------------------------------------- */

/* One subset's root, added to what the subsets before it have: `lanes` lanes a pattern, as in peeling_site. */
template <typename real>
static __global__ void beagle_add_root(peeling_task task, uint32_t root, uint32_t lanes,
                                       const double *weight,    // [rates]
                                       const double *frequency, // [states]
                                       peeling_scaled *part,    // [patterns]
                                       int is_first) {
    const uint32_t lane = threadIdx.x % lanes;
    const size_t c = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / lanes;
    const bool here = c < task.patterns; // all lanes of the warp stay for the shuffles
    peeling_scaled l = {0, 0};
    if (here && lane == 0 && !is_first) l = part[c];
    for (uint32_t r = 0; r < task.rates; r++) {
        double sum = 0;
        if (here && root < task.tips) {
            const uint64_t set = task.set[task.code[root * (size_t)task.patterns + c]];
            for (uint32_t s = lane; s < task.states; s += lanes)
                if (set >> s & 1) sum += frequency[s];
        } else if (here) {
            const real *F = peeling_vector<real>(&task, root, r, c); // [padded]
            for (uint32_t s = lane; s < task.states; s += lanes) sum += frequency[s] * (double)F[s];
        }
        for (uint32_t step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
        if (here && lane == 0) peeling_add(&l, sum * weight[r], peeling_exponent_of(&task, root, r, c));
    }
    if (here && lane == 0) part[c] = l;
}

/* site[c], and the sum of a block's, weighted: one that weighs nothing may be infinite. */
static __global__ void beagle_sites(peeling_task task, const peeling_scaled *part) { // [patterns]
    __shared__ double shared[PEELING_SUM_BLOCK];
    const size_t c = blockIdx.x * (size_t)PEELING_SUM_BLOCK + threadIdx.x;
    double sum = 0;
    if (c < task.patterns) {
        const double site = peeling_log(part[c]);
        task.site[c] = site;
        if (task.weight[c] != 0) sum = task.weight[c] * site;
    }
    sum = peeling_block_sum(sum, shared);
    if (threadIdx.x == 0) task.block_total[blockIdx.x] = sum;
}
