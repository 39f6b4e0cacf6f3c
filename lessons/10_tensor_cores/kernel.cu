/* 10_tensor_cores: distances as a product of matrices, for the units that do nothing else.

   Idea: write an instance as a row of zeros and ones, its features (lessons/kit/features.h). The product of two rows is the
   number of features that both instances have, and all pairs together are a matrix times its own transpose. Tensor cores
   multiply small matrices of bytes, 16 x 32 by 32 x 8 in one instruction of a warp.
   Changed: no comparison is left. A warp has 64 x 64 distances and its block of four warps 128 x 128. Their rows pass
   through shared memory 64 bytes at a time; while one chunk is multiplied, the next is on its way.
   Expected: 4,096 multiplications per instruction. An attribute of four values takes three of them.
   Measured: 0.57 of lesson 09's speed on an H200 (4,096 x 8,192), because it has three bytes where that has two bits.
   See: warpladder run lessons/09* lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "harness/device/mma.h"
#include "lessons/kit/features.h"

enum {
    BYTES = 4,                    // features per word: a feature is a byte
    TILE = 128,                   // instances along a side of a block's tile
    WARP_TILE = TILE / 2,         // the same of a warp's part
    BLOCK = 128,                  // threads: four warps, two by two
    CHUNK = 16,                   // words of a row that are in shared memory at a time
    FOURS = CHUNK / 4,            // the same in units of four words, which one load brings
    LOADS = TILE * FOURS / BLOCK, // of a thread, for a chunk of a tile's rows
    DOWN = WARP_TILE / 16,        // products of 16 x 8 sums in a warp's part, one below the other
    ACROSS = WARP_TILE / 8,       // and side by side
};

/* All threads load a chunk of a tile's rows into registers. */
static __device__ __forceinline__ void load_chunk(const uint4 *rows, // [TILE][row_fours]
                                                  size_t row_fours,
                                                  uint4 *next) { // [LOADS]
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        const int four = threadIdx.x + k * BLOCK;
        next[k] = rows[four / FOURS * row_fours + four % FOURS];
    }
}
static __device__ __forceinline__ void store_chunk(const uint4 *next, // [LOADS]
                                                   uint4 *chunk) {    // [TILE][FOURS], shared
#pragma unroll
    for (int k = 0; k < LOADS; k++) chunk[threadIdx.x + k * BLOCK] = next[k];
}

/* A warp adds the products of its rows of a chunk. A tensor core takes words l % 4 and l % 4 + 4 of eight from lane l, but the
   order of the features does not matter as long as it is the same in a and b. So lane l takes the four words from 4 (l % 4)
   on, which one load brings and which are enough for two instructions. */
static __device__ __forceinline__ void multiply_chunk(const uint4 (*a)[FOURS], // [WARP_TILE][FOURS]
                                                      const uint4 (*b)[FOURS], // [WARP_TILE][FOURS]
                                                      int (*sum)[ACROSS][4]) { // [DOWN][ACROSS][4]
    const int lane = threadIdx.x % 32;
    uint4 upper[DOWN], lower[DOWN]; // rows lane / 4 and lane / 4 + 8 of 16
#pragma unroll
    for (int r = 0; r < DOWN; r++) {
        upper[r] = a[16 * r + lane / 4][lane % 4];
        lower[r] = a[16 * r + lane / 4 + 8][lane % 4];
    }
#pragma unroll
    for (int c = 0; c < ACROSS; c++) {
        const uint4 column = b[8 * c + lane / 4][lane % 4];
        const uint32_t b_first[2] = {column.x, column.y}, b_second[2] = {column.z, column.w};
#pragma unroll
        for (int r = 0; r < DOWN; r++) {
            const uint32_t a_first[4] = {upper[r].x, lower[r].x, upper[r].y, lower[r].y};
            const uint32_t a_second[4] = {upper[r].z, lower[r].z, upper[r].w, lower[r].w};
            wl_mma_m16n8k32_s8(sum[r][c], a_first, b_first, sum[r][c]);
            wl_mma_m16n8k32_s8(sum[r][c], a_second, b_second, sum[r][c]);
        }
    }
}

/* Block b computes tile (b / tiles, b % tiles). */
static __global__ void __launch_bounds__(BLOCK) tensor_cores(const uint32_t *features, // [padded][words]
                                                             const int *ones,          // [padded]
                                                             int *distance,            // [instances][instances]
                                                             int instances, size_t words, int tiles) {
    __shared__ uint4 a[2][TILE][FOURS], b[2][TILE][FOURS]; // a chunk of the tile's rows j and of its rows i, twice
    const int tile_j = blockIdx.x / tiles, tile_i = blockIdx.x % tiles;
    const int warp_j = threadIdx.x / 64 * WARP_TILE, warp_i = threadIdx.x / 32 % 2 * WARP_TILE; // in the tile
    const uint4 *rows_j = (const uint4 *)(features + (size_t)tile_j * TILE * words);            // [TILE][words / 4]
    const uint4 *rows_i = (const uint4 *)(features + (size_t)tile_i * TILE * words);            // [TILE][words / 4]
    const size_t chunks = words / CHUNK;
    uint4 next_a[LOADS], next_b[LOADS];
    int sum[DOWN][ACROSS][4] = {}; // features that instances j and i have in common
    for (size_t k = 0; k <= chunks; k++) {
        if (k < chunks) {
            load_chunk(rows_j + k * FOURS, words / 4, next_a);
            load_chunk(rows_i + k * FOURS, words / 4, next_b);
        }
        if (k > 0) multiply_chunk(&a[(k - 1) % 2][warp_j], &b[(k - 1) % 2][warp_i], sum);
        if (k < chunks) {
            store_chunk(next_a, &a[k % 2][0][0]);
            store_chunk(next_b, &b[k % 2][0][0]);
        }
        __syncthreads(); // chunk k is there, and no thread reads chunk k - 1 any more
    }

    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < DOWN; r++)
#pragma unroll
        for (int c = 0; c < ACROSS; c++)
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const int j = tile_j * TILE + warp_j + 16 * r + WL_MMA_D_ROW(lane, k);
                const int i = tile_i * TILE + warp_i + 8 * c + WL_MMA_D_COLUMN(lane, k);
                if (j >= instances || i >= instances) continue;
                distance[(size_t)instances * j + i] = lessons_distance(ones[j], ones[i], sum[r][c][k]);
            }
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const int tiles = (s->instances + TILE - 1) / TILE;
    if (tiles == 0) return WL_OK;
    const uint32_t *features = (const uint32_t *)s->data;
    tensor_cores<<<(unsigned)tiles * tiles, BLOCK>>>(features, lessons_ones(s), s->distance, s->instances, s->pitch,
                                                     tiles);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_FEATURES_STAGE(BYTES, .idea = "equal attributes as a matrix product of bytes", .launch = launch,
                       .cost = lessons_features_cost<BYTES, 2, WL_RATE_MMA_S8>)
