/* 08_tiled: a block computes the distances of 64 instances to 64 others, and loads each row once for 64 pairs.

   Idea: a comparison that needs two bytes from memory can be no faster than memory. A tile of T x T pairs needs 2 T rows:
   2 / T bytes per comparison. Operations per byte that is loaded are the arithmetic intensity.
   Changed: chunks of the tile's rows are in shared memory. A thread has 4 x 4 pairs in registers, for which it loads
   4 + 4 words.
   Expected: 1/32 byte per comparison instead of two. Then instructions are the limit, not bytes.
   Measured: 7.6 times as fast on an H200 (4,096 x 8,192), at 0.83 of what integer instructions allow.
   See: warpladder explain lessons; warpladder run lessons --instances 4096 --attributes 8192 */
#include "lessons/kit/device.h"

enum {
    TILE = 64,           // instances along a side of a tile; tiles are numbered in one dimension, row after row
    PAIRS = 4,           // of a thread, in each direction
    SIDE = TILE / PAIRS, // threads along a tile's side
    BLOCK = SIDE * SIDE, // threads of a block
    CHUNK = 32,          // words of a row that are in shared memory at a time: what a warp loads
    FLAG = 128,          // what a difference adds to the sum of a chunk
};
#define LOW_SEVEN 0x7f7f7f7fu
#define HIGH_BIT 0x80808080u
#define ONES 0x01010101u

/* 128 in each byte that differs. Values have seven bits: 127 plus an exclusive or of 1 to 127 sets the eighth bit, and
   nothing is carried into the next byte. */
static __device__ __forceinline__ uint32_t different(uint32_t j, uint32_t i) {
    return ((j ^ i) + LOW_SEVEN) & HIGH_BIT;
}

static __global__ void __launch_bounds__(BLOCK) tiled(const uint32_t *rows, // [tiles * TILE][words], padded with zeros
                                                      int *distance,        // [instances][instances]
                                                      int instances, size_t words, int tiles) {
    // One word more than a row has, so that the words that 16 threads load from 16 rows lie in 16 banks.
    __shared__ uint32_t a[TILE][CHUNK + 1], b[TILE][CHUNK + 1];
    const int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
    const int word = threadIdx.x % CHUNK, first_row = threadIdx.x / CHUNK;
    const size_t first_j = (size_t)(blockIdx.x / tiles) * TILE, first_i = (size_t)(blockIdx.x % tiles) * TILE;
    int sum[PAIRS][PAIRS] = {};
    for (size_t first = 0; first < words; first += CHUNK) {
        // BEGIN SOLUTION: all threads load a chunk of both tiles' rows into a and b
        for (int row = first_row; row < TILE; row += BLOCK / CHUNK) {
            a[row][word] = rows[(first_j + row) * words + first + word];
            b[row][word] = rows[(first_i + row) * words + first + word];
        }
        __syncthreads();
        // END SOLUTION
        uint32_t flags[PAIRS][PAIRS] = {}; // at most 4 CHUNK FLAG, so nothing overflows, however long a row is
#pragma unroll 8
        for (int w = 0; w < CHUNK; w++) {
            uint32_t j[PAIRS], i[PAIRS];
#pragma unroll
            for (int p = 0; p < PAIRS; p++) {
                j[p] = a[ty + SIDE * p][w];
                i[p] = b[tx + SIDE * p][w];
            }
#pragma unroll
            for (int r = 0; r < PAIRS; r++)
#pragma unroll
                for (int c = 0; c < PAIRS; c++) flags[r][c] = __dp4a(different(j[r], i[c]), ONES, flags[r][c]);
        }
#pragma unroll
        for (int p = 0; p < PAIRS * PAIRS; p++) sum[p / PAIRS][p % PAIRS] += flags[p / PAIRS][p % PAIRS] / FLAG;
        __syncthreads(); // no thread reads this chunk any more
    }
#pragma unroll
    for (int r = 0; r < PAIRS; r++)
#pragma unroll
        for (int c = 0; c < PAIRS; c++) {
            const int j = (int)first_j + ty + SIDE * r, i = (int)first_i + tx + SIDE * c;
            if (j < instances && i < instances) distance[(size_t)instances * j + i] = sum[r][c];
        }
}

static size_t tiles_of(int instances) { return ((size_t)instances + TILE - 1) / TILE; }
static size_t words_of(const lessons_input *in) {
    return (((size_t)in->attributes + 3) / 4 + CHUNK - 1) / CHUNK * CHUNK;
}

static const char *supports(const wl_device *device, const void *input) {
    const lessons_input *in = (const lessons_input *)input;
    return lessons_fits(device, in, sizeof(uint32_t) * (double)(tiles_of(in->instances) * TILE * words_of(in)));
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const lessons_input *in = (const lessons_input *)input;
    const size_t words = words_of(in);
    size_t pitch = 0;
    char *rows = lessons_char_rows(in, &pitch); // [instances][pitch]
    if (rows == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the rows of %d instances", in->instances);
    lessons_state *s;
    wl_status status =
        lessons_begin_zeros(device, in, words, sizeof(uint32_t) * tiles_of(in->instances) * TILE * words, &s);
    if (status == WL_OK && in->instances > 0 && pitch > 0)
        status = wl_cuda_check(
            cudaMemcpy2D(s->data, sizeof(uint32_t) * words, rows, pitch, pitch, in->instances, cudaMemcpyHostToDevice),
            "rows", __FILE__, __LINE__);
    free(rows);
    return wl_prepared(status, s, lessons_release, state);
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const int tiles = (int)tiles_of(s->instances);
    if (tiles == 0) return WL_OK;
    tiled<<<(unsigned)tiles * tiles, BLOCK>>>((const uint32_t *)s->data, s->distance, s->instances, s->pitch, tiles);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_STAGE(.idea = "64 x 64 pairs per block, 4 x 4 per thread: a row loaded once for many pairs",
              .supports = supports, .prepare = prepare, .launch = launch)
