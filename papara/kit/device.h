/* What all GPU stages do around their kernels: prepare, launch in stretches of blocks, collect, release. plan.h computes the sizes. */
#pragma once

#include <stdlib.h>

#include "harness/stage.h"
#include "papara/kit/plan.h"

static inline void papara_release(void *state) {
    papara_state *s = (papara_state *)state;
    if (s == NULL) return;
    wl_cuda_free_all(s->site, s->codes, s->start, s->length, s->task.score, s->work);
    free(s);
}

/* Copies score [reads][vectors] to the host. */
static inline wl_status papara_collect(void *state, void *output, int poison) {
    const papara_task *task = &((papara_state *)state)->task;
    return wl_cuda_take(output, task->score, sizeof(int) * task->reads * task->vectors, poison);
}

static inline wl_status papara_upload(papara_state *s) {
    const papara_input *in = s->input;
    papara_task *task = &s->task;
    const size_t pairs = task->reads * task->vectors;
    WL_TRY(wl_cuda_output(&task->score, sizeof(int) * pairs));
    if (pairs == 0) return WL_OK;
    WL_TRY(wl_cuda_copy(&s->codes, in->reads.codes + task->origin, papara_code_bytes(&in->reads)));
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

/* If another program has taken memory meanwhile, half of what was wanted, and so on. */
static inline wl_status papara_allocate_work(const wl_device *device, papara_state *s) {
    size_t least, wanted = papara_work_wanted(device, s->input, s->plan, &least);
    while (wanted > 0 && wl_cuda_allocate(&s->work, wanted) != WL_OK) {
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

/* wl_variant's `prepare` and `supports`. */
template <const papara_plan &PLAN>
static wl_status papara_prepare(const wl_device *device, const void *input, void **state) {
    return papara_open(device, (const papara_input *)input, &PLAN, state);
}
template <const papara_plan &PLAN> static const char *papara_supports(const wl_device *device, const void *input) {
    return papara_why_not(device, (const papara_input *)input, &PLAN);
}

/* wl_variant's `launch`. LAUNCH starts the kernel for `blocks` blocks from `first` on, each with `stride` bytes of `work`. */
template <void (*LAUNCH)(const papara_state *, size_t first, unsigned blocks, size_t stride)>
static wl_status papara_launch(void *state) {
    papara_state *s = (papara_state *)state;
    for (size_t first = 0, end, stride; first < s->task.reads * s->task.groups; first = end) {
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
