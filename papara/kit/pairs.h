/* What stages 07 to 09 share: two vectors per lane, one in each half of a register; packed reads; warps that draw reads in turn. */
#pragma once

#include <string.h>

#include "papara/kit/device.h"
#include "papara/kit/reads.h"

/* A word is two signed 16-bit integers: both the same; the lower one; the upper one. */
static __host__ __device__ __forceinline__ uint32_t papara_both(int value) {
    return ((uint32_t)value & 0xffff) * 0x10001u;
}
static __device__ __forceinline__ int papara_low(uint32_t word) { return (int16_t)word; }
static __device__ __forceinline__ int papara_high(uint32_t word) { return (int32_t)word >> 16; }

/* A kernel's argument, by value. A warp aligns one read to one group of 64 vectors. Lane l has the group's vectors 2 l and 2 l + 1. */
typedef struct {
    const uint4 *cost;          // DNA only: [group][padded][32]: costs of A, C, G and T (papara_pack_costs)
    const uint32_t *gap;        // DNA only: [group][padded][32]: per half, 1 if the vector has no CGAP there
    const uint2 *site;          // any alphabet: [group][padded][32]: the site in the lane's two vectors, or 0
    const uint32_t *letters;    // [word]: eight sets or four numbers each, the first in the lowest bits
    const uint64_t *first_word; // [reads], in the order given
    const uint32_t *length;     // [reads]
    const uint32_t *order;      // [reads]: their numbers, longest read first
    unsigned reads, groups;
    size_t vectors, padded;
    int sites;
    int mismatch, cgap, gap_open, gap_extend, insertion;
    unsigned *turn; // how many pairs of read and group are taken
    void *work;     // a warp has `stride` bytes from work + stride * (its number in the grid) on
    size_t stride;
    int *score;                 // [reads][vectors]
    unsigned sets;              // any alphabet: number of different sets of states in the reads
    uint32_t set[PAPARA_CODES]; // and these sets
} papara_view;

typedef struct {
    papara_state *s;
    papara_view view;
    uint32_t *letters, *order; // device, as the next ones
    uint64_t *first_word;
    unsigned *turn;
    void *work;
    unsigned blocks; // resident ones
} papara_paired;

/* --- Prepare and release ------------------------------------------------------------------------------------------ */

static inline void papara_pairs_release(void *state) {
    papara_paired *p = (papara_paired *)state;
    if (p == NULL) return;
    wl_cuda_free_all(p->letters, p->first_word, p->order, p->turn, p->work);
    papara_release(p->s);
    free(p);
}

static inline wl_status papara_pairs_collect(void *state, void *output, int poison) {
    return papara_collect(((papara_paired *)state)->s, output, poison);
}

/* Copies the reads to the device. */
static inline wl_status papara_pairs_upload(papara_paired *p, const papara_pairs_plan *plan) {
    const size_t count = p->s->input->reads.count;
    papara_packed packed;
    WL_TRY(papara_pack_reads(p->s->input, plan->any_alphabet, &packed));
    p->view.sets = packed.sets;
    memcpy(p->view.set, packed.set, sizeof packed.set);
    wl_status status = wl_cuda_copy(&p->letters, packed.letters, packed.words * sizeof *packed.letters);
    if (status == WL_OK) status = wl_cuda_copy(&p->first_word, packed.first_word, count * sizeof *packed.first_word);
    if (status == WL_OK) status = wl_cuda_copy(&p->order, packed.order, count * sizeof *packed.order);
    papara_packed_free(&packed);
    return status;
}

/* wl_variant's `prepare` of a stage with this plan: everything on the device. */
template <const papara_pairs_plan &PLAN>
static wl_status papara_pairs_prepare(const wl_device *device, const void *input, void **state) {
    const papara_input *in = (const papara_input *)input;
    papara_paired *p = (papara_paired *)calloc(1, sizeof *p);
    if (p == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    wl_status status = papara_open(device, in, &PLAN.plan, (void **)&p->s);
    if (status == WL_OK && in->reads.count > 0 && in->vectors > 0) {
        const papara_task *task = &p->s->task;
        const size_t stride = PLAN.block_bytes(in);
        p->blocks = papara_pairs_blocks(device, task, &PLAN);
        status = papara_pairs_upload(p, &PLAN);
        if (status == WL_OK) status = wl_cuda_allocate(&p->turn, sizeof *p->turn);
        if (status == WL_OK) status = wl_cuda_allocate(&p->work, stride * PLAN.warps * p->blocks);
        papara_view *v = &p->view;
        if (PLAN.any_alphabet) {
            v->site = (const uint2 *)task->site;
        } else {
            v->cost = (const uint4 *)task->site;
            v->gap = task->site + 4 * papara_lanes(task, PLAN.columns);
        }
        v->letters = p->letters;
        v->first_word = p->first_word;
        v->length = task->length;
        v->order = p->order;
        v->reads = (unsigned)task->reads;
        v->groups = (unsigned)task->groups;
        v->vectors = task->vectors;
        v->padded = papara_padded(in->sites, PLAN.columns);
        v->sites = (int)task->sites;
        v->mismatch = task->penalties.mismatch;
        v->cgap = task->penalties.cgap;
        v->gap_open = task->penalties.gap_open;
        v->gap_extend = task->penalties.gap_extend;
        v->insertion = task->penalties.insertion;
        v->turn = p->turn;
        v->work = p->work;
        v->stride = stride;
        v->score = task->score;
    }
    return wl_prepared(status, p, papara_pairs_release, state);
}

/* wl_variant's `supports`. */
template <const papara_pairs_plan &PLAN>
static const char *papara_pairs_supports(const wl_device *device, const void *input) {
    return papara_pairs_why_not(device, (const papara_input *)input, &PLAN);
}

template <const papara_pairs_plan &PLAN>
static const wl_variant papara_pairs_defaults = {
    .source = "Warpladder",
    .limits = "DNA only",
    .supports = papara_pairs_supports<PLAN>,
    .prepare = papara_pairs_prepare<PLAN>,
    .collect = papara_pairs_collect,
    .release = papara_pairs_release,
    .cost = papara_cost,
};
#define PAPARA_PAIRS_STAGE(plan, ...) WL_STAGE(&papara_pairs_defaults<plan>, __VA_ARGS__)

/* --- In kernels -------------------------------------------------------------------------------------------------- */

/* The number of the warp's next pair of read and group: all reads of a group, longest first, then those of the next group. */
static __device__ __forceinline__ unsigned papara_turn(const papara_view *v) {
    unsigned turn = 0;
    if (threadIdx.x == 0) turn = atomicAdd(v->turn, 1u);
    return __shfl_sync(0xffffffffu, turn, 0);
}

static __device__ __forceinline__ void papara_put_pair(const papara_view *v, unsigned read, unsigned group,
                                                       uint32_t best, int more) {
    const size_t vector = (size_t)group * PAPARA_PAIRS + 2 * (threadIdx.x % PAPARA_WARP);
    int *score = v->score + (size_t)read * v->vectors + vector;
    if (vector < v->vectors) score[0] = papara_low(best) + more;
    if (vector + 1 < v->vectors) score[1] = papara_high(best) + more;
}
