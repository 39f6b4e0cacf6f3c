/* What lessons 14 to 16 share: features laid out in units (allpairs/product_units.h), and how a warpgroup writes its half
   of a tile in lessons 14 and 15. */
#ifndef LESSONS_KIT_WARPGROUPS_H
#define LESSONS_KIT_WARPGROUPS_H

#include "allpairs/product_wide.h"
#include "lessons/kit/product.h"

enum {
    BITS = 32, // features per word: a feature is a bit
    LINE = WL_UNIT_LINE,
    STAGE = WL_UNIT_STAGE,
    SHARED_BEGIN = WL_UNIT_ALIGN,
    SIDE_UNITS = WL_UNIT_SIDE,
    TEAM = WL_UNIT_THREADS
};

/* --- Layout ------------------------------------------------------------------------------------------------------ */

template <int WIDE>                                             // in the order of allpairs/product_wide.h
static __global__ void lessons_arrange_units(const uint4 *rows, // [padded][row_pieces]
                                             size_t pieces,     // of all rows
                                             size_t row_pieces,
                                             uint4 *units) { // [padded / 64][row_pieces / 8][64][8]
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < pieces; k += (size_t)gridDim.x * blockDim.x) {
        const size_t row = k / row_pieces, piece = k % row_pieces;
        units[wl_unit_piece(WIDE ? wl_wide_row(row) : row, piece, row_pieces / WL_UNIT_PIECES)] = rows[k];
    }
}

/* state->data: units, then ones [padded]; pitch: words per row, a multiple of LINE. */
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
    WL_TRY((lessons_prepare_rows<BITS, LINE>(device, input, state)));
    lessons_state *s = (lessons_state *)*state;
    return wl_prepared(lessons_arrange<WIDE>(s, lessons_padded((const lessons_input *)input)), s, lessons_release,
                       state);
}

static inline const char *lessons_warpgroups_support(const wl_device *device, const void *input) {
    enum { HOPPER = 90 };
    const lessons_input *in = (const lessons_input *)input;
    if (device->backend == WL_GPU && device->compute_capability != HOPPER)
        return "warpgroups multiply on compute capability 9.0 only";
    if (!WL_WARPGROUP_COMPILED) return "warpgroups were not compiled in: CMAKE_CUDA_ARCHITECTURES has no 90a";
    const double n = in->instances, rows = (double)lessons_padded(in) * (lessons_row_words(in, BITS, LINE) + 1);
    return lessons_fits(device, in, 2 * sizeof(uint32_t) * rows + n * in->attributes);
}

static const wl_variant lessons_warpgroups_defaults = {
    .source = "Warpladder",
    .supports = lessons_warpgroups_support,
    .collect = lessons_collect,
    .release = lessons_release,
    .cost = lessons_product_cost<BITS, 1, WL_RATE_WGMMA_B1>,
};
#define LESSONS_WARPGROUPS_STAGE(...) WL_STAGE(&lessons_warpgroups_defaults, __VA_ARGS__)

/* --- In kernels -------------------------------------------------------------------------------------------------- */

/* Distances of two neighbours of a row; row_ones: of the thread's two rows. */
typedef struct lessons_values {
    const int *ones; // [padded]
    int row_ones[2];
    __device__ __forceinline__ int2 column(unsigned i) const { return *(const int2 *)(ones + i); }
    __device__ __forceinline__ int2 operator()(int h, int2 column_ones, int first, int second) const {
        return make_int2(lessons_distance(row_ones[h], column_ones.x, first),
                         lessons_distance(row_ones[h], column_ones.y, second));
    }
} lessons_values;

static __device__ __forceinline__ void lessons_write_sums(const int sum[WL_WARPGROUP_SUMS],
                                                          const int *ones, // [padded]
                                                          int *distance,   // [instances][instances]
                                                          int instances, unsigned tile_j, unsigned tile_i,
                                                          int warpgroup, int mirrored) {
    const unsigned j = wl_unit_row(tile_j, warpgroup);
    const lessons_values values = {ones, {ones[j], ones[j + 8]}};
    wl_unit_write(sum, values, distance, instances, instances, tile_j, tile_i, warpgroup, mirrored);
}

#endif
