/* 01_bit_planes: 32 sites at a time, by logic and a population count.

   Idea: two instances' planes, XORed, have a one where the values differ in that bit. OR the planes' results and the sites that
   differ are counted by one instruction (lesson 09); in unary planes each XOR is counted, and the sum is |a - b|.
   A block has a tile of 32 x 32 pairs, whose planes pass through shared memory eight words at a time; a thread has four pairs. The plane
   of present values is ANDed to what is counted, and counted itself.
   It takes any number of planes on any GPU. Limited by population counts: two for 32 sites, or more in unary.
   See: warpladder run distances */
#include "distances/device.h"

enum { TILE = 32, SIDE = 16, THREADS = SIDE * SIDE, WORDS = 8, PLANES = DISTANCES_PLANES_MOST + 1 };

/* One chunk of a tile's side: [planes][WORDS] of each of its rows. */
static __device__ void load(const uint32_t *planes, // [count][rows_planes][words]
                            size_t count, int plane_count, size_t words, size_t first, size_t word,
                            uint32_t (*chunk)[PLANES][WORDS + 1]) {
    for (int k = threadIdx.x; k < TILE * plane_count * WORDS; k += THREADS) {
        const int w = k % WORDS, p = k / WORDS % plane_count, row = k / WORDS / plane_count;
        const size_t from = ((first + row) * plane_count + p) * words + word + w;
        chunk[row][p][w] = first + row < count && word + w < words ? planes[from] : 0;
    }
}

static __global__ void __launch_bounds__(THREADS)
    bit_planes(const uint32_t *row_planes,    // [rows][planes + 1][words]
               const uint32_t *column_planes, // [columns][planes + 1][words]
               size_t rows, size_t columns, int planes, size_t words, int steps, int symmetric, unsigned tiles_across,
               uint32_t *distance,                                              // [rows][columns]
               uint32_t *compared) {                                            // [rows][columns]
    __shared__ uint32_t a[TILE][PLANES][WORDS + 1], b[TILE][PLANES][WORDS + 1]; // + 1: rows lie in different banks
    const size_t tile_j = blockIdx.x / tiles_across, tile_i = blockIdx.x % tiles_across;
    if (symmetric && tile_i < tile_j) return;
    const int y = threadIdx.x / SIDE, x = threadIdx.x % SIDE; // pairs y, y + 16 with x, x + 16
    uint32_t differ[2][2] = {{0, 0}, {0, 0}}, both[2][2] = {{0, 0}, {0, 0}};
    for (size_t word = 0; word < words; word += WORDS) {
        load(row_planes, rows, planes + 1, words, tile_j * TILE, word, a);
        load(column_planes, columns, planes + 1, words, tile_i * TILE, word, b);
        __syncthreads();
        for (int w = 0; w < WORDS; w++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const int j = y + k / 2 * SIDE, i = x + k % 2 * SIDE;
                const uint32_t present = a[j][planes][w] & b[i][planes][w];
                uint32_t any = 0;
                for (int p = 0; p < planes; p++) {
                    const uint32_t other = a[j][p][w] ^ b[i][p][w];
                    any |= other;
                    if (steps) differ[k / 2][k % 2] += __popc(other & present);
                }
                if (!steps) differ[k / 2][k % 2] += __popc(any & present);
                both[k / 2][k % 2] += __popc(present);
            }
        }
        __syncthreads();
    }
    for (int k = 0; k < 4; k++) {
        const size_t j = tile_j * TILE + y + k / 2 * SIDE, i = tile_i * TILE + x + k % 2 * SIDE;
        if (j >= rows || i >= columns) continue;
        distance[j * columns + i] = differ[k / 2][k % 2];
        compared[j * columns + i] = both[k / 2][k % 2];
        if (!symmetric || tile_i == tile_j) continue;
        distance[i * columns + j] = differ[k / 2][k % 2];
        compared[i * columns + j] = both[k / 2][k % 2];
    }
}

static size_t tiles(size_t count) { return (count + TILE - 1) / TILE; }

static const char *supports(const wl_device *device, const void *input) {
    const distances_input *in = (const distances_input *)input;
    if ((double)tiles(in->rows.count) * (double)tiles(in->columns.count) > INT32_MAX)
        return "more than 2 billion tiles; give fewer instances at a time";
    return distances_fits(device, in, 0);
}

static wl_status prepare(const wl_device *, const void *input, void **state) {
    return distances_upload((const distances_input *)input, state);
}

static wl_status launch(void *state) {
    distances_state *s = (distances_state *)state;
    const size_t pairs = s->rows * s->columns;
    if (pairs == 0) return WL_OK;
    const unsigned across = (unsigned)tiles(s->columns);
    bit_planes<<<(unsigned)tiles(s->rows) * across, THREADS>>>(
        s->row_planes, s->column_planes, s->rows, s->columns, s->input->planes, s->words,
        s->input->sum == DISTANCES_STEPS, s->input->symmetric, across, s->result, s->result + pairs);
    WL_LAUNCHED();
    return WL_OK;
}

/* Population counts: of what differs, a plane each in unary, and of what is present. */
static void cost(const wl_device *, const void *input, wl_cost *cost) {
    const distances_input *in = (const distances_input *)input;
    const double words = (double)(in->sites + 31) / 32, counts = in->sum == DISTANCES_STEPS ? in->planes + 1 : 2;
    const double pairs = (double)in->rows.count * (double)in->columns.count * (in->symmetric ? 0.5 : 1);
    distances_cost(in, pairs * words * counts, WL_RATE_POPC, cost);
}

static const wl_variant stage = {
    .problem = "distances",
    .name = "01_bit_planes",
    .idea = "32 sites at a time: XOR, OR, population count",
    .source = "Warpladder",
    .backend = WL_DEVICE_BACKEND,
    .supports = supports,
    .prepare = prepare,
    .launch = launch,
    .collect = distances_collect,
    .release = distances_release,
    .cost = cost,
};
WL_REGISTER(stage)
