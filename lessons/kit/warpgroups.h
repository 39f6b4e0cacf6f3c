/* What lessons 14 and 15 share: the layout of features for warpgroups, and how a warpgroup writes its half of a tile.

   A unit is one line (32 words) of 64 rows: 8 KB, swizzled as harness/device/warpgroup.h describes. Units follow each other
   in global memory, and a bulk copy brings one unchanged. A line of a tile of 128 x 128 distances takes two units of its
   rows and two of its columns. */
#ifndef LESSONS_WARPGROUPS_H
#define LESSONS_WARPGROUPS_H

#include "harness/device/copy_bulk.h"
#include "harness/device/warpgroup.h"
#include "lessons/kit/product.h"

enum {
    BITS = 32,  // features per word: a feature is a bit
    LINE = 32,  // words of a row that are copied at a time
    PIECES = 8, // of 16 bytes, per line and row
    UNIT_ROWS = WL_WARPGROUP_ROWS,
    UNIT = UNIT_ROWS * 4 * LINE,     // bytes
    SIDE_UNITS = TILE / UNIT_ROWS,   // units that a line of a tile's rows takes, and of its columns
    STAGE = 2 * SIDE_UNITS * UNIT,   // bytes of a line of a tile: its rows, then its columns
    SHARED_BEGIN = 1024,             // the alignment that the swizzle needs for the stages
    TEAM = SIDE_UNITS * WL_WARPGROUP // threads that multiply a tile
};

/* --- Layout ------------------------------------------------------------------------------------------------------ */

static __global__ void lessons_arrange_units(const uint4 *rows, // [padded][row_pieces]
                                             size_t pieces,     // of all rows
                                             size_t row_pieces,
                                             uint4 *units) { // [padded / 64][row_pieces / 8][64][8]
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < pieces; k += (size_t)gridDim.x * blockDim.x) {
        const size_t row = k / row_pieces, piece = k % row_pieces, unit = row / UNIT_ROWS * (row_pieces / PIECES);
        const size_t line = piece / PIECES, at = piece % PIECES ^ row % 8;
        units[((unit + line) * UNIT_ROWS + row % UNIT_ROWS) * PIECES + at] = rows[k];
    }
}

/* state->data: units, then ones [padded]; pitch: words per row, a multiple of LINE. */
static inline wl_status lessons_arrange(lessons_state *s, size_t padded) {
    const size_t words = padded * s->pitch;
    if (words == 0) return WL_OK;
    uint32_t *rows = (uint32_t *)s->data, *units;
    WL_TRY(wl_cuda_allocate(&units, sizeof(uint32_t) * (words + padded)));
    s->data = units;
    s->work = rows;
    WL_LAUNCH(lessons_arrange_units, 1024, 256, 0, (const uint4 *)rows, words / 4, s->pitch / 4, (uint4 *)units);
    WL_CUDA(cudaMemcpy(units + words, rows + words, sizeof(int) * padded, cudaMemcpyDeviceToDevice));
    wl_cuda_free(s->work);
    s->work = NULL;
    return WL_OK;
}
static inline wl_status lessons_prepare_units(const wl_device *device, const void *input, void **state) {
    WL_TRY((lessons_prepare_rows<BITS, LINE>(device, input, state)));
    lessons_state *s = (lessons_state *)*state;
    return wl_prepared(lessons_arrange(s, lessons_padded((const lessons_input *)input)), s, lessons_release, state);
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

/* The first address of shared memory that is a multiple of 1,024 bytes. */
static __device__ __forceinline__ char *lessons_stages(void *shared) {
    return (char *)(((uintptr_t)shared + SHARED_BEGIN - 1) / SHARED_BEGIN * SHARED_BEGIN);
}

/* One thread starts to copy a line of tile (j, i) into `stage`. */
static __device__ __forceinline__ void lessons_copy_line(char *stage, wl_mbarrier *full,
                                                         const char *units, // [padded / 64][lines][UNIT]
                                                         size_t lines, unsigned j, unsigned i, size_t line) {
    wl_mbarrier_expect(full, STAGE);
#pragma unroll
    for (int u = 0; u < 2 * SIDE_UNITS; u++) {
        const size_t unit = (u < SIDE_UNITS ? j : i) * (size_t)SIDE_UNITS + u % SIDE_UNITS;
        wl_copy_bulk(stage + u * UNIT, units + (unit * lines + line) * UNIT, UNIT, full);
    }
}

/* Starts the products of this warpgroup's 64 rows with all columns, for one line of the tile. */
static __device__ __forceinline__ void lessons_multiply_line(int sum[WL_WARPGROUP_SUMS], const char *stage,
                                                             int warpgroup) {
    wl_warpgroup_begin();
#pragma unroll
    for (int step = 0; step < WL_WARPGROUP_STEPS; step++)
        wl_warpgroup_bits(sum, stage + warpgroup * UNIT, stage + SIDE_UNITS * UNIT, step);
    wl_warpgroup_commit();
}

/* Writes this warpgroup's rows of tile (j, i), and mirrored. In a row, four lanes write 32 bytes side by side; in a column,
   eight do. */
static __device__ __forceinline__ void lessons_write_sums(const int sum[WL_WARPGROUP_SUMS],
                                                          const int *ones, // [padded]
                                                          int *distance,   // [instances][instances]
                                                          int instances, unsigned tile_j, unsigned tile_i,
                                                          int warpgroup, int mirrored) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    const int first_j = (int)tile_j * TILE + UNIT_ROWS * warpgroup + 16 * warp + lane / 4;
    const int first_i = (int)tile_i * TILE + 2 * (lane % 4);
    const size_t n = instances;
    const int even = instances % 2 == 0; // then both neighbours exist and are aligned to 8 bytes
    const int row_ones[2] = {ones[first_j], ones[first_j + 8]};
#pragma unroll
    for (int c = 0; c < TILE / 8; c++) {
        const int i = first_i + 8 * c;
        const int2 column_ones = *(const int2 *)(ones + i);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int j = first_j + 8 * h;
            const int2 d = make_int2(lessons_distance(row_ones[h], column_ones.x, sum[4 * c + 2 * h]),
                                     lessons_distance(row_ones[h], column_ones.y, sum[4 * c + 2 * h + 1]));
            if (j >= instances || i >= instances) continue;
            if (even) {
                *(int2 *)(distance + n * j + i) = d;
            } else {
                distance[n * j + i] = d.x;
                if (i + 1 < instances) distance[n * j + i + 1] = d.y;
            }
            if (!mirrored) continue;
            distance[n * i + j] = d.x;
            if (i + 1 < instances) distance[n * (i + 1) + j] = d.y;
        }
    }
}

#endif
