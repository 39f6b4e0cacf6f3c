/* A tile of 128 x 128 sums by two warpgroups, with both matrices laid out in global memory as warpgroups multiply them.

   A unit is a line of 32 words of 64 rows: 8 KB, swizzled as harness/device/warpgroup.h says. The units of 64 rows follow one another
   in global memory, and a bulk copy brings one as it is. A line of a tile takes two units of its rows and two of its columns. */
#ifndef ALLPAIRS_PRODUCT_UNITS_H
#define ALLPAIRS_PRODUCT_UNITS_H

#include "harness/device/copy_bulk.h"
#include "harness/device/warpgroup.h"

enum {
    WL_UNIT_LINE = 32,  /* words of a row */
    WL_UNIT_PIECES = 8, /* of 16 bytes */
    WL_UNIT_ROWS = WL_WARPGROUP_ROWS,
    WL_UNIT = WL_UNIT_ROWS * 4 * WL_UNIT_LINE, /* bytes */
    WL_UNIT_TILE = WL_WARPGROUP_COLUMNS,
    WL_UNIT_SIDE = WL_UNIT_TILE / WL_UNIT_ROWS,    /* units of a tile's rows, and of its columns */
    WL_UNIT_STAGE = 2 * WL_UNIT_SIDE * WL_UNIT,    /* bytes of a tile's line: its rows, then its columns */
    WL_UNIT_ALIGN = 1024,                          /* what the swizzle needs the stages aligned to */
    WL_UNIT_THREADS = WL_UNIT_SIDE * WL_WARPGROUP, /* that multiply a tile */
    WL_UNIT_BAND = 8                               /* rows of tiles that are taken together */
};

/* Where piece `piece` of a row is among units of `lines` lines: [padded / 64][lines][64][8], in pieces. */
static __device__ __forceinline__ size_t wl_unit_piece(size_t row, size_t piece, size_t lines) {
    const size_t unit = row / WL_UNIT_ROWS * lines + piece / WL_UNIT_PIECES;
    return (unit * WL_UNIT_ROWS + row % WL_UNIT_ROWS) * WL_UNIT_PIECES + (piece % WL_UNIT_PIECES ^ row % 8);
}

/* Shared memory from a multiple of 1,024 bytes on. */
static __device__ __forceinline__ char *wl_unit_stages(void *shared) {
    return (char *)(((uintptr_t)shared + WL_UNIT_ALIGN - 1) / WL_UNIT_ALIGN * WL_UNIT_ALIGN);
}

/* Start copying a line of 128 rows, or columns: tile `tile` of them. `full` expects its WL_UNIT_SIDE units. One thread. */
static __device__ __forceinline__ void wl_unit_copy_side(char *to, wl_mbarrier *full,
                                                         const char *units, // [padded / 64][lines][WL_UNIT]
                                                         size_t lines, unsigned tile, size_t line) {
#pragma unroll
    for (int u = 0; u < WL_UNIT_SIDE; u++)
        wl_copy_bulk(to + u * WL_UNIT, units + (((size_t)tile * WL_UNIT_SIDE + u) * lines + line) * WL_UNIT, WL_UNIT,
                     full);
}
/* Start copying a line of tile (j, i) into `stage`; one thread. */
static __device__ __forceinline__ void wl_unit_copy(char *stage, wl_mbarrier *full, const char *rows,
                                                    const char *columns, size_t lines, unsigned j, unsigned i,
                                                    size_t line) {
    wl_mbarrier_expect(full, WL_UNIT_STAGE);
    wl_unit_copy_side(stage, full, rows, lines, j, line);
    wl_unit_copy_side(stage + WL_UNIT_SIDE * WL_UNIT, full, columns, lines, i, line);
}

/* A line of the tile: start the products of this warpgroup's 64 rows with all columns. */
template <int SUMS>
static __device__ __forceinline__ void wl_unit_multiply(int (&sum)[SUMS], const char *stage, int warpgroup) {
    wl_warpgroup_begin();
#pragma unroll
    for (int step = 0; step < WL_WARPGROUP_STEPS; step++)
        wl_warpgroup_bits(sum, stage + warpgroup * WL_UNIT, stage + WL_UNIT_SIDE * WL_UNIT, step);
    wl_warpgroup_commit();
}

/* --- Which tile is next: those under way at a time should have rows and columns in common --------------------------- */

/* Tile t of the upper triangle: bands of rows, in a band column after column. (Rows j of the lower triangle that a column of the band
   has not are left out: column i of the band has rows up to i.) */
static __device__ __forceinline__ uint2 wl_unit_upper(unsigned t, unsigned tiles) {
    unsigned first = 0;
    for (;; first += WL_UNIT_BAND) { // a few dozen additions a tile
        const unsigned columns = tiles - first, rows = columns < WL_UNIT_BAND ? columns : (unsigned)WL_UNIT_BAND;
        const unsigned here = rows * columns - rows * (rows - 1) / 2, corner = rows * (rows - 1) / 2;
        if (t >= here) {
            t -= here;
            continue;
        }
        if (t >= corner) return make_uint2(first + (t - corner) % rows, first + rows - 1 + (t - corner) / rows);
        unsigned column = 0;
        while (t > column) t -= ++column;
        return make_uint2(first + t, first + column);
    }
}
/* Tile t of down x across tiles, in the same bands. */
static __device__ __forceinline__ uint2 wl_unit_any(unsigned t, unsigned down, unsigned across) {
    const unsigned first = t / (WL_UNIT_BAND * across) * WL_UNIT_BAND;
    const unsigned rows = down - first < WL_UNIT_BAND ? down - first : (unsigned)WL_UNIT_BAND;
    t -= first * across;
    return make_uint2(first + t % rows, t / rows);
}

/* --- Writing --------------------------------------------------------------------------------------------------------- */

/* This warpgroup's rows of tile (j, i), and mirrored. Of a row, four lanes write 32 bytes side by side; of a column, eight. What is
   written of two neighbours' sums, value(h, value.column(i), ..) says, for row wl_unit_row(tile_j, warpgroup) + 8 h. */
static __device__ __forceinline__ unsigned wl_unit_row(unsigned tile_j, int warpgroup) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    return tile_j * WL_UNIT_TILE + WL_UNIT_ROWS * warpgroup + 16 * warp + lane / 4;
}
template <typename Value>
static __device__ __forceinline__ void wl_unit_write(const int sum[WL_WARPGROUP_SUMS], const Value &value,
                                                     int *to, // [rows][columns]
                                                     unsigned rows, unsigned columns, unsigned tile_j, unsigned tile_i,
                                                     int warpgroup, int mirrored) {
    /* Of 64 bits, i would cost lesson 15 spills; with j of 64 bits, ptxas lets lesson 14's products wait for each other (C7515): 0.42 ms
       instead of 0.39 for 10,000 x 10,000 on an H200. */
    const unsigned first_j = wl_unit_row(tile_j, warpgroup);
    const unsigned first_i = tile_i * WL_UNIT_TILE + 2 * (threadIdx.x % 4);
    const size_t pitch = columns;
    const int even = columns % 2 == 0; // then two neighbours are both there, at a multiple of 8 bytes
#pragma unroll
    for (int c = 0; c < WL_UNIT_TILE / 8; c++) {
        const unsigned i = first_i + 8 * c;
        const auto column = value.column(i);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const unsigned j = first_j + 8 * h;
            const int2 d = value(h, column, sum[4 * c + 2 * h], sum[4 * c + 2 * h + 1]);
            if (j >= rows || i >= columns) continue;
            if (even) {
                *(int2 *)(to + pitch * j + i) = d;
            } else {
                to[pitch * j + i] = d.x;
                if (i + 1 < columns) to[pitch * j + i + 1] = d.y;
            }
            if (!mirrored) continue;
            to[pitch * i + j] = d.x;
            if (i + 1 < columns) to[pitch * (i + 1) + j] = d.y;
        }
    }
}

#endif
