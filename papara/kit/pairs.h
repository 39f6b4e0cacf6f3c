/* What stages 07 and 08 share: two vectors a lane, one in each half of every register, and reads as sets of states, eight to a
   word. DNA only: what a letter costs on a site is kept for each of the four states. */
#ifndef PAPARA_PAIRS_H
#define PAPARA_PAIRS_H

#include "papara/kit/device.h"

enum { PAPARA_PAIRS = 2 * PAPARA_WARP, PAPARA_LETTERS = 8 }; // vectors of a group, letters of a word

/* Both halves the same; the lower and the upper one of a word, which is two signed 16-bit integers. */
static __host__ __device__ __forceinline__ uint32_t papara_both(int value) {
    return ((uint32_t)value & 0xffff) * 0x10001u;
}
static __device__ __forceinline__ int papara_low(uint32_t word) { return (int16_t)word; }
static __device__ __forceinline__ int papara_high(uint32_t word) { return (int32_t)word >> 16; }

/* What a stage needs beside the plan. */
typedef struct {
    papara_plan plan;
    unsigned columns;                              // of a block
    unsigned resident;                             // warps a multiprocessor
    size_t (*block_bytes)(const papara_input *in); // of `work`, for each block
} papara_pairs_plan;

/* What a kernel gets, by value. A warp aligns one read to one group of 64 vectors; lane l has the group's 2 l and 2 l + 1. */
typedef struct {
    const uint4 *cost;          // [group][padded][32]: of A, C, G and T on the site; see papara_pack_pairs
    const uint32_t *gap;        // [group][padded][32]: 1 in the half of a vector without CGAP there, else 0
    const uint32_t *letters;    // [word]: eight sets each, the first one lowest
    const uint64_t *first_word; // [reads], in the order given
    const uint32_t *length;     // [reads]
    const uint32_t *order;      // [reads]: their numbers, the longest read's first
    unsigned reads, groups;
    size_t vectors, padded;
    int sites;
    int gap_open, gap_extend, insertion;
    unsigned *turn; // pairs of read and group handed out
    void *work;     // of a block: `stride` bytes from work + stride * blockIdx.x on
    size_t stride;
    int *score; // [reads][vectors]
} papara_view;

typedef struct {
    papara_state *s;
    papara_view view;
    uint32_t *letters, *order; // device, as the next ones
    uint64_t *first_word;
    unsigned *turn;
    void *work;
    unsigned blocks; // resident at a time
} papara_paired;

/* --- Packing ----------------------------------------------------------------------------------------------------- */

/* A thread a (group, site, lane). cost = plain, or on_gap where the site has CGAP, and mismatch where the state is not of the site. */
static __global__ void papara_pack_pairs(const uint32_t *plain, // [vectors][sites]
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

/* Sites of a group: one more than whole blocks of columns have, for what the last one asks of the site behind it. */
static inline size_t papara_padded(size_t sites, size_t columns) {
    return (sites + columns - 1) / columns * columns + 1;
}
static inline size_t papara_pairs_bytes(const papara_task *task, size_t columns) {
    return task->groups * papara_padded(task->sites, columns) * PAPARA_WARP * (sizeof(uint4) + sizeof(uint32_t));
}

static inline wl_status papara_pairs_pack(papara_state *s, const uint32_t *plain, uint32_t *site, size_t columns,
                                          int free_of_gap, int on_gap) {
    const papara_task *task = &s->task;
    const size_t padded = papara_padded(task->sites, columns), lanes = task->groups * padded * PAPARA_WARP;
    enum { BLOCK = 256 };
    const size_t most = 1 << 16, blocks = (lanes + BLOCK - 1) / BLOCK;
    WL_LAUNCH(papara_pack_pairs, (unsigned)(blocks < most ? blocks : most), BLOCK, 0, plain, task->vectors,
              (size_t)task->sites, task->groups, padded, task->penalties.mismatch, free_of_gap, on_gap, (uint4 *)site,
              site + 4 * lanes);
    return WL_OK;
}

/* --- Reads ------------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t length, read;
} papara_length;

static inline int papara_longer_first(const void *a, const void *b) {
    const papara_length *x = (const papara_length *)a, *y = (const papara_length *)b;
    if (x->length != y->length) return x->length < y->length ? 1 : -1;
    return x->read < y->read ? -1 : x->read > y->read;
}

static inline size_t papara_words(uint32_t length) { return ((size_t)length + PAPARA_LETTERS - 1) / PAPARA_LETTERS; }

/* Host arrays: words of all reads, each read's first word, and the order. */
static inline void papara_pack_reads(const papara_reads *reads, uint32_t *letters, uint64_t *first_word,
                                     papara_length *by_length, uint32_t *order) {
    uint64_t word = 0;
    for (size_t r = 0; r < reads->count; r++) {
        first_word[r] = word;
        for (uint32_t j = 0; j < reads->length[r]; j++)
            letters[word + j / PAPARA_LETTERS] |= (uint32_t)reads->codes[reads->start[r] + j]
                                                  << 4 * (j % PAPARA_LETTERS);
        word += papara_words(reads->length[r]);
        by_length[r] = (papara_length){reads->length[r], (uint32_t)r};
    }
    qsort(by_length, reads->count, sizeof *by_length, papara_longer_first);
    for (size_t r = 0; r < reads->count; r++) order[r] = by_length[r].read;
}

static inline wl_status papara_pairs_upload(papara_paired *p) {
    const papara_reads *reads = &p->s->input->reads;
    size_t words = 0;
    for (size_t r = 0; r < reads->count; r++) words += papara_words(reads->length[r]);
    uint32_t *letters = (uint32_t *)calloc(words + 1, sizeof *letters);
    uint64_t *first_word = (uint64_t *)calloc(reads->count + 1, sizeof *first_word);
    papara_length *by_length = (papara_length *)calloc(reads->count + 1, sizeof *by_length);
    uint32_t *order = (uint32_t *)calloc(reads->count + 1, sizeof *order);
    wl_status status = WL_OK;
    if (letters == NULL || first_word == NULL || by_length == NULL || order == NULL)
        status = wl_fail(WL_NO_MACHINE, "not enough memory for the letters of %zu reads", reads->count);
    if (status == WL_OK) {
        papara_pack_reads(reads, letters, first_word, by_length, order);
        status = wl_cuda_copy(&p->letters, letters, words * sizeof *letters);
    }
    if (status == WL_OK) status = wl_cuda_copy(&p->first_word, first_word, reads->count * sizeof *first_word);
    if (status == WL_OK) status = wl_cuda_copy(&p->order, order, reads->count * sizeof *order);
    free(letters);
    free(first_word);
    free(by_length);
    free(order);
    return status;
}

/* --- The states' life -------------------------------------------------------------------------------------------- */

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

/* Device memory beside papara_upload_bytes and `work`. */
static inline size_t papara_pairs_reads_bytes(const papara_input *in) {
    return in->reads.count * (2 * sizeof(uint64_t) + sizeof(uint32_t)) + (size_t)in->reads.letters / 2;
}

/* Warps that stay on the device at a time, at most. */
static inline unsigned papara_pairs_resident(const wl_device *device, const papara_pairs_plan *plan) {
    return (unsigned)device->multiprocessors * plan->resident;
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
        const size_t padded = papara_padded(in->sites, PLAN.columns), lanes = task->groups * padded * PAPARA_WARP;
        const size_t items = task->reads * task->groups, stride = PLAN.block_bytes(in);
        const unsigned resident = papara_pairs_resident(device, &PLAN);
        p->blocks = (unsigned)(resident < items ? resident : items);
        status = papara_pairs_upload(p);
        if (status == WL_OK) status = wl_cuda_allocate(&p->turn, sizeof *p->turn);
        if (status == WL_OK) status = wl_cuda_allocate(&p->work, stride * p->blocks);
        p->view = (papara_view){.cost = (const uint4 *)task->site,
                                .gap = task->site + 4 * lanes,
                                .letters = p->letters,
                                .first_word = p->first_word,
                                .length = task->length,
                                .order = p->order,
                                .reads = (unsigned)task->reads,
                                .groups = (unsigned)task->groups,
                                .vectors = task->vectors,
                                .padded = padded,
                                .sites = (int)task->sites,
                                .gap_open = task->penalties.gap_open,
                                .gap_extend = task->penalties.gap_extend,
                                .insertion = task->penalties.insertion,
                                .turn = p->turn,
                                .work = p->work,
                                .stride = stride,
                                .score = task->score};
    }
    return wl_prepared(status, p, papara_pairs_release, state);
}

/* wl_variant's `supports`. */
template <const papara_pairs_plan &PLAN>
static const char *papara_pairs_supports(const wl_device *device, const void *input) {
    const papara_input *in = (const papara_input *)input;
    if (in->states != 4) return "DNA only: costs are kept for each of four states";
    if ((double)in->reads.count * (double)((in->vectors + PAPARA_PAIRS - 1) / PAPARA_PAIRS) > 0xf0000000u)
        return "more pairs of a read and a group of vectors than 32 bits count; give them in parts";
    const char *why = papara_why_not(device, in, &PLAN.plan);
    if (why != NULL) return why;
    const size_t work_bytes = PLAN.block_bytes(in) * papara_pairs_resident(device, &PLAN);
    if (papara_upload_bytes(in, &PLAN.plan) + papara_pairs_reads_bytes(in) + work_bytes > device->memory_free)
        return "the edges of the blocks do not fit into device memory beside the vectors";
    return NULL;
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

/* The number of the warp's next pair of a read and a group: all reads of a group in order, the longest first, then the next
   group's. */
static __device__ __forceinline__ unsigned papara_turn(const papara_view *v) {
    unsigned turn = 0;
    if (threadIdx.x == 0) turn = atomicAdd(v->turn, 1u);
    return __shfl_sync(0xffffffffu, turn, 0);
}

static __device__ __forceinline__ void papara_put_pair(const papara_view *v, unsigned read, unsigned group,
                                                       uint32_t best, int more) {
    const size_t vector = (size_t)group * PAPARA_PAIRS + 2 * threadIdx.x;
    int *score = v->score + (size_t)read * v->vectors + vector;
    if (vector < v->vectors) score[0] = papara_low(best) + more;
    if (vector + 1 < v->vectors) score[1] = papara_high(best) + more;
}

#endif
