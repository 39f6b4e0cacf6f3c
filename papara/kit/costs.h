/* What stages 07 and 08 share: the costs of each of four states on a site, made beforehand. DNA only. */
#pragma once

#include "papara/kit/pairs.h"

/* One thread per (group, site, lane). A state costs free_of_gap, or on_gap if the site has CGAP, plus mismatch if the site lacks it. */
static __global__ void papara_pack_costs(const uint32_t *plain, // [vectors][sites]
                                         size_t vectors, size_t sites, size_t groups, size_t padded, int mismatch,
                                         int free_of_gap, int on_gap, uint4 *cost, uint32_t *gap) {
    const size_t lanes = groups * padded * PAPARA_WARP;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < lanes; k += (size_t)gridDim.x * blockDim.x) {
        const size_t site = k / PAPARA_WARP % padded, group = k / PAPARA_WARP / padded;
        uint32_t of_state[4] = {0, 0, 0, 0}, gaps = 0;
        for (int half = 0; half < 2; half++) {
            const size_t vector = group * PAPARA_PAIRS + 2 * (k % PAPARA_WARP) + half;
            if (vector >= vectors || site >= sites) continue;
            const uint32_t states = plain[vector * sites + site];
            const int base = states & PAPARA_CGAP ? on_gap : free_of_gap;
            for (int state = 0; state < 4; state++)
                of_state[state] |= (uint32_t)(uint16_t)(base + (states >> state & 1 ? 0 : mismatch)) << 16 * half;
            if (!(states & PAPARA_CGAP)) gaps |= 1u << 16 * half;
        }
        cost[k] = make_uint4(of_state[0], of_state[1], of_state[2], of_state[3]);
        gap[k] = gaps;
    }
}

static inline size_t papara_costs_bytes(const papara_task *task, size_t columns) {
    return papara_lanes(task, columns) * (sizeof(uint4) + sizeof(uint32_t));
}

static inline wl_status papara_costs_pack(papara_state *s, const uint32_t *plain, uint32_t *site, size_t columns,
                                          int free_of_gap, int on_gap) {
    const papara_task *task = &s->task;
    const size_t lanes = papara_lanes(task, columns);
    WL_LAUNCH(papara_pack_costs, papara_pack_blocks(lanes), PAPARA_PACK_BLOCK, 0, plain, task->vectors,
              (size_t)task->sites, task->groups, papara_padded(task->sites, columns), task->penalties.mismatch,
              free_of_gap, on_gap, (uint4 *)site, site + 4 * lanes);
    return WL_OK;
}
