/* What lessons 08 and 09 share on the host side: instances padded with zeros to whole tiles, in device memory that the
   lesson lays out. */
#ifndef LESSONS_TILE_H
#define LESSONS_TILE_H

#include "lessons/kit/device.h"

enum {
    TILE = 64
}; // instances of a block's tile of pairs, both ways. Tiles are numbered in one dimension, row after row

static inline size_t lessons_tiles(int instances) { return ((size_t)instances + TILE - 1) / TILE; }

/* A state with `words` words of device memory, all zero, for `data`. As lessons_begin. */
static inline wl_status lessons_begin_tiles(const wl_device *device, const lessons_input *in, size_t pitch,
                                            size_t words, lessons_state **state) {
    WL_TRY(lessons_begin(device, in, pitch, sizeof(uint32_t) * words, state));
    if (words > 0) WL_CUDA(cudaMemset((*state)->data, 0, sizeof(uint32_t) * words));
    return WL_OK;
}

#endif
