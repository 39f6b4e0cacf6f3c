/* 11_binary_tensor_cores: a feature is a bit, and eight times as many fit into a register.

   Idea: features are zeros and ones, and a byte has eight times the bits they need. Tensor cores multiply bits, too: "and"
   is the product and a population count the sum, 16 x 256 by 256 x 8 in one instruction, as fast as the one for bytes.
   Changed: one instruction, and the packing before it. The rest is lesson 10's code (lessons/kit/product.h).
   Expected: an eighth of the bytes, an eighth of the instructions.
   Measured: 6.5 times as fast on an H200 (4,096 x 8,192), because there are as many distances as before.
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "lessons/kit/product.h"

enum { BITS = 32 }; // features per word: a feature is a bit

static __global__ void __launch_bounds__(WL_PRODUCT_THREADS) binary(const uint32_t *features, // [padded][words]
                                                                    const int *ones,          // [padded]
                                                                    int *distance,            // [instances][instances]
                                                                    int instances, size_t words, int tiles) {
    lessons_product_tile(wl_product_bits, features, ones, distance, instances, words, blockIdx.x / tiles,
                         blockIdx.x % tiles, 0);
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const int tiles = (s->instances + TILE - 1) / TILE;
    if (tiles == 0) return WL_OK;
    const uint32_t *features = (const uint32_t *)s->data;
    binary<<<(unsigned)tiles * tiles, WL_PRODUCT_THREADS>>>(features, lessons_ones(s), s->distance, s->instances,
                                                            s->pitch, tiles);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_PRODUCT_STAGE(BITS, .idea = "equal attributes as a matrix product of bits", .launch = launch,
                      .cost = lessons_product_cost<BITS, 2, WL_RATE_MMA_B1>)
