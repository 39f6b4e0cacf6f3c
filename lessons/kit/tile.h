/* Host code that lessons 08 and 09 share: instances padded with zeros to whole tiles, in device memory that the lesson lays
   out. */
#ifndef LESSONS_KIT_TILE_H
#define LESSONS_KIT_TILE_H

#include "lessons/kit/device.h"

enum { TILE = 64 }; // instances along a side of a block's tile. Tiles are numbered in one dimension, row after row

static inline size_t lessons_tiles(int instances) { return ((size_t)instances + TILE - 1) / TILE; }

/* As lessons_begin, with `words` words of device memory for `data`, all zero. */
static inline wl_status lessons_begin_tiles(const wl_device *device, const lessons_input *in, size_t pitch,
                                            size_t words, lessons_state **state) {
    WL_TRY(lessons_begin(device, in, pitch, sizeof(uint32_t) * words, state));
    if (words > 0) WL_CUDA(cudaMemset((*state)->data, 0, sizeof(uint32_t) * words));
    return WL_OK;
}

#endif
