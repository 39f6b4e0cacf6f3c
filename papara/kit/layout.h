/* The paper's Figure 1: [group][sites][width], with zeros after the last vector. Neighbouring vectors lie in neighbouring words. */
#pragma once

#include "papara/kit/device.h"

static inline size_t papara_by_site_bytes(const papara_input *in, const papara_task *task) {
    return sizeof(uint32_t) * task->groups * task->width * in->sites;
}

/* Squares of 32 vectors x 32 sites, read along the sites and written along the vectors, one warp per row. */
enum { PAPARA_PACK_ROWS = 8 };
static __global__ void papara_transpose(const uint32_t *plain, // [vectors][sites]
                                        uint32_t *site,        // [group][sites][width]
                                        size_t vectors, uint32_t sites, uint32_t width,
                                        size_t warps) {       // of all groups together
    __shared__ uint32_t square[PAPARA_WARP][PAPARA_WARP + 1]; // + 1: columns lie in different banks
    const uint32_t lane = threadIdx.x % PAPARA_WARP, row = threadIdx.x / PAPARA_WARP;
    const size_t first_vector = blockIdx.x % warps * PAPARA_WARP, first_site = blockIdx.x / warps * PAPARA_WARP;
    for (uint32_t v = row; v < PAPARA_WARP; v += PAPARA_PACK_ROWS)
        if (first_vector + v < vectors && first_site + lane < sites)
            square[v][lane] = plain[(first_vector + v) * sites + first_site + lane];
    __syncthreads();
    uint32_t *group = site + first_vector / width * width * sites + first_vector % width;
    for (uint32_t i = row; i < PAPARA_WARP && first_site + i < sites; i += PAPARA_PACK_ROWS)
        group[(first_site + i) * width + lane] = first_vector + lane < vectors ? square[lane][i] : 0;
}

static inline wl_status papara_by_site(papara_state *s, const uint32_t *plain, uint32_t *site) {
    const papara_task *task = &s->task;
    const size_t warps = task->groups * task->width / PAPARA_WARP;
    const size_t blocks = warps * ((task->sites + PAPARA_WARP - 1) / PAPARA_WARP);
    if (blocks > INT32_MAX) return wl_fail(WL_NO_MACHINE, "more than 2 billion squares of sites; give fewer vectors");
    WL_LAUNCH(papara_transpose, (unsigned)blocks, PAPARA_PACK_ROWS * PAPARA_WARP, 0, plain, site, task->vectors,
              task->sites, task->width, warps);
    return WL_OK;
}
