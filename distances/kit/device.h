/* What the GPU stages share on the host: the planes of both sides and the two results on the device, and their release. */
#pragma once

#include <stdlib.h>

#include "distances/problem.h"
#include "harness/stage.h"

typedef struct {
    const distances_input *input; // outlives the state
    size_t rows, columns;
    size_t words;                     // of a plane, 32 bits each
    const uint32_t *row_planes;       // device, [rows][planes + 1][words]
    const uint32_t *column_planes;    // device, [columns][planes + 1][words]; the same memory where symmetric
    uint32_t *own_rows, *own_columns; // what of them is the state's own
    wl_resident *kept;                // what is not, or NULL
    uint32_t *result;                 // device, distance [rows][columns], compared [rows][columns]
    uint32_t *work;                   // device, the stage's own
    int multiprocessors;
} distances_state;

static inline size_t distances_plane_bytes(const distances_input *in, const distances_side *side) {
    return sizeof(uint64_t) * side->count * (size_t)(in->planes + 1) * in->words;
}
static inline size_t distances_result_bytes(const distances_input *in) {
    return 2 * sizeof(uint32_t) * in->rows.count * in->columns.count;
}

static inline void distances_release(void *state) {
    distances_state *s = (distances_state *)state;
    if (s == NULL) return;
    wl_cuda_free_all(s->own_rows, s->own_columns, s->result, s->work);
    if (s->kept != NULL) cudaStreamSynchronize(0); // after a failure kernels may still read it
    wl_cuda_leave(s->kept);
    free(s);
}

static inline int distances_is_part(const distances_input *in, const distances_side *side) {
    const size_t words = (size_t)(in->planes + 1) * in->words;
    return side->bits >= in->all.bits && side->bits + side->count * words <= in->all.bits + in->all.count * words;
}

/* Where the device has a copy of all instances, or room for it: nothing else is copied. */
static inline wl_status distances_use_kept(distances_state *s) {
    const distances_input *in = s->input;
    const void *all = NULL;
    if (in->resident == NULL || !distances_is_part(in, &in->rows) || !distances_is_part(in, &in->columns)) return WL_OK;
    const wl_status status = wl_cuda_resident(in->resident, in->all.bits, distances_plane_bytes(in, &in->all), &all);
    if (all == NULL) return status == WL_NO_MACHINE ? WL_OK : status; // a tile's planes may fit
    s->kept = in->resident;
    s->row_planes = (const uint32_t *)all + 2 * (in->rows.bits - in->all.bits);
    s->column_planes = (const uint32_t *)all + 2 * (in->columns.bits - in->all.bits);
    return WL_OK;
}

static inline wl_status distances_copy_planes(distances_state *s) {
    const distances_input *in = s->input;
    WL_TRY(wl_cuda_copy(&s->own_rows, in->rows.bits, distances_plane_bytes(in, &in->rows)));
    if (!in->symmetric)
        WL_TRY(wl_cuda_copy(&s->own_columns, in->columns.bits, distances_plane_bytes(in, &in->columns)));
    s->row_planes = s->own_rows;
    s->column_planes = in->symmetric ? s->own_rows : s->own_columns;
    return WL_OK;
}

/* Planes and results on the device, and `work` bytes for the stage's own. */
static inline wl_status distances_fill(distances_state *s, size_t work) {
    const distances_input *in = s->input;
    WL_TRY(distances_use_kept(s));
    if (s->kept == NULL) WL_TRY(distances_copy_planes(s));
    WL_TRY(wl_cuda_output(&s->result, distances_result_bytes(in)));
    return work > 0 ? wl_cuda_allocate(&s->work, work) : WL_OK;
}

static inline wl_status distances_upload(const wl_device *device, const void *input, size_t work, void **state) {
    const distances_input *in = (const distances_input *)input;
    distances_state *s = (distances_state *)calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    s->input = in;
    s->rows = in->rows.count;
    s->columns = in->columns.count;
    s->words = 2 * in->words;
    s->multiprocessors = device->multiprocessors;
    return wl_prepared(distances_fill(s, work), s, distances_release, state);
}

static inline wl_status distances_prepare(const wl_device *device, const void *input, void **state) {
    return distances_upload(device, input, 0, state);
}

static inline wl_status distances_collect(void *state, void *output, int poison) {
    distances_state *s = (distances_state *)state;
    const size_t bytes = distances_result_bytes(s->input) / (s->input->distance_only ? 2 : 1);
    return wl_cuda_take(output, s->result, bytes, poison);
}

/* NULL if planes, results and `more` bytes for the stage's own use fit into device memory. */
static inline const char *distances_fits(const wl_device *device, const distances_input *in, size_t more) {
    size_t needed = distances_plane_bytes(in, &in->rows) + distances_result_bytes(in) + more;
    if (!in->symmetric) needed += distances_plane_bytes(in, &in->columns);
    return needed > device->memory_free ? "the planes and the tile of the matrix do not fit into device memory" : NULL;
}

/* Planes are read once and results written once; the stage gives its operations for a pair. */
static inline void distances_cost(const distances_input *in, double operations, wl_rate rate, wl_cost *cost) {
    const double pairs = (double)in->rows.count * (double)in->columns.count * (in->symmetric ? 0.5 : 1);
    cost->bytes = (double)distances_plane_bytes(in, &in->rows) + (double)distances_result_bytes(in);
    if (!in->symmetric) cost->bytes += (double)distances_plane_bytes(in, &in->columns);
    cost->operations = pairs * operations;
    cost->rate = rate;
}

static const wl_variant distances_defaults = {
    .source = "Warpladder",
    .prepare = distances_prepare,
    .collect = distances_collect,
    .release = distances_release,
};
#define DISTANCES_STAGE(...) WL_STAGE(&distances_defaults, __VA_ARGS__)
