/* Matrices of bits in global memory as warpgroups multiply them in shared memory: what lessons 14 to 16 and distances/03_one_pass
   share.

   A unit is a line, 32 words, of each of 64 rows: 8 KB, swizzled as harness/device/warpgroup.h says. The units of the same 64 rows
   follow one another, and a bulk copy brings one as it is. */
#pragma once

#include "harness/device/copy_bulk.h"
#include "harness/device/warpgroup.h"

enum {
    WL_UNIT_LINE = 32,  // words of a row
    WL_UNIT_PIECES = 8, // of 16 bytes
    WL_UNIT_ROWS = WL_WARPGROUP_ROWS,
    WL_UNIT = WL_UNIT_ROWS * 4 * WL_UNIT_LINE, // bytes
    WL_UNIT_ALIGN = 1024                       // what the swizzle needs a unit in shared memory aligned to
};

/* Where piece `piece` of a row is among units of `lines` lines: [padded / 64][lines][64][8], in pieces. */
static __device__ __forceinline__ size_t wl_unit_piece(size_t row, size_t piece, size_t lines) {
    const size_t unit = row / WL_UNIT_ROWS * lines + piece / WL_UNIT_PIECES;
    return (unit * WL_UNIT_ROWS + row % WL_UNIT_ROWS) * WL_UNIT_PIECES + (piece % WL_UNIT_PIECES ^ row % 8);
}

/* The row that an instance takes where tiles are written in parts of 16 columns (allpairs/wide.h): of a part, lane % 4 = q then has the
   sums of columns 4q to 4q + 3, which are 16 bytes side by side. */
static __device__ __forceinline__ size_t wl_unit_wide_row(size_t instance) {
    return instance / 16 * 16 + instance / 2 % 2 * 8 + instance / 4 % 4 * 2 + instance % 2;
}

/* Dynamic shared memory from a multiple of WL_UNIT_ALIGN on. */
static __device__ __forceinline__ char *wl_unit_align(void *shared) {
    return (char *)(((uintptr_t)shared + WL_UNIT_ALIGN - 1) / WL_UNIT_ALIGN * WL_UNIT_ALIGN);
}
