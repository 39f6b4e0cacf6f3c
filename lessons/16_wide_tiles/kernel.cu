/* 16_wide_tiles: a tile of 128 x 256, written while the next one is multiplied.

   Idea: lesson 15's products wait for the second-level cache: a line of a tile of 128 x 128 is 32 KB for 64 x 256 words of
   products. A tile twice as wide needs 48 KB for twice the products. But its sums fill the registers, so there is no second team.
   Changed: a thread packs its 128 distances in 64 registers, and writes them in 16 parts between the lines of the next tile.
   Four lanes write 64 bytes side by side. Rows have half a ring of columns each, so that no tile is computed for nothing.
   Expected: 0.28 ms for 10,000 x 10,000 nucleotides, where lesson 15 takes 0.33: the trial of results/wide_loops_h200.tsv.
   Measured at an earlier version: 0.29 ms on an H200, 0.69 of wgmma_b1, where lesson 15 takes 0.33.
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "allpairs/wide.h"
#include "lessons/kit/units.h"

enum {
    TILE = 128,                                  // instances along a tile's side j
    ACROSS = 2,                                  // as many tiles i side by side
    TEAM = 2 * WL_WARPGROUP,                     // threads: two warpgroups, each with 64 rows j of the tile
    BLOCK = TEAM + WL_WARPGROUP,                 // a third warpgroup copies, and gives the others registers
    REGISTERS = 232,                             // of a thread that multiplies
    REGISTERS_LEFT = 40,                         // of one that copies
    SIDE_UNITS = TILE / WL_UNIT_ROWS,            // units of a line of 128 rows
    STAGE = (1 + ACROSS) * SIDE_UNITS * WL_UNIT, // bytes of a line: its rows j, then its rows i
    STAGES = 4,
    SHARED = WL_UNIT_ALIGN + STAGES * (STAGE + 2 * (int)sizeof(wl_mbarrier)),
    SUMS = ACROSS * WL_WARPGROUP_SUMS, // of a thread
    PACKED = SUMS / 2,                 // words for its distances
    PART = 16,                         // columns that are written together
    TILE_PARTS = TILE / PART,
    PARTS = ACROSS * TILE_PARTS,
    ATTRIBUTES_MOST = UINT16_MAX,
};

/* One thread starts copying a line of a tile. `full` then expects STAGE bytes. */
static __device__ __forceinline__ void copy_line(char *stage, // [(1 + ACROSS) * SIDE_UNITS][WL_UNIT], shared
                                                 wl_mbarrier *full,
                                                 const char *units, // [padded / 64][lines][WL_UNIT]
                                                 size_t lines, const wl_wide_place<ACROSS> &place, size_t line) {
    wl_mbarrier_expect(full, STAGE);
#pragma unroll
    for (int k = 0; k < 1 + ACROSS; k++) { // rows j, and then the tiles i
        const size_t first = (size_t)(k == 0 ? place.j : place.i[k - 1]) * SIDE_UNITS;
#pragma unroll
        for (int u = 0; u < SIDE_UNITS; u++)
            wl_copy_bulk(stage + (k * SIDE_UNITS + u) * WL_UNIT, units + ((first + u) * lines + line) * WL_UNIT,
                         WL_UNIT, full);
    }
}

/* A warpgroup starts multiplying a line: its 64 rows j and all 256 rows i. */
static __device__ __forceinline__ void multiply_line(int (&sum)[SUMS], const char *stage, int warpgroup) {
    wl_warpgroup_begin();
#pragma unroll
    for (int step = 0; step < WL_WARPGROUP_STEPS; step++)
        wl_warpgroup_bits(sum, stage + warpgroup * WL_UNIT, stage + SIDE_UNITS * WL_UNIT, step);
    wl_warpgroup_commit();
}

/* The distances of a tile, packed. A thread's sums are of two rows; ones are loaded for four columns at once. */
static __device__ __forceinline__ void pack_distances(uint32_t (&packed)[PACKED], const int (&sum)[SUMS],
                                                      const int *ones, // [padded]
                                                      const wl_wide_place<ACROSS> &place) {
    const int *ones_j = ones + place.j * TILE + threadIdx.x / 32 * PART + wl_wide_one();
    const int row_ones[2] = {ones_j[0], ones_j[2]};
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        const int *ones_i = ones + place.i[part / TILE_PARTS] * TILE + part % TILE_PARTS * PART;
        const int4 four = *(const int4 *)(ones_i + threadIdx.x % 4 * 4);
        const int columns[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int k = 0; k < 4; k++) { // pairs of neighbours: two rows, then the next two columns
            const int *here = sum + 8 * part + 2 * k, *at = columns + k / 2 * 2;
            packed[4 * part + k] = wl_wide_pack(lessons_distance(row_ones[k % 2], at[0], here[0]),
                                                lessons_distance(row_ones[k % 2], at[1], here[1]));
        }
    }
}

/* Writes a part of the tile that `packed` has, and mirrored. */
template <int FOURS>
static __device__ __forceinline__ void write_part(int part, const wl_wide_place<ACROSS> &place,
                                                  const uint32_t (&packed)[PACKED],
                                                  int *distance, // [instances][instances]
                                                  size_t instances) {
    const unsigned tile = part / TILE_PARTS;
    unsigned first_j = place.j * TILE + threadIdx.x / 32 * PART; // of the warp's 16 rows
    __asm__ volatile("" : "+r"(first_j)); // addresses of later parts are not to be in registers already
    const unsigned first_i = place.i[tile] * TILE + part % TILE_PARTS * PART;
    const unsigned one = wl_wide_one(), four = threadIdx.x % 4 * 4; // of 16 rows or columns
    const uint32_t *two = packed + 4 * part; // neighbours i of rows one and one + 2, and the next ones
    if (place.written >> tile & 1)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const unsigned j = first_j + one + 2 * h, i = first_i + four;
            if (j < instances && i < instances)
                wl_wide_store<FOURS>(distance, instances, j, i, wl_wide_four(two[h], two[2 + h]));
        }
    if (place.mirrored >> tile & 1)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const unsigned i = first_i + one + 2 * h, j = first_j + four;
            const uint32_t first = wl_wide_transposed(two[2 * h]), second = wl_wide_transposed(two[2 * h + 1]);
            if (i < instances && j < instances)
                wl_wide_store<FOURS>(distance, instances, i, j, wl_wide_four(first, second));
        }
}

/* What the copying thread does: all lines of the block's tiles, each as soon as a stage is empty. */
static __device__ __forceinline__ void copy_tiles(char *stages, wl_mbarrier *full, wl_mbarrier *empty,
                                                  const char *units, int lines, unsigned tiles, unsigned count) {
    int stage = 0;
    unsigned parity = 1; // of the phase in which the stage was emptied; at first it is empty
    for (unsigned t = blockIdx.x; t < count; t += gridDim.x) {
        const wl_wide_place<ACROSS> place = wl_wide_symmetric<ACROSS>(t, tiles);
#pragma unroll 1 // for few registers
        for (int line = 0; line < lines; line++) {
            wl_mbarrier_wait(&empty[stage], parity);
            copy_line(stages + stage * STAGE, &full[stage], units, lines, place, line);
            if (++stage == STAGES) stage = 0, parity ^= 1;
        }
    }
}

/* FOURS: the number of instances is a multiple of 4. */
template <int FOURS>
static __global__ void __launch_bounds__(BLOCK, 1)
    wide_tiles(const char *units, // [padded / 64][lines][WL_UNIT]
               const int *ones,   // [padded]
               int *distance,     // [instances][instances]
               int instances, int lines, unsigned tiles, unsigned count) {
    extern __shared__ uint4 shared[];
    char *stages = wl_unit_align(shared); // [STAGES][STAGE]
    wl_mbarrier *full = (wl_mbarrier *)(stages + STAGES * STAGE), *empty = full + STAGES;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) wl_mbarrier_init(&full[s], 1), wl_mbarrier_init(&empty[s], SIDE_UNITS);
        wl_mbarrier_publish();
    }
    __syncthreads();
    if (threadIdx.x >= TEAM) {
        wl_warpgroup_give<REGISTERS_LEFT>();
        if (threadIdx.x == TEAM) copy_tiles(stages, full, empty, units, lines, tiles, count);
        return;
    }
    wl_warpgroup_take<REGISTERS>();
    const int warpgroup = threadIdx.x / WL_WARPGROUP;
    const int speaks = threadIdx.x % WL_WARPGROUP == 0; // arrives for its warpgroup
    int stage = 0;
    unsigned parity = 0;
    uint32_t packed[PACKED] = {0};
    wl_wide_place<ACROSS> before = {0, {0}, 0, 0};                         // the tile that `packed` has: none
    for (unsigned t = blockIdx.x; t < count + gridDim.x; t += gridDim.x) { // after the last tile, write it
        const int here = t < count ? lines : 0;
        int sum[SUMS] = {0}, line = 0, last = 0;
#pragma unroll
        for (int part = 0; part < PARTS; part++) { // the compiler has to know the registers of each part
#pragma unroll 1
            for (const int until = here * (part + 1) / PARTS; line < until; line++) {
                wl_mbarrier_wait(&full[stage], parity);
                multiply_line(sum, stages + stage * STAGE, warpgroup);
                wl_warpgroup_wait<1>(); // the line before has been multiplied
                if (line > 0 && speaks) wl_mbarrier_arrive(&empty[last]);
                last = stage;
                if (++stage == STAGES) stage = 0, parity ^= 1;
            }
            write_part<FOURS>(part, before, packed, distance, instances); // while the last of these lines is multiplied
        }
        wl_warpgroup_finish(sum);
        if (here > 0 && speaks) wl_mbarrier_arrive(&empty[last]);
        if (t >= count) return;
        before = wl_wide_symmetric<ACROSS>(t, tiles);
        pack_distances(packed, sum, ones, before);
    }
}

static const char *supports(const wl_device *device, const void *input) {
    const lessons_input *in = (const lessons_input *)input;
    if (in->attributes > ATTRIBUTES_MOST) return "more than 65,535 attributes: their distances do not fit into 16 bits";
    return lessons_units_support(device, input);
}

static auto kernel_for(int instances) { return instances % 4 == 0 ? wide_tiles<1> : wide_tiles<0>; }

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const auto kernel = kernel_for(((const lessons_input *)input)->instances);
    WL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    return lessons_prepare_units<1>(device, input, state);
}

static wl_status launch(void *state) {
    const lessons_state *s = (const lessons_state *)state;
    const unsigned tiles = (s->instances + TILE - 1) / TILE, count = tiles * wl_wide_symmetric_pairs<ACROSS>(tiles);
    if (tiles == 0) return WL_OK;
    const unsigned blocks = count < (unsigned)s->multiprocessors ? count : s->multiprocessors;
    WL_LAUNCH(kernel_for(s->instances), blocks, BLOCK, SHARED, (const char *)s->data, lessons_ones(s), s->distance,
              s->instances, (int)(s->pitch / WL_UNIT_LINE), tiles, count);
    return WL_OK;
}

LESSONS_UNITS_STAGE(.idea = "tiles of 128 x 256; a thread writes one while the tensor cores multiply the next",
                    .on_gpu = "bulk copies, six per line and block, are not among the counters of global loads",
                    .supports = supports, .prepare = prepare, .launch = launch)
