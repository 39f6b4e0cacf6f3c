/* What stages 02 to 06 have in common, whose numbers have 16 bits. */
#pragma once

#include "sw/kit/recompute.h"
#include "sw/kit/stage.h"

/* Two 16-bit numbers in one word: H and E of a cell, or H and F. If a score is too large for its half, the pair's best score
   has seen it before it is cut off, and the pair is computed again in 32 bits. */
static __device__ __forceinline__ uint32_t sw_halves(int low, int high) {
    return ((uint32_t)low & 0xffff) | (uint32_t)high << 16;
}
static __device__ __forceinline__ int sw_low(uint32_t word) { return (int16_t)word; }
static __device__ __forceinline__ int sw_high(uint32_t word) { return (int32_t)word >> 16; }

template <sw_plan (*PLAN)(const sw_input *)>
static wl_status sw_prepare_narrow(const wl_device *device, const void *input, void **state) {
    void *made = NULL;
    WL_TRY(sw_prepare<PLAN>(device, input, &made));
    return wl_prepared(sw_prepare_recompute(device, (sw_state *)made), made, sw_release, state);
}

/* The `launch` of stages with bytes_a_residue. LAUNCH launches the stage's kernel for query q and groups first .. end - 1. */
template <sw_plan (*PLAN)(const sw_input *), void (*LAUNCH)(const sw_state *, size_t, size_t, size_t, unsigned blocks)>
static wl_status sw_launch(void *state) {
    sw_state *s = (sw_state *)state;
    const sw_plan plan = PLAN(s->input);
    WL_TRY(sw_flag_none(s));
    for (size_t q = 0; q < s->queries; q++) {
        for (size_t first = 0, end; first < s->groups; first = end) {
            end = sw_stretch(&plan, s->first_word, s->groups, s->work_bytes, first);
            LAUNCH(s, q, first, end, (unsigned)((end - first + plan.groups_a_block - 1) / plan.groups_a_block));
            WL_LAUNCHED();
        }
    }
    return sw_recompute(s);
}

/* As SW_STAGE. */
#define SW_NARROW_STAGE(plan_of, ...) WL_STAGE((&sw_defaults<plan_of, sw_prepare_narrow<plan_of>>), __VA_ARGS__)
