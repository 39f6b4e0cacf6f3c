/* 09_bit_planes: a word holds one bit of 32 attributes, so that an instruction compares 32 attributes.

   Idea: an attribute of four values has two bits and took eight. Plane p of an instance has bit p of its attributes, 32
   per word. Attributes differ if any of their bits does: an exclusive or for the first plane, one LOP3 (or, exclusive
   or) for each further plane.
   Changed: planes instead of characters, made by a packing kernel; 8 x 8 pairs per thread. Population counts have a
   quarter of the rate of logic, so a full adder (two LOP3) first makes two words to count from three.
   Expected: 2 planes: 8 LOP3 and 2 population counts for 96 comparisons, for which lesson 08 takes 96 instructions.
   Measured: 5.6 times as fast on an H200 (4,096 x 8,192), at 0.71 of what population counts allow.
   See: warpladder run lessons/0[89]* --instances 10000 --attributes 10000 --alphabet 4 */
#include "lessons/kit/device.h"

enum {
    TILE = 64,           // instances along a side of a tile; tiles are numbered in one dimension, row after row
    PAIRS = 8,           // of a thread, in each direction
    HALF = PAIRS / 2,    // side by side: 16 bytes, loaded by one instruction
    SIDE = TILE / PAIRS, // threads along a tile's side
    BLOCK = SIDE * SIDE,
    FOURS = TILE / 4,
    ADDER = 3,          // words that a full adder takes
    ADDED_PLANES = 2,   // with three, adders would save a twelfth; with more nothing, because logic takes the time
    CHUNK = 4 * ADDER,  // words of a plane that are in shared memory at a time
    MOST_PLANES = 7,    // an alphabet of 128
    BITS = 32,          // of a word
    PACKERS = 128,      // threads per block of the packing kernel
    BLOCKS_AT_ONCE = 6, // per multiprocessor: leaves 168 registers per thread, which two planes need
};

/* --- The layout: [words][planes][tiles * TILE], instances side by side ------------------------------------------- */

static size_t tiles_of(int instances) { return ((size_t)instances + TILE - 1) / TILE; }
static int planes_of(int alphabet) {
    int planes = 1;
    while (1 << planes < alphabet) planes++;
    return planes;
}
static size_t words_of(int attributes) { return (((size_t)attributes + BITS - 1) / BITS + ADDER - 1) / ADDER * ADDER; }

/* A thread packs word blockIdx.y of its instance, 32 attributes, in all planes. Bits after the last attribute are 0. */
static __global__ void pack(const char *rows, // [instances][pitch]
                            int instances, size_t attributes, size_t pitch, int planes,
                            uint32_t *packed, // [words][planes][padded]
                            size_t padded, size_t words) {
    const int instance = blockIdx.x * PACKERS + threadIdx.x;
    if (instance >= instances) return;
    for (size_t word = blockIdx.y; word < words; word += gridDim.y) {
        uint32_t plane[MOST_PLANES] = {};
        const size_t first = word * BITS;
        const int here = attributes < first + BITS ? (int)(attributes - first) : BITS; // negative after the last
        for (int k = 0; k < here; k++) {
            const uint32_t value = rows[instance * pitch + first + k];
#pragma unroll
            for (int p = 0; p < MOST_PLANES; p++) plane[p] |= (value >> p & 1) << k;
        }
#pragma unroll
        for (int p = 0; p < MOST_PLANES; p++)
            if (p < planes) packed[(word * planes + p) * padded + instance] = plane[p];
    }
}

/* --- The kernel -------------------------------------------------------------------------------------------------- */

/* The words of a thread's 8 rows: 4 and, half a tile further, 4 more, so that neighbouring threads load neighbouring
   words. */
static __device__ __forceinline__ void load(uint32_t *words, const uint4 *row, int t) {
    const uint4 low = row[t], high = row[t + FOURS / 2];
    words[0] = low.x, words[1] = low.y, words[2] = low.z, words[3] = low.w;
    words[4] = high.x, words[5] = high.y, words[6] = high.z, words[7] = high.w;
}
static __device__ __forceinline__ int row_of(int t, int k) { return t * HALF + k % HALF + k / HALF * (TILE / 2); }

/* In how many attributes GROUP words of two instances differ. The full adder adds three words bit by bit: a bit of `odd`
   counts one, a bit of `carry` two. With one word, the compiler drops the adder. */
template <int PLANES, int GROUP>
static __device__ __forceinline__ int count(const uint32_t (*j)[PLANES][PAIRS], int r, const uint32_t (*i)[PLANES]) {
    uint32_t differ[ADDER] = {};
#pragma unroll
    for (int w = 0; w < GROUP; w++)
#pragma unroll
        for (int p = 0; p < PLANES; p++) differ[w] |= j[w][p][r] ^ i[w][p];
    const uint32_t odd = differ[0] ^ differ[1] ^ differ[2];
    const uint32_t carry = (differ[0] & differ[1]) | (differ[0] & differ[2]) | (differ[1] & differ[2]);
    return __popc(odd) + 2 * __popc(carry);
}

template <int PLANES>
static __global__ void __launch_bounds__(BLOCK, BLOCKS_AT_ONCE)
    bit_planes(const uint4 *packed, // [words][PLANES][tiles * FOURS]
               int *distance,       // [instances][instances]
               int instances, size_t words, int tiles) {
    enum { GROUP = PLANES > ADDED_PLANES ? 1 : ADDER };
    __shared__ uint4 a[CHUNK * PLANES][FOURS], b[CHUNK * PLANES][FOURS];
    const int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
    const size_t tile_j = blockIdx.x / tiles, tile_i = blockIdx.x % tiles, row_fours = (size_t)tiles * FOURS;
    int sum[PAIRS][PAIRS] = {};
    for (size_t first = 0; first < words; first += CHUNK) {
        const int here = words - first < CHUNK ? (int)(words - first) : CHUNK;
        for (int four = threadIdx.x; four < here * PLANES * FOURS; four += BLOCK) {
            const uint4 *row = packed + (first * PLANES + four / FOURS) * row_fours + four % FOURS;
            a[four / FOURS][four % FOURS] = row[tile_j * FOURS];
            b[four / FOURS][four % FOURS] = row[tile_i * FOURS];
        }
        __syncthreads();
#pragma unroll 1
        for (int w = 0; w < here; w += GROUP) {
            uint32_t j[GROUP][PLANES][PAIRS];
#pragma unroll
            for (int k = 0; k < GROUP * PLANES; k++) load(j[k / PLANES][k % PLANES], a[w * PLANES + k], ty);
#pragma unroll
            for (int c = 0; c < PAIRS; c++) {
                uint32_t i[GROUP][PLANES];
#pragma unroll
                for (int k = 0; k < GROUP * PLANES; k++)
                    i[k / PLANES][k % PLANES] = ((const uint32_t *)b[w * PLANES + k])[tx + SIDE * c];
#pragma unroll
                for (int r = 0; r < PAIRS; r++) sum[r][c] += count<PLANES, GROUP>(j, r, i);
            }
        }
        __syncthreads(); // no thread reads this chunk any more
    }
#pragma unroll
    for (int r = 0; r < PAIRS; r++)
#pragma unroll
        for (int c = 0; c < PAIRS; c++) {
            const int j = (int)tile_j * TILE + row_of(ty, r), i = (int)tile_i * TILE + tx + SIDE * c;
            if (j < instances && i < instances) distance[(size_t)instances * j + i] = sum[r][c];
        }
}

static const char *supports(const wl_device *device, const void *input) {
    const lessons_input *in = (const lessons_input *)input;
    const size_t tiles = tiles_of(in->instances);
    const double planes = (double)words_of(in->attributes) * planes_of(in->alphabet) * tiles * TILE * sizeof(uint32_t);
    return lessons_fits(device, in, planes + ((double)in->attributes + 3) * in->instances);
}

/* Copies the characters to the device and packs them there. The caller frees *on_device. */
static wl_status pack_rows(const lessons_input *in, const char *rows, size_t pitch, lessons_state *s,
                           char **on_device) {
    const unsigned most_y = 65535;
    const size_t words = words_of(in->attributes);
    if (in->instances == 0 || words == 0) return WL_OK;
    WL_TRY(wl_cuda_copy(on_device, rows, pitch * in->instances));
    dim3 grid((in->instances - 1) / PACKERS + 1, words < most_y ? (unsigned)words : most_y);
    pack<<<grid, PACKERS>>>(*on_device, in->instances, in->attributes, pitch, planes_of(in->alphabet),
                            (uint32_t *)s->data, tiles_of(in->instances) * TILE, words);
    WL_LAUNCHED();
    WL_CUDA(cudaDeviceSynchronize());
    return WL_OK;
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const lessons_input *in = (const lessons_input *)input;
    const int planes = planes_of(in->alphabet);
    const size_t all_words = words_of(in->attributes) * planes * tiles_of(in->instances) * TILE;
    size_t pitch = 0;
    char *rows = lessons_char_rows(in, &pitch), *on_device = NULL; // [instances][pitch]
    if (rows == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the rows of %d instances", in->instances);
    lessons_state *s;
    wl_status status = lessons_begin_zeros(device, in, planes, sizeof(uint32_t) * all_words, &s);
    if (status == WL_OK) status = pack_rows(in, rows, pitch, s, &on_device);
    wl_cuda_free(on_device);
    free(rows);
    return wl_prepared(status, s, lessons_release, state);
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const int tiles = (int)tiles_of(s->instances);
    if (tiles == 0) return WL_OK;
    static void (*const by_planes[])(const uint4 *, int *, int, size_t, int) = {
        bit_planes<1>, bit_planes<2>, bit_planes<3>, bit_planes<4>, bit_planes<5>, bit_planes<6>, bit_planes<7>};
    void (*const kernel)(const uint4 *, int *, int, size_t, int) = by_planes[s->pitch - 1];
    kernel<<<(unsigned)tiles * tiles, BLOCK>>>((const uint4 *)s->data, s->distance, s->instances,
                                               words_of(s->attributes), tiles);
    WL_LAUNCHED();
    return WL_OK;
}

/* A pair of words takes one instruction per plane; with adders, three words take two more and two counts. The kind that
   takes longer is the limit: a count takes as long as four logic instructions. WL_RATE_INT32 is the rate of additions and
   logic in turn, on two pipes, of which logic has one. */
static void cost(const wl_device *, const void *input, wl_cost *cost) {
    enum { COUNT_TIMES = 4, PIPES = 2 };
    const lessons_input *in = (const lessons_input *)input;
    const double n = in->instances, words = (double)in->attributes / BITS, planes = planes_of(in->alphabet);
    const double adds = planes > ADDED_PLANES ? 0 : 2.0 / ADDER, counts = planes > ADDED_PLANES ? 1 : 2.0 / ADDER;
    const int counting = COUNT_TIMES * counts >= planes + adds;
    cost->bytes = planes * n * in->attributes / 8 + sizeof(int) * n * n;
    cost->rate = counting ? WL_RATE_POPC : WL_RATE_INT32;
    cost->operations = n * n * words * (counting ? counts : PIPES * (planes + adds));
}

LESSONS_STAGE(.idea = "32 attributes compared by one instruction per bit, differences added before they are counted",
              .supports = supports, .prepare = prepare, .launch = launch, .cost = cost)
