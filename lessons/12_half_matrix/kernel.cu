/* 12_half_matrix: the distance of j and i is that of i and j.

   Idea: every lesson so far computed each distance twice, and n zeros.
   Changed: one block for each tile on or above the diagonal; it writes its tile and the mirrored one. Blocks are numbered
   in one dimension, row after row of the upper triangle, and find their tile with a square root.
   Expected: half the work, but not half the bytes written, because the matrix has the same size.
   Measured: 1.8 times as fast on an H200 (4,096 x 8,192).
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "lessons/kit/product.h"

enum { BITS = 32 }; // features per word: a feature is a bit

/* Tiles before row j of the upper triangle: j rows of `tiles` tiles, less 0 + 1 + .. + j - 1. */
static __device__ __forceinline__ unsigned before(unsigned j, unsigned tiles) { return j * tiles - j * (j - 1) / 2; }

static __global__ void __launch_bounds__(WL_PRODUCT_THREADS) half_matrix(const uint32_t *features, // [padded][words]
                                                                         const int *ones,          // [padded]
                                                                         int *distance, // [instances][instances]
                                                                         int instances, size_t words, unsigned tiles) {
    const double b = tiles + 0.5; // before(j) = block, solved for j
    unsigned j = (unsigned)(b - sqrt(b * b - 2.0 * blockIdx.x));
    while (before(j + 1, tiles) <= blockIdx.x) j++; // in case rounding made it wrong
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
