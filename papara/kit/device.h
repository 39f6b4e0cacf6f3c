/* What all GPU stages share on the host side: reads, vectors and scores on the device, memory for rows and edges, launches in stretches
   of reads, and the release of all memory. papara/kit/stage.h has what kernels share. */
#ifndef PAPARA_KIT_DEVICE_H
#define PAPARA_KIT_DEVICE_H

#include <stdlib.h>
#include <string.h>

#include "harness/device/memory.h"
#include "papara/problem.h"

#define PAPARA_WARP 32

/* A kernel's argument, by value. The vectors are divided into groups of `width`, a multiple of 32 (the paper's R_padded). A block
   aligns one read to one group, so there are reads x groups blocks. */
typedef struct {
    const uint8_t *codes;   // [letters]
    const uint64_t *start;  // [reads]: read r begins at codes[start[r] - origin]
    const uint32_t *length; // [reads]
    const uint32_t *site;   // as the stage lays it out
    int *score;             // [reads][vectors]
    uint64_t origin;
    size_t reads, vectors, groups;
    uint32_t width;
    uint32_t sites;
    papara_penalties penalties;
    uint32_t sets[PAPARA_CODES];
} papara_task;

typedef struct papara_state papara_state;

/* What is different in each stage. */
typedef struct {
    uint32_t widest; // vectors of a group, at most; a multiple of 32
    /* The layout: its size in bytes, and how to make it from the plain vectors [vectors][sites]. Both are on the device. */
    size_t (*site_bytes)(const papara_input *in, const papara_task *task);
    wl_status (*pack)(papara_state *s, const uint32_t *plain, uint32_t *site);
    /* Bytes of `work` per vector while it is aligned to a read of m letters. NULL: none. */
    size_t (*work_bytes)(const papara_input *in, uint32_t m);
    /* Why the stage cannot take an input, apart from memory; NULL: it can. The pointer itself may be NULL. */
    const char *(*refuses)(const papara_input *in);
} papara_plan;

struct papara_state {
    const papara_input *input; // outlives the state
    const papara_plan *plan;
    papara_task task;
    uint32_t *site;  // device, task.site
    uint8_t *codes;  // device
    uint64_t *start; // device
    uint32_t *length;
    int *score;
    void *work; // device, for the stage: a block has `stride` bytes from work + stride * blockIdx.x on
    size_t work_bytes;
};

/* --- Memory ------------------------------------------------------------------------------------------------------ */

static inline void papara_release(void *state) {
    papara_state *s = (papara_state *)state;
    if (s == NULL) return;
    wl_cuda_free_all(s->site, s->codes, s->start, s->length, s->score, s->work);
    free(s);
}

/* Copies score [reads][vectors] to the host. */
static inline wl_status papara_collect(void *state, void *output, int poison) {
    papara_state *s = (papara_state *)state;
    return wl_cuda_take(output, s->score, sizeof(int) * s->task.reads * s->task.vectors, poison);
}

/* --- Sizes ------------------------------------------------------------------------------------------------------- */

/* The part of the codes that the reads use, from the lowest begin to the highest end. Reads may be in any order. */
static inline void papara_span(const papara_reads *reads, uint64_t *begin, uint64_t *end) {
    *begin = reads->count > 0 ? UINT64_MAX : 0;
    *end = 0;
    for (size_t r = 0; r < reads->count; r++) {
        if (reads->start[r] < *begin) *begin = reads->start[r];
        if (reads->start[r] + reads->length[r] > *end) *end = reads->start[r] + reads->length[r];
    }
}

/* The task without its pointers. All groups have the same width. There are as few groups as possible, and then as narrow ones as
   possible: 321 vectors are two groups of 192, not one of 320 and one of 1. */
static inline papara_task papara_task_of(const papara_input *in, uint32_t widest) {
    papara_task task;
    memset(&task, 0, sizeof task);
    task.reads = in->reads.count;
    task.vectors = in->vectors;
    task.sites = in->sites;
    task.penalties = in->penalties;
    memcpy(task.sets, in->sets, sizeof task.sets);
    task.groups = (in->vectors + widest - 1) / widest;
    size_t each = task.groups > 0 ? (in->vectors + task.groups - 1) / task.groups : 1;
    task.width = (uint32_t)((each + PAPARA_WARP - 1) / PAPARA_WARP * PAPARA_WARP);
    return task;
}

static inline size_t papara_plain_bytes(const papara_input *in) { return sizeof(uint32_t) * in->vectors * in->sites; }

/* Device memory that papara_open takes before `work`. It includes the plain vectors, which are there until they are packed. */
static inline size_t papara_upload_bytes(const papara_input *in, const papara_plan *plan) {
    papara_task task = papara_task_of(in, plan->widest);
    uint64_t begin, end;
    papara_span(&in->reads, &begin, &end);
    size_t bytes = papara_plain_bytes(in) + plan->site_bytes(in, &task) + (size_t)(end - begin);
    bytes += in->reads.count * (sizeof(uint64_t) + sizeof(uint32_t) + sizeof(int) * in->vectors);
    return bytes + ((size_t)1 << 20); // because allocations are rounded up
}

/* Bytes of `work` per block that aligns a read of m letters. */
static inline size_t papara_block_bytes(const papara_input *in, const papara_plan *plan, uint32_t width, uint32_t m) {
    return plan->work_bytes != NULL ? plan->work_bytes(in, m) * width : 0;
}

/* Bytes of `work`: all, for all blocks at once; least, for the largest block. */
static inline void papara_work_range(const papara_input *in, const papara_plan *plan, size_t *least, size_t *all) {
    papara_task task = papara_task_of(in, plan->widest);
    *least = 0;
    for (size_t r = 0; r < in->reads.count; r++) {
        size_t bytes = papara_block_bytes(in, plan, task.width, in->reads.length[r]);
        if (bytes > *least) *least = bytes;
    }
    *all = *least * task.groups * task.reads;
}

static inline const char *papara_why_not(const wl_device *device, const papara_input *in, const papara_plan *plan) {
    const char *why = plan->refuses != NULL ? plan->refuses(in) : NULL;
    if (why != NULL) return why;
    size_t least, all, upload = papara_upload_bytes(in, plan);
    if (upload > device->memory_free) return "the vectors, reads and scores do not fit into device memory";
    papara_work_range(in, plan, &least, &all);
    /* `work` gets half of what is left, see papara_allocate_work. */
    if (2 * least > device->memory_free - upload)
        return "a block's rows do not fit into device memory beside the vectors";
    return NULL;
}

/* wl_variant's `supports` of a stage with this plan; papara_prepare is below. */
template <const papara_plan &PLAN> static const char *papara_supports(const wl_device *device, const void *input) {
    return papara_why_not(device, (const papara_input *)input, &PLAN);
}

/* --- Prepare ----------------------------------------------------------------------------------------------------- */

static inline wl_status papara_upload(papara_state *s) {
    const papara_input *in = s->input;
    papara_task *task = &s->task;
    const size_t pairs = task->reads * task->vectors;
    WL_TRY(wl_cuda_output(&s->score, sizeof(int) * pairs));
    task->score = s->score;
    if (pairs == 0) return WL_OK;
    uint64_t end;
    papara_span(&in->reads, &task->origin, &end);
    WL_TRY(wl_cuda_copy(&s->codes, in->reads.codes + task->origin, (size_t)(end - task->origin)));
    WL_TRY(wl_cuda_copy(&s->start, in->reads.start, sizeof(uint64_t) * task->reads));
    WL_TRY(wl_cuda_copy(&s->length, in->reads.length, sizeof(uint32_t) * task->reads));
    WL_TRY(wl_cuda_allocate(&s->site, s->plan->site_bytes(in, task)));
    task->codes = s->codes;
    task->start = s->start;
    task->length = s->length;
    task->site = s->site;
    uint32_t *plain;
    wl_status status = wl_cuda_copy(&plain, in->site, papara_plain_bytes(in));
    if (status == WL_OK) status = s->plan->pack(s, plain, s->site);
    if (status == WL_OK) status = wl_cuda_check(cudaStreamSynchronize(0), "packing the vectors", __FILE__, __LINE__);
    wl_cuda_free(plain);
    return status;
}

/* Takes what all reads need, or half of what is free. If another program has taken memory meanwhile, half of that, and so on. */
static inline wl_status papara_allocate_work(const wl_device *device, papara_state *s) {
    size_t least, wanted, taken = papara_upload_bytes(s->input, s->plan);
    papara_work_range(s->input, s->plan, &least, &wanted);
    if (wanted == 0) return WL_OK;
    size_t room = device->memory_free > taken ? (device->memory_free - taken) / 2 : 0;
    if (wanted > room) wanted = room;
    if (wanted < least) wanted = least;
    while (wl_cuda_allocate(&s->work, wanted) != WL_OK) {
        if (wanted == least)
            return wl_fail(WL_NO_MACHINE, "cannot allocate %zu bytes of device memory for a block's rows", least);
        wanted = wanted / 2 > least ? wanted / 2 : least;
    }
    s->work_bytes = wanted;
    return WL_OK;
}

/* Makes the papara_state, with everything on the device and a poisoned result. `plan` must outlive it. */
static inline wl_status papara_open(const wl_device *device, const papara_input *in, const papara_plan *plan,
                                    void **state) {
    papara_state *s = (papara_state *)calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    s->input = in;
    s->plan = plan;
    s->task = papara_task_of(in, plan->widest);
    wl_status status = papara_upload(s);
    if (status == WL_OK) status = papara_allocate_work(device, s);
    return wl_prepared(status, s, papara_release, state);
}

/* wl_variant's `prepare`. */
template <const papara_plan &PLAN>
static wl_status papara_prepare(const wl_device *device, const void *input, void **state) {
    return papara_open(device, (const papara_input *)input, &PLAN, state);
}

/* --- Launch ------------------------------------------------------------------------------------------------------ */

/* The number of blocks. Block b aligns read b / groups to group b % groups. Without pairs it is 0. */
static inline size_t papara_blocks(const papara_state *s) { return s->task.reads * s->task.groups; }

/* The end of the stretch of blocks that begins with `first`: papara_launch starts as many blocks at a time as `work` has room for.
   Each block of a stretch has `stride` bytes, which is what its longest read needs. */
static inline size_t papara_stretch(const papara_state *s, size_t first, size_t *stride) {
    const size_t BLOCKS_MOST = (size_t)1 << 30; // per launch; the hardware's limit is twice as many
    const size_t groups = s->task.groups, blocks = papara_blocks(s);
    size_t end = first;
    *stride = 0;
    while (end < blocks) {
        size_t read = end / groups, next = (read + 1) * groups;
        size_t bytes = papara_block_bytes(s->input, s->plan, s->task.width, s->input->reads.length[read]);
        if (bytes < *stride) bytes = *stride;
        size_t fit = bytes > 0 ? s->work_bytes / bytes : BLOCKS_MOST;
        if (fit > BLOCKS_MOST) fit = BLOCKS_MOST;
        if (fit <= end - first) break;
        *stride = bytes;
        end = next < first + fit ? next : first + fit;
        if (end < next) break;
    }
    return end;
}

/* What each stage has to do: move the vectors, reads and scores once, and do ten operations of equation 1 for each computed cell (two
   for M, five additions, three minima). Choosing penalties by CGAP is not counted. */
enum { PAPARA_CELL_OPERATIONS = 10 };
static inline void papara_cost(const wl_device *, const void *input, wl_cost *cost) {
    const papara_input *in = (const papara_input *)input;
    cost->bytes = (double)papara_plain_bytes(in) + (double)in->reads.letters;
    cost->bytes += (double)sizeof(int) * (double)in->reads.count * (double)in->vectors;
    cost->operations = PAPARA_CELL_OPERATIONS * papara_cells_computed(&in->reads, in->vectors, in->sites);
    cost->rate = WL_RATE_INT32;
}

/* --- A stage ----------------------------------------------------------------------------------------------------- */

/* wl_variant's `launch`. LAUNCH starts the kernel for `blocks` blocks from `first` on, each with `stride` bytes of `work`. */
template <void (*LAUNCH)(const papara_state *, size_t first, unsigned blocks, size_t stride)>
static wl_status papara_launch(void *state) {
    papara_state *s = (papara_state *)state;
    for (size_t first = 0, end, stride; first < papara_blocks(s); first = end) {
        end = papara_stretch(s, first, &stride);
        LAUNCH(s, first, (unsigned)(end - first), stride);
        WL_LAUNCHED();
    }
    return WL_OK;
}

/* Registers a stage: PAPARA_STAGE(plan, .idea = "...", .launch = papara_launch<launch>). */
template <const papara_plan &PLAN>
static const wl_variant papara_defaults = {
    .source = "Warpladder",
    .supports = papara_supports<PLAN>,
    .prepare = papara_prepare<PLAN>,
    .collect = papara_collect,
    .release = papara_release,
    .cost = papara_cost,
};
#define PAPARA_STAGE(plan, ...) WL_STAGE(&papara_defaults<plan>, __VA_ARGS__)

#endif
