/* The tile of allpairs/product.h, fed without waiting: the same 128 x 128 sums by four warps of 64 x 64, and the same arguments.

   Copies are asynchronous (harness/device/copy_async.h), of a line of 32 words of each of the 256 rows, into one of three places in
   shared memory: nothing passes through registers, and up to two lines are on their way. They are started a few at a time,
   between multiplications.

   Fragments come by wl_mma_load, in the registers in which the multiplication wants them. (In allpairs/product.h, where a lane
   loads four words of a row and then of the row eight below, the compiler has to move four registers before each product.)
   Those of a step of eight words are loaded while the step before is multiplied, also where the next line begins.

   Rows of 128 bytes one below the other have their first 16 bytes in the same banks, and wl_mma_load reads 16 bytes of eight
   rows at a time. So piece p of row r is kept at p ^ r % 8: different for eight rows in a row. */
#ifndef ALLPAIRS_PRODUCT_ASYNC_H
#define ALLPAIRS_PRODUCT_ASYNC_H

#include "harness/device/copy_async.h"
#include "allpairs/product.h"

enum {
    WL_PRODUCT_LINE = 32, /* words: rows must be whole lines, 128-byte aligned */
    WL_PRODUCT_PIECES = WL_PRODUCT_LINE / 4,
    WL_PRODUCT_STEPS = WL_PRODUCT_LINE / 8, /* even: fragments take turns in two places */
    WL_PRODUCT_STAGES = 3,
    WL_PRODUCT_STAGE = 2 * WL_PRODUCT_TILE * WL_PRODUCT_PIECES, /* pieces: A's rows, then B's */
    WL_PRODUCT_SHARED = 16 * WL_PRODUCT_STAGES * WL_PRODUCT_STAGE,
    WL_PRODUCT_TOGETHER = WL_PRODUCT_THREADS / WL_PRODUCT_PIECES, /* rows that all threads copy at a time */
    WL_PRODUCT_COPIES = WL_PRODUCT_TILE / WL_PRODUCT_TOGETHER     /* of a thread, of A and of B each, a line */
};

/* A thread's part in the copies. */
typedef struct {
    const uint4 *a, *b; /* its piece of its first row */
    size_t row_pieces;
    uint4 *to; /* in the first stage */
    int lines;
} wl_product_copies;

/* Copies `first` to `last` - 1 of a line, unless there is no such line. */
static __device__ __forceinline__ void wl_product_copy(const wl_product_copies *c, int line, int first, int last) {
    if (line >= c->lines) return;
    uint4 *to = c->to + line % WL_PRODUCT_STAGES * WL_PRODUCT_STAGE;
#pragma unroll
    for (int k = first; k < last; k++) {
        const int row = k * WL_PRODUCT_TOGETHER;
        const size_t at = row * c->row_pieces + (size_t)line * WL_PRODUCT_PIECES;
        wl_copy_async16(to + row * WL_PRODUCT_PIECES, c->a + at);
        wl_copy_async16(to + (WL_PRODUCT_TILE + row) * WL_PRODUCT_PIECES, c->b + at);
    }
}

/* Of a step: of 16 rows of A each, and of 16 of B, whose first two registers are eight columns of products and the others the next. */
typedef struct {
    uint32_t a[WL_PRODUCT_DOWN][4], b[WL_PRODUCT_ACROSS / 2][4];
} wl_product_fragments;

static __device__ __forceinline__ void wl_product_load(wl_product_fragments *f, const uint4 *stage, int step) {
    const int lane = threadIdx.x % 32, swizzle = lane % WL_PRODUCT_PIECES;
    const uint4 *a_rows = stage + (wl_product_row() + lane % 16) * WL_PRODUCT_PIECES;
    const uint4 *b_rows =
        stage + (WL_PRODUCT_TILE + wl_product_column() + lane / 16 * 8 + lane % 8) * WL_PRODUCT_PIECES;
#pragma unroll
    for (int r = 0; r < WL_PRODUCT_DOWN; r++)
        wl_mma_load(f->a[r], &a_rows[16 * r * WL_PRODUCT_PIECES + ((2 * step + lane / 16) ^ swizzle)]);
#pragma unroll
    for (int c = 0; c < WL_PRODUCT_ACROSS / 2; c++)
        wl_mma_load(f->b[c], &b_rows[16 * c * WL_PRODUCT_PIECES + ((2 * step + lane / 8 % 2) ^ swizzle)]);
}

static __device__ __forceinline__ void wl_product_add(wl_product_multiply multiply, const wl_product_fragments *f,
                                                      wl_product_sums *s) {
#pragma unroll
    for (int c = 0; c < WL_PRODUCT_ACROSS; c++)
#pragma unroll
        for (int r = 0; r < WL_PRODUCT_DOWN; r++) multiply(s->sum[r][c], f->a[r], &f->b[c / 2][c % 2 * 2]);
}

/* All sums of a tile; all threads of the block together. words: of a row. `shared` is free again behind a barrier. */
static __device__ __forceinline__ void wl_product_async(wl_product_multiply multiply,
                                                        const uint32_t *a, // [WL_PRODUCT_TILE][words]
                                                        const uint32_t *b, // [WL_PRODUCT_TILE][words]
                                                        size_t words,
                                                        uint4 *shared, // WL_PRODUCT_SHARED bytes
                                                        wl_product_sums *s) {
    const int row = threadIdx.x / WL_PRODUCT_PIECES, piece = threadIdx.x % WL_PRODUCT_PIECES;
    const int lines = (int)(words / WL_PRODUCT_LINE);
    const size_t first = row * (words / 4) + piece;
    const wl_product_copies copies = {(const uint4 *)a + first, (const uint4 *)b + first, words / 4,
                                      shared + row * WL_PRODUCT_PIECES + (piece ^ row % WL_PRODUCT_PIECES), lines};
#pragma unroll
    for (int r = 0; r < WL_PRODUCT_DOWN; r++)
#pragma unroll
        for (int c = 0; c < WL_PRODUCT_ACROSS; c++)
#pragma unroll
            for (int k = 0; k < 4; k++) s->sum[r][c][k] = 0;
    if (lines == 0) return;
    /* A group a line, though it be empty: the waits count them. */
    for (int line = 0; line < WL_PRODUCT_STAGES - 1; line++) {
        wl_product_copy(&copies, line, 0, WL_PRODUCT_COPIES);
        wl_copy_commit();
    }
    wl_copy_wait<WL_PRODUCT_STAGES - 2>();
    __syncthreads();
    wl_product_fragments fragments[2];
    wl_product_load(&fragments[0], shared, 0);
#pragma unroll 1
    for (int line = 0; line < lines; line++) {
        const uint4 *stage = shared + line % WL_PRODUCT_STAGES * WL_PRODUCT_STAGE;
#pragma unroll
        for (int step = 0; step < WL_PRODUCT_STEPS; step++) {
            const int last = WL_PRODUCT_STEPS - 1;
            if (step < last) {
                wl_product_load(&fragments[(step + 1) % 2], stage, step + 1);
                wl_product_copy(&copies, line + WL_PRODUCT_STAGES - 1, WL_PRODUCT_COPIES * step / last,
                                WL_PRODUCT_COPIES * (step + 1) / last);
                if (step == last - 1) wl_copy_commit();
            } else {
                wl_copy_wait<WL_PRODUCT_STAGES - 2>(); /* for this thread's copies of the next line; */
                __syncthreads();                       /* for all threads', and nobody reads this line any more */
                if (line + 1 < lines)
                    wl_product_load(&fragments[0], shared + (line + 1) % WL_PRODUCT_STAGES * WL_PRODUCT_STAGE, 0);
            }
            wl_product_add(multiply, &fragments[step % 2], s);
        }
    }
}

#endif
