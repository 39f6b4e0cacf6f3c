/* 13_async_copies: the multiplications are fast enough; this lesson brings the data along in time.

   Idea: multiplying takes a third of lesson 12's time. The rest: it moves four registers before each product, waits for
   each chunk, and reads two numbers of ones for each distance. None of these is necessary.
   Changed: rows are copied to shared memory asynchronously, two lines of 128 bytes ahead, and loaded from there in the order of
   the tensor cores. At the end of a tile each number of ones is read once.
   Expected: more than half of what the tensor cores do in a loop without memory.
   Measured at an earlier version: 0.57 of that on an H200 at 10,000 x 10,000 nucleotides, 1.9 times as fast as lesson 12; 0.49 at 4,096 x 8,192.
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "harness/device/copy_async.h"
#include "harness/device/mma.h"
#include "lessons/kit/features.h"

enum {
    BITS = 32,                 // features per word: a feature is a bit
    TILE = 128,                // instances along a side of a block's tile
    WARP_TILE = TILE / 2,      // the same of a warp's part
    BLOCK = 128,               // threads: four warps, two by two
    LINE = 32,                 // words of a row that are copied at a time: 128 bytes
    PIECES = LINE / 4,         // the same in units of four words, which one copy brings
    STEPS = LINE / 8,          // of a line; a product takes eight words. Even: fragments take turns in two places
    STAGES = 3,                // lines that are in shared memory or on their way
    STAGE = 2 * TILE * PIECES, // pieces of a stage: the tile's rows j, then its rows i
    SHARED = 16 * STAGES * STAGE,
    TOGETHER = BLOCK / PIECES, // rows of which all threads together copy a line
    COPIES = TILE / TOGETHER,  // of a thread, of rows j and of rows i each, for a line
    DOWN = WARP_TILE / 16,     // products of 16 x 8 sums in a warp's part, one below the other
    ACROSS = WARP_TILE / 8,    // and side by side
};

/* What a thread copies: of every TOGETHER-th row the same piece. */
typedef struct {
    const uint4 *from_j, *from_i; // its piece of its first row, in the first line
    size_t row_pieces;
    uint4 *to; // the same in the first stage
    int lines;
} thread_copies;

/* Starts copies first to last - 1 of a line, unless there is no such line. */
static __device__ __forceinline__ void copy(const thread_copies *c, int line, int first, int last) {
    if (line >= c->lines) return;
    uint4 *to = c->to + line % STAGES * STAGE;
#pragma unroll
    for (int k = first; k < last; k++) {
        const int row = k * TOGETHER;
        const size_t at = row * c->row_pieces + (size_t)line * PIECES;
        wl_copy_async16(to + row * PIECES, c->from_j + at);
        wl_copy_async16(to + (TILE + row) * PIECES, c->from_i + at);
    }
}

/* What a warp multiplies in a step: of 16 rows j each, and of 16 rows i, whose first two registers are eight columns of
   products and the others the next eight. */
typedef struct {
    uint32_t a[DOWN][4], b[ACROSS / 2][4];
} step_fragments;

/* Piece p of row r is at p ^ r % 8: rows of 128 bytes begin in the same banks, and wl_mma_load reads 16 bytes of eight rows. */
static __device__ __forceinline__ void load(step_fragments *f, const uint4 *stage, int warp_j, int warp_i, int step) {
    const int lane = threadIdx.x % 32, swizzle = lane % PIECES;
    const uint4 *rows_j = stage + (warp_j + lane % 16) * PIECES;
    const uint4 *rows_i = stage + (TILE + warp_i + lane / 16 * 8 + lane % 8) * PIECES;
#pragma unroll
    for (int r = 0; r < DOWN; r++) wl_mma_load(f->a[r], &rows_j[16 * r * PIECES + ((2 * step + lane / 16) ^ swizzle)]);
#pragma unroll
    for (int c = 0; c < ACROSS / 2; c++)
        wl_mma_load(f->b[c], &rows_i[16 * c * PIECES + ((2 * step + lane / 8 % 2) ^ swizzle)]);
}

static __device__ __forceinline__ void multiply(const step_fragments *f, int (*sum)[ACROSS][4]) { // [DOWN][ACROSS][4]
#pragma unroll
    for (int c = 0; c < ACROSS; c++)
#pragma unroll
        for (int r = 0; r < DOWN; r++) wl_mma_m16n8k256_b1(sum[r][c], f->a[r], &f->b[c / 2][c % 2 * 2], sum[r][c]);
}

/* Writes a thread's distances of a tile, and mirrored. It reads the number of ones once per row and column. */
static __device__ __forceinline__ void write(const int (*sum)[ACROSS][4], // [DOWN][ACROSS][4]
                                             const int *ones,             // [padded]
                                             int *distance,               // [instances][instances]
                                             int instances, int first_j, int first_i, int mirrored) {
    const int lane = threadIdx.x % 32;
    int column_ones[ACROSS][2];
#pragma unroll
    for (int c = 0; c < 2 * ACROSS; c++)
        column_ones[c / 2][c % 2] = ones[first_i + 8 * (c / 2) + WL_MMA_D_COLUMN(lane, c % 2)];
#pragma unroll
    for (int r = 0; r < 2 * DOWN; r++) {
        const int j = first_j + 16 * (r / 2) + WL_MMA_D_ROW(lane, 2 * (r % 2));
        if (j >= instances) continue;
        const int row_ones = ones[j];
#pragma unroll
        for (int c = 0; c < 2 * ACROSS; c++) {
            const int i = first_i + 8 * (c / 2) + WL_MMA_D_COLUMN(lane, c % 2);
            if (i >= instances) continue;
            const int value =
                lessons_distance(row_ones, column_ones[c / 2][c % 2], sum[r / 2][c / 2][2 * (r % 2) + c % 2]);
            distance[(size_t)instances * j + i] = value;
            if (mirrored) distance[(size_t)instances * i + j] = value;
        }
    }
}

/* Tiles before row j of the upper triangle, as in lesson 12. */
static __device__ __forceinline__ unsigned before(unsigned j, unsigned tiles) { return j * tiles - j * (j - 1) / 2; }

static __global__ void __launch_bounds__(BLOCK, 2) async_copies(const uint32_t *features, // [padded][words]
                                                                const int *ones,          // [padded]
                                                                int *distance,            // [instances][instances]
                                                                int instances, size_t words, unsigned tiles) {
    extern __shared__ uint4 shared[]; // [STAGES][STAGE]
    const double half = tiles + 0.5;
    unsigned tile_j = (unsigned)(half - sqrt(half * half - 2.0 * blockIdx.x));
    while (before(tile_j + 1, tiles) <= blockIdx.x) tile_j++;
    while (before(tile_j, tiles) > blockIdx.x) tile_j--;
    const unsigned tile_i = tile_j + (blockIdx.x - before(tile_j, tiles));
    const int warp_j = threadIdx.x / 64 * WARP_TILE, warp_i = threadIdx.x / 32 % 2 * WARP_TILE; // in the tile
    const int row = threadIdx.x / PIECES, piece = threadIdx.x % PIECES, lines = (int)(words / LINE);
    const size_t first = row * (words / 4) + piece;
    const thread_copies copies = {(const uint4 *)(features + tile_j * TILE * words) + first,
                                  (const uint4 *)(features + tile_i * TILE * words) + first, words / 4,
                                  shared + row * PIECES + (piece ^ row % PIECES), lines};
    int sum[DOWN][ACROSS][4] = {}; // features that instances j and i have in common

    if (lines != 0) {
        for (int line = 0; line < STAGES - 1; line++) {
            copy(&copies, line, 0, COPIES);
            wl_copy_commit(); // a group for each line, even if it is empty: the waits count them
        }
        wl_copy_wait<STAGES - 2>();
        __syncthreads();
        step_fragments fragments[2];
        load(&fragments[0], shared, warp_j, warp_i, 0);
#pragma unroll 1
        for (int line = 0; line < lines; line++) {
            const uint4 *stage = shared + line % STAGES * STAGE;
            // While a step is multiplied, the next one's fragments and a part of a further line are on their way.
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                const int last = STEPS - 1;
                if (step < last) {
                    load(&fragments[(step + 1) % 2], stage, warp_j, warp_i, step + 1);
                    copy(&copies, line + STAGES - 1, COPIES * step / last, COPIES * (step + 1) / last);
                    if (step == last - 1) wl_copy_commit();
                } else {
                    wl_copy_wait<STAGES - 2>(); // for this thread's copies of the next line;
                    __syncthreads();            // for all threads', and no thread reads this line any more
                    if (line + 1 < lines) load(&fragments[0], shared + (line + 1) % STAGES * STAGE, warp_j, warp_i, 0);
                }
                multiply(&fragments[step % 2], sum);
            }
        }
    }
    write(sum, ones, distance, instances, (int)tile_j * TILE + warp_j, (int)tile_i * TILE + warp_i, tile_i > tile_j);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    WL_CUDA(cudaFuncSetAttribute(async_copies, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    return lessons_prepare_features<BITS, LINE>(device, input, state);
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const int tiles = (s->instances + TILE - 1) / TILE;
    if (tiles == 0) return WL_OK;
    const uint32_t *features = (const uint32_t *)s->data;
    async_copies<<<(unsigned)tiles *(tiles + 1) / 2, BLOCK, SHARED>>>(features, lessons_ones(s), s->distance,
                                                                      s->instances, s->pitch, (unsigned)tiles);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_FEATURES_STAGE(
    BITS, .idea = "rows copied ahead, fragments loaded in the order of the tensor cores",
    .on_gpu = "an asynchronous copy's store to shared memory is no shared request, and makes fewer passes",
    .prepare = prepare, .launch = launch)
