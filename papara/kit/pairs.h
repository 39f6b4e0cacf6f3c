/* What stages 07 to 09 share: two vectors per lane, one in each half of a register; packed reads; warps that draw reads in turn. 07
   and 08 keep the costs of each of four states on a site, so they take DNA only. */
#ifndef PAPARA_KIT_PAIRS_H
#define PAPARA_KIT_PAIRS_H

#include "papara/kit/device.h"

enum { PAPARA_PAIRS = 2 * PAPARA_WARP };         // vectors of a group
enum { PAPARA_LETTERS = 8, PAPARA_NUMBERS = 4 }; // letters per word: as sets of four states, as numbers

/* A word is two signed 16-bit integers: both the same; the lower one; the upper one. */
static __host__ __device__ __forceinline__ uint32_t papara_both(int value) {
    return ((uint32_t)value & 0xffff) * 0x10001u;
}
static __device__ __forceinline__ int papara_low(uint32_t word) { return (int16_t)word; }
static __device__ __forceinline__ int papara_high(uint32_t word) { return (int32_t)word >> 16; }

/* What is different in each of these stages. */
typedef struct {
    papara_plan plan;
    unsigned columns;  // of a block
    unsigned resident; // warps per multiprocessor
    unsigned warps;    // per thread block, each with a read of its own; 0: one
    int any_alphabet;  // 1: letters are numbers of papara_view.set; 0: DNA only, and letters are sets
    size_t (*block_bytes)(const papara_input *in); // of `work`, per warp
} papara_pairs_plan;

/* A kernel's argument, by value. A warp aligns one read to one group of 64 vectors. Lane l has the group's vectors 2 l and 2 l + 1. */
typedef struct {
    const uint4 *cost;          // DNA only: [group][padded][32]: costs of A, C, G and T (papara_pack_pairs)
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

/* --- Packing ----------------------------------------------------------------------------------------------------- */

/* One thread per (group, site, lane). A state costs free_of_gap, or on_gap if the site has CGAP, plus mismatch if the site lacks it. */
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

/* One thread per (group, site, lane): the site in both vectors of the lane, for any alphabet. */
static __global__ void papara_pack_sites(const uint32_t *plain, // [vectors][sites]
                                         size_t vectors, size_t sites, size_t groups, size_t padded, uint2 *site) {
    const size_t lanes = groups * padded * PAPARA_WARP;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < lanes; k += (size_t)gridDim.x * blockDim.x) {
        const size_t i = k / PAPARA_WARP % padded, group = k / PAPARA_WARP / padded;
        const size_t vector = group * PAPARA_PAIRS + 2 * (k % PAPARA_WARP);
        uint2 both = make_uint2(0, 0);
        if (i < sites && vector < vectors) both.x = plain[vector * sites + i];
        if (i < sites && vector + 1 < vectors) both.y = plain[(vector + 1) * sites + i];
        site[k] = both;
    }
}

/* Sites per group: whole blocks of columns and one more, because the last block reads the site after it. */
static inline size_t papara_padded(size_t sites, size_t columns) {
    return (sites + columns - 1) / columns * columns + 1;
}
static inline size_t papara_pairs_bytes(const papara_task *task, size_t columns) {
    return task->groups * papara_padded(task->sites, columns) * PAPARA_WARP * (sizeof(uint4) + sizeof(uint32_t));
}

static inline size_t papara_sites_bytes(const papara_task *task, size_t columns) {
    return task->groups * papara_padded(task->sites, columns) * PAPARA_WARP * sizeof(uint2);
}

enum { PAPARA_PACK_BLOCK = 256 };
static inline unsigned papara_pack_blocks(size_t lanes) {
    const size_t most = 1 << 16, blocks = (lanes + PAPARA_PACK_BLOCK - 1) / PAPARA_PACK_BLOCK;
    return (unsigned)(blocks < most ? blocks : most);
}

static inline wl_status papara_sites_pack(papara_state *s, const uint32_t *plain, uint32_t *site, size_t columns) {
    const papara_task *task = &s->task;
    const size_t padded = papara_padded(task->sites, columns), lanes = task->groups * padded * PAPARA_WARP;
    WL_LAUNCH(papara_pack_sites, papara_pack_blocks(lanes), PAPARA_PACK_BLOCK, 0, plain, task->vectors,
              (size_t)task->sites, task->groups, padded, (uint2 *)site);
    return WL_OK;
}

static inline wl_status papara_pairs_pack(papara_state *s, const uint32_t *plain, uint32_t *site, size_t columns,
                                          int free_of_gap, int on_gap) {
    const papara_task *task = &s->task;
    const size_t padded = papara_padded(task->sites, columns), lanes = task->groups * padded * PAPARA_WARP;
    WL_LAUNCH(papara_pack_pairs, papara_pack_blocks(lanes), PAPARA_PACK_BLOCK, 0, plain, task->vectors,
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

/* For letters as numbers: gives the view each set of states that occurs, once, and each code the number of its set. */
static inline void papara_number_sets(const papara_input *in, papara_view *v, uint8_t number[PAPARA_CODES]) {
    bool occurs[PAPARA_CODES] = {false};
    for (size_t r = 0; r < in->reads.count; r++)
        for (uint32_t j = 0; j < in->reads.length[r]; j++) occurs[in->reads.codes[in->reads.start[r] + j]] = true;
    v->sets = 0;
    for (uint32_t code = 0; code < PAPARA_CODES; code++) {
        if (!occurs[code]) continue;
        unsigned s = 0;
        while (s < v->sets && v->set[s] != in->sets[code]) s++;
        if (s == v->sets) v->set[v->sets++] = in->sets[code];
        number[code] = (uint8_t)s;
    }
}

static inline size_t papara_words(uint32_t length, unsigned letters) {
    return ((size_t)length + letters - 1) / letters;
}

/* Fills host arrays: all reads in words of `per_word` letters, each code as value[code]; each read's first word; the order. */
static inline void papara_pack_reads(const papara_reads *reads, unsigned per_word, const uint8_t *value,
                                     uint32_t *letters, uint64_t *first_word, papara_length *by_length,
                                     uint32_t *order) {
    const unsigned bits = 32 / per_word;
    uint64_t word = 0;
    for (size_t r = 0; r < reads->count; r++) {
        first_word[r] = word;
        for (uint32_t j = 0; j < reads->length[r]; j++)
            letters[word + j / per_word] |= (uint32_t)value[reads->codes[reads->start[r] + j]] << bits * (j % per_word);
        word += papara_words(reads->length[r], per_word);
        by_length[r] = (papara_length){reads->length[r], (uint32_t)r};
    }
    qsort(by_length, reads->count, sizeof *by_length, papara_longer_first);
    for (size_t r = 0; r < reads->count; r++) order[r] = by_length[r].read;
}

/* Copies the reads to the device. numbers: letters are numbers, and p->view gets the sets. */
static inline wl_status papara_pairs_upload(papara_paired *p, bool numbers) {
    const papara_reads *reads = &p->s->input->reads;
    const unsigned per_word = numbers ? PAPARA_NUMBERS : PAPARA_LETTERS;
    uint8_t value[PAPARA_CODES];
    for (unsigned code = 0; code < PAPARA_CODES; code++) value[code] = (uint8_t)code;
    if (numbers) papara_number_sets(p->s->input, &p->view, value);
    size_t words = 0;
    for (size_t r = 0; r < reads->count; r++) words += papara_words(reads->length[r], per_word);
    uint32_t *letters = (uint32_t *)calloc(words + 1, sizeof *letters);
    uint64_t *first_word = (uint64_t *)calloc(reads->count + 1, sizeof *first_word);
    papara_length *by_length = (papara_length *)calloc(reads->count + 1, sizeof *by_length);
    uint32_t *order = (uint32_t *)calloc(reads->count + 1, sizeof *order);
    wl_status status = WL_OK;
    if (letters == NULL || first_word == NULL || by_length == NULL || order == NULL)
        status = wl_fail(WL_NO_MACHINE, "not enough memory for the letters of %zu reads", reads->count);
    if (status == WL_OK) {
        papara_pack_reads(reads, per_word, value, letters, first_word, by_length, order);
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

/* Device memory in addition to papara_upload_bytes and `work`. */
static inline size_t papara_pairs_reads_bytes(const papara_input *in) {
    return in->reads.count * (2 * sizeof(uint64_t) + sizeof(uint32_t)) + (size_t)in->reads.letters;
}

/* The most warps that run at a time. */
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
        const size_t warps = PLAN.warps > 0 ? PLAN.warps : 1, stride = PLAN.block_bytes(in);
        const size_t items = (task->reads + warps - 1) / warps * task->groups;
        const size_t resident = papara_pairs_resident(device, &PLAN) / warps;
        p->blocks = (unsigned)(resident < items ? resident : items);
        status = papara_pairs_upload(p, PLAN.any_alphabet);
        if (status == WL_OK) status = wl_cuda_allocate(&p->turn, sizeof *p->turn);
        if (status == WL_OK) status = wl_cuda_allocate(&p->work, stride * warps * p->blocks);
        papara_view *v = &p->view;
        if (PLAN.any_alphabet) {
            v->site = (const uint2 *)task->site;
        } else {
            v->cost = (const uint4 *)task->site;
            v->gap = task->site + 4 * lanes;
        }
        v->letters = p->letters;
        v->first_word = p->first_word;
        v->length = task->length;
        v->order = p->order;
        v->reads = (unsigned)task->reads;
        v->groups = (unsigned)task->groups;
        v->vectors = task->vectors;
        v->padded = padded;
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
    const papara_input *in = (const papara_input *)input;
    if (in->states != 4 && !PLAN.any_alphabet) return "DNA only: it keeps costs for each of four states";
    if ((double)in->reads.count * (double)((in->vectors + PAPARA_PAIRS - 1) / PAPARA_PAIRS) > 0xf0000000u)
        return "more pairs of a read and a group of vectors than 32 bits can count; give fewer reads";
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

#endif
