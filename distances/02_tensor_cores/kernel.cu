/* 02_tensor_cores: both counts as products of bit matrices.

   Idea: binary tensor cores count the places at which two rows of bits both have a one. Row j has, for each value v, the bits
   "is v", and column i has "is present and not v". Both are one exactly where the values differ. In unary planes, "above p"
   meets "present and not above p", and the other way round. The sites compared are present times present.
   Changed: a kernel unfolds rows and columns into these features, and lesson 13's tile multiplies them. More than 16 values
   are left to stage 01, because the unfolded rows would be too long.
   Expected: the tensor cores are the limit; 10,000 x 10,000 nucleotides with missing values take 0.48 ms at their rate for bits.
   Measured at an earlier version: 1.06 ms on an H200, 11 times as fast as stage 01.
   See: warpladder run distances */
#include "distances/kit/features.h"
#include "harness/device/copy_async.h"
#include "harness/device/mma.h"

enum {
    UNFOLD_THREADS = 256,      // per block of the kernels before and after the product
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

/* --- Features ---------------------------------------------------------------------------------------------------- */

/* A block unfolds one instance: its features as a row (side 0) or as a column (side 1). After the last instance they are 0. */
static __global__ void unfold(const uint32_t *from, // [count][planes + 1][words]
                              size_t count, int planes, size_t words, int steps, int side,
                              uint32_t *features, // [padded][distances_features][words]
                              uint32_t *present,  // [padded][present_words]; NULL if not needed
                              size_t present_words) {
    const size_t instance = blockIdx.x, stride = (size_t)(planes + 1) * words;
    const int kinds = distances_features(planes, steps);
    if (present != NULL && threadIdx.x < present_words - words)
        present[instance * present_words + words + threadIdx.x] = 0;
    for (size_t w = threadIdx.x; w < words; w += blockDim.x) {
        const uint32_t *at = from + instance * stride + w;
        const uint32_t here = instance < count ? at[planes * words] : 0;
        if (present != NULL) present[instance * present_words + w] = here;
        for (int f = 0; f < kinds; f++) {
            uint32_t is = here;
            if (steps) { // above f % planes
                is &= instance < count ? at[f % planes * words] : 0;
                if (f >= planes) is = here & ~is;
            } else { // value f
                for (int p = 0; p < planes && instance < count; p++) is &= f >> p & 1 ? at[p * words] : ~at[p * words];
            }
            features[(instance * kinds + f) * words + w] = side == 0 ? is : here & ~is;
        }
    }
}

/* --- The product ------------------------------------------------------------------------------------------------- */

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

/* Writes a thread's sums of a tile, and mirrored. */
static __device__ __forceinline__ void write(const int (*sum)[ACROSS][4], // [DOWN][ACROSS][4]
                                             uint32_t *to,                // [rows][columns]
                                             size_t rows, size_t columns, size_t first_j, size_t first_i,
                                             int mirrored) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < DOWN; r++)
#pragma unroll
        for (int c = 0; c < ACROSS; c++)
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const size_t j = first_j + 16 * r + WL_MMA_D_ROW(lane, k),
                             i = first_i + 8 * c + WL_MMA_D_COLUMN(lane, k);
                if (j >= rows || i >= columns) continue;
                to[j * columns + i] = (uint32_t)sum[r][c][k];
                if (mirrored) to[i * columns + j] = (uint32_t)sum[r][c][k];
            }
}

/* A block multiplies a tile as in lesson 13. */
static __global__ void __launch_bounds__(BLOCK, 2)
    product(const uint32_t *row_features,    // [padded][words]
            const uint32_t *column_features, // [padded][words]
            size_t words, size_t rows, size_t columns, unsigned tiles_across, int symmetric,
            uint32_t *to) { // [rows][columns]
    const size_t tile_j = blockIdx.x / tiles_across, tile_i = blockIdx.x % tiles_across;
    if (symmetric && tile_i < tile_j) return;
    extern __shared__ uint4 shared[];                                                           // [STAGES][STAGE]
    const int warp_j = threadIdx.x / 64 * WARP_TILE, warp_i = threadIdx.x / 32 % 2 * WARP_TILE; // in the tile
    const int row = threadIdx.x / PIECES, piece = threadIdx.x % PIECES, lines = (int)(words / LINE);
    const size_t first = row * (words / 4) + piece;
    const thread_copies copies = {(const uint4 *)(row_features + tile_j * TILE * words) + first,
                                  (const uint4 *)(column_features + tile_i * TILE * words) + first, words / 4,
                                  shared + row * PIECES + (piece ^ row % PIECES), lines};
    int sum[DOWN][ACROSS][4] = {};
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
    write(sum, to, rows, columns, tile_j * TILE + warp_j, tile_i * TILE + warp_i, symmetric && tile_i > tile_j);
}

static __global__ void fill(uint32_t *to, size_t count, uint32_t value) {
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += (size_t)gridDim.x * blockDim.x)
        to[k] = value;
}

/* --- Host -------------------------------------------------------------------------------------------------------- */

static size_t tiles(size_t count) { return (count + TILE - 1) / TILE; }

/* Rows of a product are whole lines. Rows of features are, because they have an even number of features of whole half lines. */
static size_t present_words(size_t words) { return (words + LINE - 1) / LINE * LINE; }

/* Where the parts of `work` begin, in words: features of rows and of columns, then present values of rows and, if the columns
   are other instances, of columns. */
typedef struct {
    size_t row_features, column_features, row_present, column_present, words;
} parts;

static parts parts_of(const distances_input *in) {
    const size_t words = 2 * in->words, rows = tiles(in->rows.count) * TILE, columns = tiles(in->columns.count) * TILE;
    const size_t kinds = distances_features(in->planes, in->sum == DISTANCES_STEPS);
    parts p;
    p.row_features = 0;
    p.column_features = rows * kinds * words;
    p.row_present = p.column_features + columns * kinds * words;
    p.column_present = in->symmetric ? p.row_present : p.row_present + rows * present_words(words);
    p.words = p.column_present + columns * present_words(words);
    return p;
}

static const char *supports(const wl_device *device, const void *input) {
    enum { AMPERE = 80, BLACKWELL = 100 };
    const distances_input *in = (const distances_input *)input;
    if (device->compute_capability < AMPERE && device->backend == WL_GPU)
        return "tensor cores multiply bits from compute capability 8.0 on";
    if (device->compute_capability >= BLACKWELL && device->backend == WL_GPU)
        return "from compute capability 10.0 on, GPUs multiply bits in software, slower than stage 01";
    if (in->sum == DISTANCES_DIFFERENT && in->planes > DISTANCES_FEATURES_PLANES)
        return "more than 16 values: stage 01 is for them";
    if ((double)tiles(in->rows.count) * (double)tiles(in->columns.count) > INT32_MAX)
        return "more than 2 billion tiles; give fewer instances at a time";
    return distances_fits(device, in, sizeof(uint32_t) * parts_of(in).words);
}

/* Each launch makes the features again, so that their time counts. */
static wl_status prepare(const wl_device *device, const void *input, void **state) {
    WL_CUDA(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    return distances_upload(device, input, sizeof(uint32_t) * parts_of((const distances_input *)input).words, state);
}

static wl_status launch(void *state) {
    distances_state *s = (distances_state *)state;
    const distances_input *in = s->input;
    const size_t pairs = s->rows * s->columns;
    if (pairs == 0) return WL_OK;
    const int steps = in->sum == DISTANCES_STEPS, kinds = distances_features(in->planes, steps);
    const parts p = parts_of(in);
    uint32_t *row_present = in->complete || in->distance_only ? NULL : s->work + p.row_present;
    uint32_t *column_present = in->complete || in->distance_only || in->symmetric ? NULL : s->work + p.column_present;
    unfold<<<(unsigned)(tiles(s->rows) * TILE), UNFOLD_THREADS>>>(s->row_planes, s->rows, in->planes, s->words, steps,
                                                                  0, s->work + p.row_features, row_present,
                                                                  present_words(s->words));
    WL_LAUNCHED();
    unfold<<<(unsigned)(tiles(s->columns) * TILE), UNFOLD_THREADS>>>(s->column_planes, s->columns, in->planes, s->words,
                                                                     steps, 1, s->work + p.column_features,
                                                                     column_present, present_words(s->words));
    WL_LAUNCHED();
    const unsigned across = (unsigned)tiles(s->columns), blocks = (unsigned)tiles(s->rows) * across;
    product<<<blocks, BLOCK, SHARED>>>(s->work + p.row_features, s->work + p.column_features, kinds * s->words, s->rows,
                                       s->columns, across, in->symmetric, s->result);
    WL_LAUNCHED();
    if (in->distance_only) return WL_OK;
    if (in->complete)
        fill<<<1024, UNFOLD_THREADS>>>(s->result + pairs, pairs, (uint32_t)in->sites);
    else
        product<<<blocks, BLOCK, SHARED>>>(s->work + p.row_present, s->work + p.column_present, present_words(s->words),
                                           s->rows, s->columns, across, in->symmetric, s->result + pairs);
    WL_LAUNCHED();
    return WL_OK;
}

DISTANCES_STAGE(.idea = "sites that differ, and sites compared, as products of bit matrices",
                .limits = "up to 16 values of a site", .supports = supports, .prepare = prepare, .launch = launch,
                .cost = distances_features_cost<WL_RATE_MMA_B1>)
