/* 01_bit_planes: 32 sites at a time, by logic and a population count.

   Idea: XOR the planes of two instances, OR the results, and AND the plane of present values: the ones are the sites that
   differ (lesson 09). In unary planes each XOR is counted by itself, and the sum is |a - b|. Works for any number of planes
   on any GPU.
   Changed: since lesson 09, a further plane says which values are present, and each word has a second count.
   Expected: population counts are the limit: two for 32 sites of a pair, more in unary.
   Measured at an earlier version: 0.64 of that limit with nucleotides on an H200 and 0.83 with genotypes; 0.23 and 0.35 with 2 x 2 pairs per thread.
   See: warpladder run distances */
#include "distances/kit/device.h"

enum {
    TILE = 64,
    PAIRS = 4, // of a thread, in each direction; a word read from shared memory serves four
    SIDE = TILE / PAIRS,
    THREADS = SIDE * SIDE,
    WORDS = 8, // of a plane in shared memory at a time: a sector
    FOUR = 4,  // words per load
    PITCH = TILE + FOUR,
    PLANES = DISTANCES_PLANES_MOST + 1,
};

/* Copies a chunk of a tile's side, with the instances side by side and zeros after the last one. Neighbouring threads load the
   two halves of a sector; PITCH puts these into different banks. */
static __device__ __forceinline__ void load(const uint32_t *planes, // [count][kinds][words]
                                            size_t count, int kinds, size_t words, size_t first, size_t word,
                                            uint32_t (*chunk)[WORDS][PITCH]) { // [kinds]
    for (int k = threadIdx.x; k < TILE * kinds * (WORDS / FOUR); k += THREADS) {
        const int w = k % (WORDS / FOUR) * FOUR, row = k / (WORDS / FOUR) % TILE, p = k / (WORDS / FOUR) / TILE;
        uint4 four = {0, 0, 0, 0};
        if (first + row < count) four = *(const uint4 *)(planes + ((first + row) * kinds + p) * words + word + w);
        chunk[p][w][row] = four.x;
        chunk[p][w + 1][row] = four.y;
        chunk[p][w + 2][row] = four.z;
        chunk[p][w + 3][row] = four.w;
    }
}

/* A thread's rows are neighbours, so that one load has all four. Its columns are SIDE apart, so that neighbouring threads store
   neighbours. */
static __device__ __forceinline__ void operands(const uint32_t *a,
                                                const uint32_t *b, // [PITCH] each: one word of a tile's side
                                                int y, int x, uint32_t j[PAIRS], uint32_t i[PAIRS]) {
    const uint4 four = ((const uint4 *)a)[y];
    j[0] = four.x, j[1] = four.y, j[2] = four.z, j[3] = four.w;
#pragma unroll
    for (int c = 0; c < PAIRS; c++) i[c] = b[x + SIDE * c];
}

template <int STEPS>
static __global__ void __launch_bounds__(THREADS)
    bit_planes(const uint32_t *row_planes,    // [rows][planes + 1][words]
               const uint32_t *column_planes, // [columns][planes + 1][words]
               size_t rows, size_t columns, int planes, size_t words, int symmetric, unsigned tiles_across,
               uint32_t *distance,   // [rows][columns]
               uint32_t *compared) { // [rows][columns]
    __shared__ __align__(sizeof(uint4)) uint32_t a[PLANES][WORDS][PITCH], b[PLANES][WORDS][PITCH];
    const size_t tile_j = blockIdx.x / tiles_across, tile_i = blockIdx.x % tiles_across;
    if (symmetric && tile_i < tile_j) return;
    const int y = threadIdx.x / SIDE, x = threadIdx.x % SIDE;
    uint32_t differ[PAIRS][PAIRS] = {}, both[PAIRS][PAIRS] = {}, j[PAIRS], i[PAIRS];
    for (size_t word = 0; word < words; word += WORDS) { // rows of planes are whole cache lines
        load(row_planes, rows, planes + 1, words, tile_j * TILE, word, a);
        load(column_planes, columns, planes + 1, words, tile_i * TILE, word, b);
        __syncthreads();
#pragma unroll 1
        for (int w = 0; w < WORDS; w++) {
            uint32_t present[PAIRS][PAIRS], any[PAIRS][PAIRS] = {};
            operands(a[planes][w], b[planes][w], y, x, j, i);
#pragma unroll
            for (int k = 0; k < PAIRS * PAIRS; k++) {
                present[k / PAIRS][k % PAIRS] = j[k / PAIRS] & i[k % PAIRS];
                both[k / PAIRS][k % PAIRS] += __popc(present[k / PAIRS][k % PAIRS]);
            }
            for (int p = 0; p < planes; p++) {
                operands(a[p][w], b[p][w], y, x, j, i);
#pragma unroll
                for (int k = 0; k < PAIRS * PAIRS; k++) {
                    const uint32_t other = j[k / PAIRS] ^ i[k % PAIRS];
                    if (STEPS)
                        differ[k / PAIRS][k % PAIRS] += __popc(other & present[k / PAIRS][k % PAIRS]);
                    else
                        any[k / PAIRS][k % PAIRS] |= other;
                }
            }
#pragma unroll
            for (int k = 0; k < PAIRS * PAIRS; k++) // nothing if each step has been counted
                differ[k / PAIRS][k % PAIRS] += __popc(any[k / PAIRS][k % PAIRS] & present[k / PAIRS][k % PAIRS]);
        }
        __syncthreads(); // no thread reads this chunk any more
    }
#pragma unroll
    for (int k = 0; k < PAIRS * PAIRS; k++) {
        const size_t at_j = tile_j * TILE + y * PAIRS + k / PAIRS, at_i = tile_i * TILE + x + SIDE * (k % PAIRS);
        if (at_j >= rows || at_i >= columns) continue;
        distance[at_j * columns + at_i] = differ[k / PAIRS][k % PAIRS];
        compared[at_j * columns + at_i] = both[k / PAIRS][k % PAIRS];
        if (!symmetric || tile_i == tile_j) continue;
        distance[at_i * columns + at_j] = differ[k / PAIRS][k % PAIRS];
        compared[at_i * columns + at_j] = both[k / PAIRS][k % PAIRS];
    }
}

static size_t tiles(size_t count) { return (count + TILE - 1) / TILE; }

static const char *supports(const wl_device *device, const void *input) {
    const distances_input *in = (const distances_input *)input;
    if ((double)tiles(in->rows.count) * (double)tiles(in->columns.count) > INT32_MAX)
        return "more than 2 billion tiles; give fewer instances at a time";
    return distances_fits(device, in, 0);
}

static wl_status launch(void *state) {
    distances_state *s = (distances_state *)state;
    const size_t pairs = s->rows * s->columns;
    if (pairs == 0) return WL_OK;
    const unsigned across = (unsigned)tiles(s->columns), blocks = (unsigned)tiles(s->rows) * across;
    const int planes = s->input->planes, symmetric = s->input->symmetric;
    if (s->input->sum == DISTANCES_STEPS)
        bit_planes<1><<<blocks, THREADS>>>(s->row_planes, s->column_planes, s->rows, s->columns, planes, s->words,
                                           symmetric, across, s->result, s->result + pairs);
    else
        bit_planes<0><<<blocks, THREADS>>>(s->row_planes, s->column_planes, s->rows, s->columns, planes, s->words,
                                           symmetric, across, s->result, s->result + pairs);
    WL_LAUNCHED();
    return WL_OK;
}

/* Population counts: one per word for what differs (one per plane in unary), and one for what is present. */
static void cost(const wl_device *, const void *input, wl_cost *cost) {
    const distances_input *in = (const distances_input *)input;
    const double words = (double)(in->sites + 31) / 32, counts = in->sum == DISTANCES_STEPS ? in->planes + 1 : 2;
    distances_cost(in, words * counts, WL_RATE_POPC, cost);
}

DISTANCES_STAGE(.idea = "32 sites at a time: XOR, OR, population count", .supports = supports, .launch = launch,
                .cost = cost)
