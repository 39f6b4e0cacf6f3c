/* 10_tensor_cores: distances as a product of matrices, for the units that do nothing else.

   Idea: write an instance as a row of zeros and ones, its features (lessons/kit/product.h). The product of two rows is the
   number of features that both instances have, and all pairs together are a matrix times its own transpose. Tensor cores
   multiply small matrices of bytes, 16 x 32 by 32 x 8 in one instruction of a warp.
   Changed: no comparison is left. A warp has 64 x 64 distances and its block of four warps 128 x 128. Their rows pass
   through shared memory 64 bytes at a time; while one chunk is multiplied, the next is on its way.
   Expected: 4,096 multiplications per instruction. An attribute of four values takes three of them.
   Measured: 0.6 of lesson 09's speed on an H200 (4,096 x 8,192), because it has three bytes where that has two bits.
   See: warpladder run lessons/09* lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "lessons/kit/product.h"

enum { BYTES = 4 }; // features per word: a feature is a byte

static __global__ void __launch_bounds__(WL_PRODUCT_THREADS) tensor_cores(const uint32_t *features, // [padded][words]
                                                                          const int *ones,          // [padded]
                                                                          int *distance, // [instances][instances]
                                                                          int instances, size_t words, int tiles) {
    lessons_product_tile(wl_product_bytes, features, ones, distance, instances, words, blockIdx.x / tiles,
                         blockIdx.x % tiles, 0);
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const int tiles = (s->instances + TILE - 1) / TILE;
    if (tiles == 0) return WL_OK;
    const uint32_t *features = (const uint32_t *)s->data;
    tensor_cores<<<(unsigned)tiles * tiles, WL_PRODUCT_THREADS>>>(features, lessons_ones(s), s->distance, s->instances,
                                                                  s->pitch, tiles);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_PRODUCT_STAGE(BYTES, .idea = "equal attributes as a matrix product of bytes", .launch = launch,
                      .cost = lessons_product_cost<BYTES, 2, WL_RATE_MMA_S8>)
