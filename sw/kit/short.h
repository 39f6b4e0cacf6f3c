/* Kernels for short queries (sw/plan/short.h). Nothing goes from lane to lane or to global memory, and the lanes of a warp are always
   in the same column. So the words of a warp's subjects are interleaved, and one coalesced load brings the next four letters of all
   of them. */
#pragma once

#include "sw/kit/scan.h"
#include "sw/plan/short.h"

enum { SW_SHORT_THREADS = 256, SW_SHORT_BLOCKS = 2 };

/* Eight lanes load from shared memory together, so there each of the eight has its own copy of the profile, in its own banks. */
enum { SW_SHORT_COPIES = 8 };
typedef struct {
    const uint32_t *residues;    // [group][word][subjects of a group]
    const uint64_t *group_start; // [groups + 1], in words
    unsigned groups, subjects;
    const uint32_t *profile; // [SW_PROFILE_CODES][words], see SW_SHORT_WORDS
    unsigned *turn;          // groups handed out
    int gap_open, gap_extend;
    int *score[2]; // [subjects], of both queries, or of one
} sw_short_view;
typedef void (*sw_short_kernel)(sw_short_view);

/* Copies the profile to shared memory: [SW_PROFILE_CODES][words / 4][SW_SHORT_COPIES][4]. Returns the thread's own copy. */
static __device__ __forceinline__ const uint32_t *sw_short_profile(const sw_short_view *v, int words,
                                                                   uint32_t *shared) {
    enum { FOUR = 4, PART = SW_SHORT_COPIES * FOUR };
    for (int k = threadIdx.x; k < SW_PROFILE_CODES * SW_SHORT_COPIES * words; k += SW_SHORT_THREADS)
        shared[k] = v->profile[k / PART * FOUR + k % FOUR];
    __syncthreads();
    return shared + threadIdx.x % SW_SHORT_COPIES * FOUR;
}

/* The warp's next group. */
static __device__ __forceinline__ unsigned sw_short_next(const sw_short_view *v) {
    const unsigned group = threadIdx.x % SW_WARP == 0 ? atomicAdd(v->turn, 1u) : 0;
    return __shfl_sync(~0u, group, 0);
}

/* Was the scan planned by sw_plan_short? */
static inline int sw_scan_is_short(const sw_scan *scan) { return scan->plan.lanes > 1; }

/* Launches kernels[index] for each query, or pair of queries; then scores too large, in 32 bits. */
static inline wl_status sw_short_scan(const sw_scan *scan, const sw_short_kernel *kernels, int gap_open,
                                      int gap_extend) {
    const sw_short_launch *launches = (const sw_short_launch *)scan->plan.launches;
    sw_state *s = scan->s;
    if (s->subjects == 0 || s->queries == 0) return WL_OK;
    WL_CUDA(cudaMemsetAsync(scan->turn, 0, sizeof *scan->turn * (scan->plan.kernels + 1)));
    WL_TRY(sw_flag_none(s));
    for (size_t k = 0; k < scan->plan.kernels; k++) {
        const sw_short_launch *launch = &launches[k];
        const size_t warps = SW_SHORT_THREADS / SW_WARP, wanted = (s->groups + warps - 1) / warps;
        // No more, even of the smallest kernels: with fewer subjects per warp, the longest ones would end last.
        const size_t blocks = SW_SHORT_BLOCKS * scan->multiprocessors;
        sw_short_view view = {.residues = s->residues,
                              .group_start = s->group_start,
                              .groups = (unsigned)s->groups,
                              .subjects = (unsigned)s->subjects,
                              .profile = scan->profile + launch->profile,
                              .turn = scan->turn + k,
                              .gap_open = gap_open,
                              .gap_extend = gap_extend};
        for (int t = 0; t < launch->queries; t++) view.score[t] = s->score + launch->query[t] * s->subjects;
        WL_LAUNCH(kernels[launch->index], (unsigned)(blocks < wanted ? blocks : wanted), SW_SHORT_THREADS, 0, view);
    }
    return sw_scan_finish(scan);
}
