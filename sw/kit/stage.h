/* What stages 01 to 06 have in common before and after their kernels. Each stage describes its needs in a plan. */
#pragma once

#include "sw/kit/device.h"

template <sw_plan (*PLAN)(const sw_input *)>
static const char *sw_supports(const wl_device *device, const void *input) {
    const sw_plan plan = PLAN((const sw_input *)input);
    return sw_plan_supports(device, (const sw_input *)input, &plan);
}

template <sw_plan (*PLAN)(const sw_input *)>
static wl_status sw_prepare(const wl_device *device, const void *input, void **state) {
    const sw_input *in = (const sw_input *)input;
    const sw_plan plan = PLAN(in);
    sw_state *s = NULL;
    wl_status status = sw_upload(device, in, &in->database, plan.lanes, plan.most, &s);
    if (status == WL_OK && s->subjects > 0 && s->queries > 0) {
        sw_plan_work(device, in, &plan, s->first_word, s->room, &s->blocks, &s->work_bytes);
        status = wl_cuda_allocate(&s->work, s->work_bytes);
    }
    return wl_prepared(status, s, sw_release, state);
}

/* What the stages share; a stage adds its own: SW_STAGE(plan_of, .idea = "...", .source = "...", .launch = launch). */
template <sw_plan (*PLAN)(const sw_input *), wl_status (*PREPARE)(const wl_device *, const void *, void **)>
static const wl_variant sw_defaults = {
    .source = "Warpladder",
    .supports = sw_supports<PLAN>,
    .prepare = PREPARE,
    .collect = sw_collect,
    .release = sw_release,
    .cost = sw_cost,
};
#define SW_STAGE(plan_of, ...) WL_STAGE((&sw_defaults<plan_of, sw_prepare<plan_of>>), __VA_ARGS__)
