/* What comes after the joins of a whole tree, without a launch of its own: sites and total (peeling/10_streamed, 12_warpgroups). The rate
   class that is done last computes the sites of 16 patterns, and the last 16 patterns the total. The order of the sums does not depend on
   who is last. */
#pragma once

#include "peeling/kit/streamed.h"
#include "peeling/kit/rows.h"
#include "peeling/kit/scaled.h"

/* Adds 1 to the count for the warp, and returns what it was. What the warp wrote before can be read by those who count later. */
static __device__ __forceinline__ uint32_t peeling_before_me(uint32_t *count) {
    __threadfence();
    __syncwarp();
    uint32_t before = 0;
    if (peeling_lane() == 0) before = atomicAdd(count, 1);
    before = __shfl_sync(0xffffffffu, before, 0);
    __threadfence();
    return before;
}
static __device__ __forceinline__ double peeling_warp_sum(double x) {
    for (int step = PEELING_WARP / 2; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}
/* By a warp with 16 patterns from c0 on; sum, exponent: of patterns lane / 4 + 8 k. Both counts are 0 before and after. */
static __device__ __forceinline__ void peeling_finish(const peeling_task *task, const peeling_ending *end, uint32_t r,
                                                      uint32_t c0, const double sum[2], const int exponent[2]) {
    const uint32_t lane = peeling_lane(), unit = c0 / PEELING_ROWS,
                   units = (task->patterns + PEELING_ROWS - 1) / PEELING_ROWS;
    const size_t C = task->patterns;
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t c = c0 + lane / 4 + 8 * k;
        if (lane % 4 != 0 || c >= C) continue;
        end->value[r * C + c] = sum[k];
        end->exponent[r * C + c] = exponent[k];
    }
    if (peeling_before_me(&end->classes[unit]) + 1 < task->rates) return;
    double weighted = 0;
    const uint32_t c = c0 + lane;
    if (lane < PEELING_ROWS && c < C) {
        peeling_scaled likelihood = {0, 0};
        for (uint32_t q = 0; q < task->rates; q++)
            peeling_add(&likelihood, __ldcg(&end->value[q * C + c]) * task->share[q],
                        __ldcg(&end->exponent[q * C + c]));
        const double site = peeling_log(likelihood);
        task->site[c] = site;
        weighted = task->weight[c] * site;
    }
    weighted = peeling_warp_sum(weighted);
    if (lane == 0) {
        end->unit_total[unit] = weighted;
        end->classes[unit] = 0; // for the next evaluation
    }
    if (peeling_before_me(end->units) + 1 < units) return;
    double total = 0;
    for (uint32_t u = lane; u < units; u += PEELING_WARP) total += __ldcg(&end->unit_total[u]);
    total = peeling_warp_sum(total);
    if (lane == 0) {
        task->site[C] = total;
        *end->units = 0;
    }
}
