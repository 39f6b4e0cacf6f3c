/* What stages 01 to 06 have in common before and after their kernels. Each stage describes its needs in a plan. */
#ifndef SW_KIT_STAGE_H
#define SW_KIT_STAGE_H

#include "sw/kit/recompute.h"

typedef struct {
    uint32_t lanes;          // subjects per group: SW_WARP, or twice that if a thread has two
    int most;                // the largest score that the stage's numbers hold; INT_MAX: all
    unsigned block;          // threads per block
    size_t bytes_a_thread;   // of `work`, for stages that keep a column of the query's length for each thread
    size_t bytes_a_residue;  // of `work`, for stages that keep a row of the subjects' lengths
    unsigned groups_a_block; // for these stages: groups that a block works on
} sw_plan;

/* Words of the groups of one block, from group `first`. */
static inline uint64_t sw_block_words(const sw_set *database, const sw_plan *plan, size_t first) {
    uint64_t words = 0;
    for (size_t g = first; g < first + plan->groups_a_block && g < sw_groups(database, plan->lanes); g++)
        words += sw_group_words(database, plan->lanes, g);
    return words;
}

/* The least `work` that suffices: one block's. The first block has the longest subjects. */
static inline size_t sw_least_work(const sw_input *in, const sw_plan *plan) {
    size_t thread = plan->bytes_a_thread * plan->block, residue = 4 * plan->bytes_a_residue;
    return thread + (residue > 0 ? residue * sw_block_words(&in->database, plan, 0) : 0);
}

/* Why a stage with this plan does not support the input, or NULL. */
template <sw_plan (*PLAN)(const sw_input *)>
static const char *sw_supports(const wl_device *device, const void *input) {
    const sw_input *in = (const sw_input *)input;
    const sw_plan plan = PLAN(in);
    if (in->database.count > INT32_MAX) return "more than 2 billion sequences; give them in parts";
    if (sw_refuse_scores(in) != NULL) return sw_refuse_scores(in);
    /* `work` gets half of what the sequences leave free; see sw_upload. */
    size_t needed = sw_upload_bytes(in, plan.lanes) + 2 * (sw_least_work(in, &plan) + sw_recompute_edge(in));
    if (needed > device->memory_free) return "the sequences, scores and cells do not fit into device memory";
    return NULL;
}

static inline wl_status sw_allocate_work(const wl_device *device, const sw_plan *plan, sw_state *s) {
    enum { THREADS_A_MULTIPROCESSOR = 2048 };
    size_t blocks = (s->subjects + plan->block - 1) / plan->block;
    size_t wanted = s->first_word[s->groups] * 4 * plan->bytes_a_residue, least = sw_least_work(s->input, plan);
    if (plan->bytes_a_thread > 0) {
        size_t each = plan->bytes_a_thread * plan->block, fit = s->room / each;
        size_t resident = (size_t)device->multiprocessors * THREADS_A_MULTIPROCESSOR / plan->block;
        if (blocks > resident) blocks = resident;
        if (blocks > fit) blocks = fit > 0 ? fit : 1;
        wanted = each * blocks;
    }
    s->blocks = (unsigned)blocks;
    s->work_bytes = wanted < s->room ? wanted : s->room > least ? s->room : least;
    return wl_cuda_allocate(&s->work, s->work_bytes);
}

template <sw_plan (*PLAN)(const sw_input *)>
static wl_status sw_prepare(const wl_device *device, const void *input, void **state) {
    const sw_input *in = (const sw_input *)input;
    const sw_plan plan = PLAN(in);
    sw_state *s = NULL;
    wl_status status = sw_upload(device, in, &in->database, plan.lanes, plan.most, &s);
    if (status != WL_OK) return status;
    if (s->subjects > 0 && s->queries > 0) status = sw_allocate_work(device, &plan, s);
    if (status == WL_OK) status = sw_prepare_recompute(device, s);
    return wl_prepared(status, s, sw_release, state);
}

/* For stages with bytes_a_residue: the end of a stretch of groups, first .. end - 1, that are whole blocks and fit into `work`.
   A launch goes through the database in stretches: for (first = 0; first < s->groups; first = end) ... */
static inline size_t sw_stretch(const sw_state *s, const sw_plan *plan, size_t first) {
    uint64_t words = s->work_bytes / (4 * plan->bytes_a_residue);
    size_t end = first + plan->groups_a_block;
    while (end < s->groups) {
        size_t next = end + plan->groups_a_block < s->groups ? end + plan->groups_a_block : s->groups;
        if (s->first_word[next] - s->first_word[first] > words) break;
        end = next;
    }
    return end < s->groups ? end : s->groups;
}

/* Two 16-bit numbers in one word: H and E of a cell, or H and F. If a score is too large for its half, the pair's best score
   has seen it before it is cut off, and the pair is computed again in 32 bits. */
static __device__ __forceinline__ uint32_t sw_halves(int low, int high) {
    return ((uint32_t)low & 0xffff) | (uint32_t)high << 16;
}
static __device__ __forceinline__ int sw_low(uint32_t word) { return (int16_t)word; }
static __device__ __forceinline__ int sw_high(uint32_t word) { return (int32_t)word >> 16; }

/* What the stages share; a stage adds its own: SW_STAGE(plan_of, .idea = "...", .source = "...", .launch = launch). */
template <sw_plan (*PLAN)(const sw_input *)>
static const wl_variant sw_defaults = {
    .source = "Warpladder",
    .supports = sw_supports<PLAN>,
    .prepare = sw_prepare<PLAN>,
    .collect = sw_collect,
    .release = sw_release,
    .cost = sw_cost,
};
#define SW_STAGE(plan_of, ...) WL_STAGE(&sw_defaults<plan_of>, __VA_ARGS__)

/* The `launch` of stages with bytes_a_residue. LAUNCH launches the stage's kernel for query q and groups first .. end - 1. */
template <sw_plan (*PLAN)(const sw_input *), void (*LAUNCH)(const sw_state *, size_t, size_t, size_t, unsigned blocks)>
static wl_status sw_launch(void *state) {
    sw_state *s = (sw_state *)state;
    const sw_plan plan = PLAN(s->input);
    WL_TRY(sw_flag_none(s));
    for (size_t q = 0; q < s->queries; q++) {
        for (size_t first = 0, end; first < s->groups; first = end) {
            end = sw_stretch(s, &plan, first);
            LAUNCH(s, q, first, end, (unsigned)((end - first + plan.groups_a_block - 1) / plan.groups_a_block));
            WL_LAUNCHED();
        }
    }
    return sw_recompute(s);
}

#endif
