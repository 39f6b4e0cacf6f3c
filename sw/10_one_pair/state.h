/* The state of 10_one_pair. */
#pragma once

#include "sw/kit/device.h"
#include "sw/plan/one_pair.h"

typedef struct {
    sw_state *s; // the database in groups of one subject
    sw_one_plan plan;
    sw_one_sequence *rows, *columns; // device: the plan's
    uint8_t *scores;                 // device, [SW_CODES][SW_CODES]: the plan's
    ulonglong2 *edge; // device, [pair][word][2]: see edge.h; of the pairs of a launch whose rows are several bands
    unsigned long long *turn; // device: bands that have been handed out
    size_t multiprocessors;
} one_state;

static void one_release(void *state) {
    one_state *one = (one_state *)state;
    if (one == NULL) return;
    wl_cuda_free_all(one->rows, one->columns, one->scores, one->edge, one->turn);
    sw_one_free(&one->plan);
    sw_release(one->s);
    free(one);
}

static wl_status one_collect(void *state, void *output, int poison) {
    return sw_collect(((const one_state *)state)->s, output, poison);
}

static wl_status one_fill(const wl_device *device, const sw_input *in, one_state *one) {
    sw_one_plan *plan = &one->plan;
    WL_TRY(sw_upload(device, in, &in->database, 1, INT32_MAX, &one->s));
    WL_TRY(sw_one_make(device, in, one->s->first_word, plan));
    WL_TRY(wl_cuda_copy(&one->rows, plan->rows, sizeof *plan->rows * (plan->row_count + 1)));
    WL_TRY(wl_cuda_copy(&one->columns, plan->columns, sizeof *plan->columns * (plan->column_count + 1)));
    WL_TRY(wl_cuda_copy(&one->scores, plan->scores, sizeof plan->scores));
    WL_TRY(wl_cuda_allocate(&one->edge, SW_ONE_EDGE_BYTES * plan->edge_words));
    return wl_cuda_allocate(&one->turn, sizeof *one->turn);
}

static wl_status one_prepare(const wl_device *device, const void *input, void **state) {
    one_state *one = (one_state *)calloc(1, sizeof *one);
    if (one == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    one->multiprocessors = (size_t)device->multiprocessors;
    return wl_prepared(one_fill(device, (const sw_input *)input, one), one, one_release, state);
}
