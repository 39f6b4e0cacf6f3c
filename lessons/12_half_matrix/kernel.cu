/* 12_half_matrix: the distance of j and i is that of i and j.

   Idea: all lessons since the first computed every distance twice, and n zeros.
   Changed: a block for each tile on or above the diagonal; it writes its tile and the mirrored one. Blocks are numbered in one
   dimension, row after row of the upper triangle, and find their tile with a square root.
   Should do: half the work. Not half the bytes written: the matrix is as large as ever.
   Did: 1.8 times as fast on an H200 (4,096 x 8,192).
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "lessons/kit/product.h"

enum { BITS = 32 }; // of a word: a feature is a bit

/* Tiles before row j of the upper triangle: j rows of `tiles` less 0 + 1 + .. + j - 1. */
static __device__ __forceinline__ unsigned before(unsigned j, unsigned tiles) { return j * tiles - j * (j - 1) / 2; }

static __global__ void __launch_bounds__(WL_PRODUCT_THREADS) half_matrix(const uint32_t *features, // [padded][words]
                                                                         const int *ones,          // [padded]
                                                                         int *distance, // [instances][instances]
                                                                         int instances, size_t words, unsigned tiles) {
    const double b = tiles + 0.5; // before(j) = block, solved for j
    unsigned j = (unsigned)(b - sqrt(b * b - 2.0 * blockIdx.x));
    while (before(j + 1, tiles) <= blockIdx.x) j++; // should rounding have been wrong
    while (before(j, tiles) > blockIdx.x) j--;
    const unsigned i = j + (blockIdx.x - before(j, tiles));
    lessons_product_tile(wl_product_bits, features, ones, distance, instances, words, (int)j, (int)i, i > j);
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const int tiles = (s->instances + TILE - 1) / TILE;
    if (tiles == 0) return WL_OK;
    const uint32_t *features = (const uint32_t *)s->data;
    half_matrix<<<(unsigned)tiles *(tiles + 1) / 2, WL_PRODUCT_THREADS>>>(features, lessons_ones(s), s->distance,
                                                                          s->instances, s->pitch, (unsigned)tiles);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_PRODUCT_STAGE(BITS, .idea = "tiles on and above the diagonal, mirrored", .launch = launch)
