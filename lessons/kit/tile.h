/* What lessons 08 and 09 share on the host side: instances padded with zeros to whole tiles, in device memory that the
   lesson lays out. */
#ifndef LESSONS_TILE_H
#define LESSONS_TILE_H

#include "lessons/kit/device.h"

enum {
    TILE = 64
}; // instances of a block's tile of pairs, both ways. Tiles are numbered in one dimension, row after row

static inline size_t lessons_tiles(int instances) { return ((size_t)instances + TILE - 1) / TILE; }

/* A state with `words` words of device memory, all zero, for `data`, and the result. On failure nothing is left. */
static inline wl_status lessons_allocate(const lessons_input *in, size_t pitch, size_t words, lessons_state **state) {
    lessons_state *s = NULL;
    wl_status status = lessons_upload(in, pitch, NULL, 0, (void **)&s);
    if (status != WL_OK) return status;
    cudaFree(s->data);
    s->data = NULL;
    const size_t bytes = sizeof(uint32_t) * words;
    status = wl_cuda_check(cudaMalloc(&s->data, bytes ? bytes : 1), "the tiles' rows", __FILE__, __LINE__);
    if (status == WL_OK && bytes > 0)
        status = wl_cuda_check(cudaMemset(s->data, 0, bytes), "the tiles' rows", __FILE__, __LINE__);
    if (status != WL_OK) {
        lessons_release(s);
        return status;
    }
    *state = s;
    return WL_OK;
}

#endif
