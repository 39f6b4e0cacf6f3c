/* What lessons 14 to 16 share on the host: features laid out in units (allpairs/units.h), which warpgroups multiply. */
#pragma once

#include "allpairs/units.h"
#include "lessons/kit/features.h"

enum { LESSONS_BITS = 32 }; // features per word: a feature is a bit

template <int WIDE>                                             // in the order of wl_unit_wide_row
static __global__ void lessons_arrange_units(const uint4 *rows, // [padded][row_pieces]
                                             size_t pieces,     // of all rows
                                             size_t row_pieces,
                                             uint4 *units) { // [padded / 64][row_pieces / 8][64][8]
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < pieces; k += (size_t)gridDim.x * blockDim.x) {
        const size_t row = k / row_pieces, piece = k % row_pieces;
        units[wl_unit_piece(WIDE ? wl_unit_wide_row(row) : row, piece, row_pieces / WL_UNIT_PIECES)] = rows[k];
    }
}

/* state->data: units, then ones [padded]; pitch: words per row, a multiple of WL_UNIT_LINE. */
template <int WIDE> static wl_status lessons_arrange(lessons_state *s, size_t padded) {
    const size_t words = padded * s->pitch;
    if (words == 0) return WL_OK;
    uint32_t *rows = (uint32_t *)s->data, *units;
    WL_TRY(wl_cuda_allocate(&units, sizeof(uint32_t) * (words + padded)));
    s->data = units;
    s->work = rows;
    WL_LAUNCH(lessons_arrange_units<WIDE>, 1024, 256, 0, (const uint4 *)rows, words / 4, s->pitch / 4, (uint4 *)units);
    WL_CUDA(cudaMemcpy(units + words, rows + words, sizeof(int) * padded, cudaMemcpyDeviceToDevice));
    wl_cuda_free(s->work);
    s->work = NULL;
    return WL_OK;
}
template <int WIDE = 0>
static wl_status lessons_prepare_units(const wl_device *device, const void *input, void **state) {
    WL_TRY((lessons_prepare_features<LESSONS_BITS, WL_UNIT_LINE>(device, input, state)));
    lessons_state *s = (lessons_state *)*state;
    return wl_prepared(lessons_arrange<WIDE>(s, lessons_padded(s->instances)), s, lessons_release, state);
}

static inline const char *lessons_units_support(const wl_device *device, const void *input) {
    enum { HOPPER = 90 };
    const lessons_input *in = (const lessons_input *)input;
    if (device->backend == WL_GPU && device->compute_capability != HOPPER)
        return "warpgroups multiply on compute capability 9.0 only";
    if (!WL_WARPGROUP_COMPILED) return "warpgroups were not compiled in: CMAKE_CUDA_ARCHITECTURES has no 90a";
    const double n = in->instances;
    const double rows = (double)lessons_padded(in->instances) * (lessons_row_words(in, LESSONS_BITS, WL_UNIT_LINE) + 1);
    return lessons_fits(device, in, 2 * sizeof(uint32_t) * rows + n * in->attributes);
}

static const wl_variant lessons_units_defaults = {
    .source = "Warpladder",
    .supports = lessons_units_support,
    .collect = lessons_collect,
    .release = lessons_release,
    .cost = lessons_features_cost<LESSONS_BITS, 1, WL_RATE_WGMMA_B1>,
};
#define LESSONS_UNITS_STAGE(...) WL_STAGE(&lessons_units_defaults, __VA_ARGS__)
