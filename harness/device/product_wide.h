/* A tile of 128 x 256 sums by two warpgroups, while other warps write the tile before: matrices, lines and stages are those of
   harness/device/product_units.h, but a stage has two tiles of columns.

   A thread's 128 sums are packed in pairs, 16 bits each, and stored to shared memory. From there, warps that write take them row by row
   and, for the mirror image, column by column: 32 numbers side by side each time, whole cache lines.

   Word w of row r, columns 2w and 2w + 1, is at word w ^ wl_wide_swap(r) of the row: then the stores of eight rows' words, and the loads
   of a word of 32 rows, are in 32 different banks. */
#ifndef WL_PRODUCT_WIDE_H
#define WL_PRODUCT_WIDE_H

#include "harness/device/product_units.h"

enum {
    WL_WIDE_TILES = 2, /* side by side */
    WL_WIDE_COLUMNS = WL_WIDE_TILES * WL_UNIT_TILE,
    WL_WIDE_SUMS = WL_WIDE_TILES * WL_WARPGROUP_SUMS,
    WL_WIDE_STAGE = (1 + WL_WIDE_TILES) * WL_UNIT_SIDE * WL_UNIT,
    WL_WIDE_STAGES = 3,
    WL_WIDE_ROW = WL_WIDE_COLUMNS / 2, /* words of packed sums */
    WL_WIDE_PACKED = 4 * WL_UNIT_TILE * WL_WIDE_ROW,
    WL_WIDE_WRITERS = 3, /* warps */
    WL_WIDE_THREADS = WL_UNIT_THREADS + 32 + 32 * WL_WIDE_WRITERS
};

/* --- Which tile is next ---------------------------------------------------------------------------------------------- */

/* Rows j and columns i, counted in tiles of 128. */
typedef struct {
    unsigned j, i[WL_WIDE_TILES];
    int written[WL_WIDE_TILES], mirrored[WL_WIDE_TILES];
} wl_wide_place;

/* A symmetric matrix of `tiles` x `tiles`: the columns stand in a ring, and each row has those up to half the ring after it. So all rows
   have the same number of tiles, and every pair is in one of them. */
static __host__ __device__ inline unsigned wl_wide_ring_pairs(unsigned tiles) {
    return (tiles / 2 + WL_WIDE_TILES) / WL_WIDE_TILES;
}
static __device__ __forceinline__ wl_wide_place wl_wide_ring(unsigned t, unsigned tiles) {
    const uint2 at = wl_unit_any(t, tiles, wl_wide_ring_pairs(tiles));
    wl_wide_place place = {at.x, {0}, {0}, {0}};
#pragma unroll
    for (int k = 0; k < WL_WIDE_TILES; k++) {
        const unsigned after = WL_WIDE_TILES * at.y + k;
        place.i[k] = (at.x + after) % tiles;
        place.written[k] = 2 * after < tiles || (2 * after == tiles && 2 * at.x < tiles); // half a ring: from one side
        place.mirrored[k] = place.written[k] && after > 0;
    }
    return place;
}
/* Any matrix. */
static __host__ __device__ inline unsigned wl_wide_pairs(unsigned across) {
    return (across + WL_WIDE_TILES - 1) / WL_WIDE_TILES;
}
static __device__ __forceinline__ wl_wide_place wl_wide_any(unsigned t, unsigned down, unsigned across) {
    const uint2 at = wl_unit_any(t, down, wl_wide_pairs(across));
    wl_wide_place place = {at.x, {0}, {0}, {0}};
#pragma unroll
    for (int k = 0; k < WL_WIDE_TILES; k++) {
        const unsigned i = WL_WIDE_TILES * at.y + k;
        place.i[k] = i < across ? i : across - 1;
        place.written[k] = i < across;
    }
    return place;
}

/* --- Copying --------------------------------------------------------------------------------------------------------- */

/* Start copying a line of a tile into `stage`; one thread. */
static __device__ __forceinline__ void wl_wide_copy(char *stage, wl_mbarrier *full, const char *rows,
                                                    const char *columns, size_t lines, const wl_wide_place &place,
                                                    size_t line) {
    wl_mbarrier_expect(full, WL_WIDE_STAGE);
    wl_unit_copy_side(stage, full, rows, lines, place.j, line);
#pragma unroll
    for (int k = 0; k < WL_WIDE_TILES; k++)
        wl_unit_copy_side(stage + (k + 1) * WL_UNIT_SIDE * WL_UNIT, full, columns, lines, place.i[k], line);
}

/* --- Handing over, writing ------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ int wl_wide_swap(int row) { return row % 8 * 4 | row / 8 % 4; }

/* This thread's sums, each as value(sum) modulo 2^16. */
template <typename Value>
static __device__ __forceinline__ void wl_wide_pack(const int (&sum)[WL_WIDE_SUMS], const Value &value,
                                                    uint32_t *packed, // [WL_UNIT_TILE][WL_WIDE_ROW]
                                                    int warpgroup) {
    const int row = (int)wl_unit_row(0, warpgroup);
#pragma unroll
    for (int k = 0; k < WL_WIDE_SUMS; k += 2) {
        const int r = row + 8 * (k / 2 % 2), word = 4 * (k / 4) + threadIdx.x % 4;
        packed[r * WL_WIDE_ROW + (word ^ wl_wide_swap(r))] =
            ((unsigned)value(sum[k]) & 0xffff) | (unsigned)value(sum[k + 1]) << 16;
    }
}

static __device__ __forceinline__ int wl_wide_packed(const uint32_t *packed, int row, int column) {
    return (int)(packed[row * WL_WIDE_ROW + (column / 2 ^ wl_wide_swap(row))] >> 16 * (column % 2) & 0xffff);
}
/* One of the warps that write, number `writer`: store(row, column, sum) for its share of the tile, and mirrored. */
template <typename Store>
static __device__ __forceinline__ void wl_wide_write(const uint32_t *packed, const wl_wide_place &place, size_t rows,
                                                     size_t columns, int writer, const Store &store) {
    const int lane = threadIdx.x % 32;
    for (int k = 0; k < WL_WIDE_TILES; k++) {
        const size_t first_j = (size_t)place.j * WL_UNIT_TILE, first_i = (size_t)place.i[k] * WL_UNIT_TILE;
        for (int r = writer; place.written[k] && r < WL_UNIT_TILE && first_j + r < rows; r += WL_WIDE_WRITERS) {
#pragma unroll
            for (int c = lane; c < WL_UNIT_TILE; c += 32)
                if (first_i + c < columns)
                    store(first_j + r, first_i + c, wl_wide_packed(packed, r, k * WL_UNIT_TILE + c));
        }
        for (int c = writer; place.mirrored[k] && c < WL_UNIT_TILE && first_i + c < columns; c += WL_WIDE_WRITERS) {
#pragma unroll
            for (int r = lane; r < WL_UNIT_TILE; r += 32)
                if (first_j + r < rows)
                    store(first_i + c, first_j + r, wl_wide_packed(packed, r, k * WL_UNIT_TILE + c));
        }
    }
}

#endif
