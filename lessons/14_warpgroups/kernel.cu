/* 14_warpgroups: the tensor cores read shared memory themselves.

   Idea: lesson 13's warps spend their instructions on bringing data: addresses, copies of 16 bytes, and loads of fragments
   into registers. Hopper's tensor cores take both matrices from shared memory, 64 x 256 by 256 x 128 bits in one
   instruction of four warps, and its copy engine takes 8 KB in one instruction of one thread.
   Changed: features lie in global memory in pieces, as they will lie in shared memory. Two warpgroups of 64 rows each
   multiply a tile. A line of it, 128 bytes of each row, is four bulk copies, and a barrier in shared memory says when it has
   arrived (harness/device/copy_bulk.h).
   Expected: 0.40 ms for 10,000 x 10,000 nucleotides, where lesson 13 takes 0.50.
   Measured at an earlier version: 0.39 ms on an H200.
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "lessons/kit/units.h"

enum {
    TILE = 128,                       // instances along a side of a block's tile
    BLOCK = 2 * WL_WARPGROUP,         // threads: two warpgroups, each with 64 rows j of the tile
    SIDE_UNITS = TILE / WL_UNIT_ROWS, // units of a line of a tile's rows j, and of its rows i
    STAGE = 2 * SIDE_UNITS * WL_UNIT, // bytes of a line: its rows j, then its rows i
    STAGES = 3,
    SHARED = WL_UNIT_ALIGN + STAGES * (STAGE + (int)sizeof(wl_mbarrier)),
};

/* One thread starts copying a line of tile (tile_j, tile_i). `full` then expects STAGE bytes. */
static __device__ __forceinline__ void copy_line(char *stage, // [2 * SIDE_UNITS][WL_UNIT], shared
                                                 wl_mbarrier *full,
                                                 const char *units, // [padded / 64][lines][WL_UNIT]
                                                 size_t lines, unsigned tile_j, unsigned tile_i, size_t line) {
    wl_mbarrier_expect(full, STAGE);
    char *stage_i = stage + SIDE_UNITS * WL_UNIT;
#pragma unroll
    for (int u = 0; u < SIDE_UNITS; u++)
        wl_copy_bulk(stage + u * WL_UNIT, units + (((size_t)tile_j * SIDE_UNITS + u) * lines + line) * WL_UNIT, WL_UNIT,
                     full);
#pragma unroll
    for (int u = 0; u < SIDE_UNITS; u++)
        wl_copy_bulk(stage_i + u * WL_UNIT, units + (((size_t)tile_i * SIDE_UNITS + u) * lines + line) * WL_UNIT,
                     WL_UNIT, full);
}

/* A warpgroup starts multiplying a line: its 64 rows j and all 128 rows i. */
static __device__ __forceinline__ void multiply_line(int (&sum)[WL_WARPGROUP_SUMS], const char *stage, int warpgroup) {
    wl_warpgroup_begin();
#pragma unroll
    for (int step = 0; step < WL_WARPGROUP_STEPS; step++)
        wl_warpgroup_bits(sum, stage + warpgroup * WL_UNIT, stage + SIDE_UNITS * WL_UNIT, step);
    wl_warpgroup_commit();
}

/* Writes a thread's distances of a tile, and mirrored: two rows j, and two neighbours i in every eight. Four lanes write 32 bytes
   of a row side by side; eight lanes write 32 bytes of a column. */
static __device__ __forceinline__ void write(const int *sum,  // [WL_WARPGROUP_SUMS]
                                             const int *ones, // [padded]
                                             int *distance,   // [instances][instances]
                                             unsigned instances, unsigned tile_j, unsigned tile_i, int warpgroup,
                                             int mirrored) {
    // With j of 64 bits, ptxas lets products wait for each other (C7515): 0.42 ms instead of 0.39 on an H200 (10,000 x 10,000).
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    const unsigned first_j = tile_j * TILE + WL_UNIT_ROWS * warpgroup + 16 * warp + lane / 4;
    const unsigned first_i = tile_i * TILE + 2 * (threadIdx.x % 4);
    const int row_ones[2] = {ones[first_j], ones[first_j + 8]};
    const size_t pitch = instances;
    const int even = instances % 2 == 0; // then both neighbours are there, at a multiple of 8 bytes
#pragma unroll
    for (int c = 0; c < TILE / 8; c++) {
        const unsigned i = first_i + 8 * c;
        const int2 column_ones = *(const int2 *)(ones + i);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const unsigned j = first_j + 8 * h;
            const int2 d = make_int2(lessons_distance(row_ones[h], column_ones.x, sum[4 * c + 2 * h]),
                                     lessons_distance(row_ones[h], column_ones.y, sum[4 * c + 2 * h + 1]));
            if (j >= instances || i >= instances) continue;
            if (even) {
                *(int2 *)(distance + pitch * j + i) = d;
            } else {
                distance[pitch * j + i] = d.x;
                if (i + 1 < instances) distance[pitch * j + i + 1] = d.y;
            }
            if (!mirrored) continue;
            distance[pitch * i + j] = d.x;
            if (i + 1 < instances) distance[pitch * (i + 1) + j] = d.y;
        }
    }
}

/* Tiles before row j of the upper triangle, as in lesson 12. */
static __device__ __forceinline__ unsigned before(unsigned j, unsigned tiles) { return j * tiles - j * (j - 1) / 2; }

static __global__ void __launch_bounds__(BLOCK, 2) warpgroups(const char *units, // [padded / 64][lines][WL_UNIT]
                                                              const int *ones,   // [padded]
                                                              int *distance,     // [instances][instances]
                                                              int instances, int lines, unsigned tiles) {
    extern __shared__ uint4 shared[];
    char *stages = wl_unit_align(shared);                         // [STAGES][STAGE]
    wl_mbarrier *full = (wl_mbarrier *)(stages + STAGES * STAGE); // [STAGES]
    const double half = tiles + 0.5;
    unsigned tile_j = (unsigned)(half - sqrt(half * half - 2.0 * blockIdx.x));
    while (before(tile_j + 1, tiles) <= blockIdx.x) tile_j++;
    while (before(tile_j, tiles) > blockIdx.x) tile_j--;
    const unsigned tile_i = tile_j + (blockIdx.x - before(tile_j, tiles));
    const int warpgroup = threadIdx.x / WL_WARPGROUP;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) wl_mbarrier_init(&full[s], 1);
        wl_mbarrier_publish();
        for (int line = 0; line < STAGES - 1 && line < lines; line++)
            copy_line(stages + line * STAGE, &full[line], units, lines, tile_j, tile_i, line);
    }
    __syncthreads();

    int sum[WL_WARPGROUP_SUMS] = {0}; // features that instances j and i have in common
    for (int line = 0; line < lines; line++) {
        const int stage = line % STAGES, next = line + STAGES - 1;
        wl_mbarrier_wait(&full[stage], line / STAGES % 2);
        multiply_line(sum, stages + stage * STAGE, warpgroup);
        wl_warpgroup_wait<1>(); // the line before has been multiplied
        __syncthreads();        // by both warpgroups: its stage is free
        if (threadIdx.x == 0 && next < lines)
            copy_line(stages + next % STAGES * STAGE, &full[next % STAGES], units, lines, tile_j, tile_i, next);
    }
    wl_warpgroup_finish(sum);
    write(sum, ones, distance, instances, tile_j, tile_i, warpgroup, tile_i > tile_j);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    WL_CUDA(cudaFuncSetAttribute(warpgroups, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    return lessons_prepare_units(device, input, state);
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const unsigned tiles = (s->instances + TILE - 1) / TILE;
    if (tiles == 0) return WL_OK;
    const char *units = (const char *)s->data;
    warpgroups<<<tiles *(tiles + 1) / 2, BLOCK, SHARED>>>(units, lessons_ones(s), s->distance, s->instances,
                                                          (int)(s->pitch / WL_UNIT_LINE), tiles);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_UNITS_STAGE(.idea = "four warps multiply from shared memory; bulk copies fill it",
                    .on_gpu = "bulk copies, four per line and block, are not among the counters of global loads",
                    .prepare = prepare, .launch = launch)
