/* 15_two_teams: one team writes while the other multiplies.

   Idea: in lesson 14 tensor cores and memory wait for each other: while a block writes its distances, it neither
   multiplies nor copies.
   Changed: one block per multiprocessor, for as long as there are tiles. Two teams of two warpgroups take tiles in turn;
   while one writes, the other multiplies. A warp of its own copies, six lines ahead and on into the next tile. Barriers in
   shared memory, in place of __syncthreads, say which stages are full, which are empty, and whose turn it is. Tiles are
   taken eight rows at a time, so that the tiles under way share rows and columns.
   Expected: 0.30 ms for 10,000 x 10,000 nucleotides, where lesson 14 takes 0.40.
   Measured at an earlier version: 0.33 ms on an H200, 0.59 of what wgmma does in a loop; the work pulls the clock down to 0.84 of the nominal one.
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "lessons/kit/units.h"

enum {
    TILE = 128,              // instances along a side of a tile
    TEAM = 2 * WL_WARPGROUP, // threads: two warpgroups, each with 64 rows j of the tile
    TEAMS = 2,
    BLOCK = TEAMS * TEAM + 32,        // threads: two teams, and a warp that copies
    SIDE_UNITS = TILE / WL_UNIT_ROWS, // units of a line of a tile's rows j, and of its rows i
    STAGE = 2 * SIDE_UNITS * WL_UNIT, // bytes of a line: its rows j, then its rows i
    STAGES = 6,
    BARRIERS = 2 * STAGES + TEAMS,
    SHARED = WL_UNIT_ALIGN + STAGES * STAGE + BARRIERS * (int)sizeof(wl_mbarrier),
    BAND = 8, // rows of tiles that are taken together
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
    // i of 64 bits would cost spills
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

/* Tile t of the upper triangle, as (tile_j, tile_i): bands of rows, and in a band column after column. Tiles that are under
   way together so have rows and columns in common. Column i of a band has rows up to i. */
static __device__ __forceinline__ uint2 tile_of(unsigned t, unsigned tiles) {
    unsigned first = 0;
    for (;; first += BAND) { // a few dozen additions per tile
        const unsigned columns = tiles - first, rows = columns < BAND ? columns : (unsigned)BAND;
        const unsigned here = rows * columns - rows * (rows - 1) / 2, corner = rows * (rows - 1) / 2;
        if (t >= here) {
            t -= here;
            continue;
        }
        if (t >= corner) return make_uint2(first + (t - corner) % rows, first + rows - 1 + (t - corner) / rows);
        unsigned column = 0;
        while (t > column) t -= ++column;
        return make_uint2(first + t, first + column);
    }
}

/* What the copying warp does: all lines of the block's tiles, each as soon as a stage is empty. */
static __device__ __forceinline__ void copy_tiles(char *stages, wl_mbarrier *full, wl_mbarrier *empty,
                                                  const char *units, int lines, unsigned tiles, unsigned count) {
    int stage = 0;
    unsigned parity = 1; // of the phase in which the stage was emptied; at first it is empty
    for (unsigned t = blockIdx.x; t < count; t += gridDim.x) {
        const uint2 tile = tile_of(t, tiles);
        for (int line = 0; line < lines; line++) {
            wl_mbarrier_wait(&empty[stage], parity);
            copy_line(stages + stage * STAGE, &full[stage], units, lines, tile.x, tile.y, line);
            if (++stage == STAGES) stage = 0, parity ^= 1;
        }
    }
}

static __global__ void __launch_bounds__(BLOCK, 1) two_teams(const char *units, // [padded / 64][lines][WL_UNIT]
                                                             const int *ones,   // [padded]
                                                             int *distance,     // [instances][instances]
                                                             int instances, int lines, unsigned tiles, unsigned count) {
    extern __shared__ uint4 shared[];
    char *stages = wl_unit_align(shared); // [STAGES][STAGE]
    wl_mbarrier *full = (wl_mbarrier *)(stages + STAGES * STAGE), *empty = full + STAGES, *turn = empty + STAGES;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) wl_mbarrier_init(&full[s], 1), wl_mbarrier_init(&empty[s], SIDE_UNITS);
        for (int team = 0; team < TEAMS; team++) wl_mbarrier_init(&turn[team], SIDE_UNITS);
        wl_mbarrier_publish();
    }
    __syncthreads();
    const int team = threadIdx.x / TEAM, warpgroup = threadIdx.x / WL_WARPGROUP % SIDE_UNITS;
    const int speaks = threadIdx.x % WL_WARPGROUP == 0; // arrives for its warpgroup
    if (team == TEAMS) {
        if (threadIdx.x % 32 == 0) copy_tiles(stages, full, empty, units, lines, tiles, count);
        return;
    }

    /* The block's tiles are 0, 1, 2 ..; after its last line, this team continues TEAMS - 1 tiles further on. */
    unsigned line_number = team * lines, round = 0;
    for (unsigned t = blockIdx.x + team * gridDim.x; t < count; t += TEAMS * gridDim.x, round++) {
        int stage = line_number % STAGES, last = 0;
        unsigned parity = line_number / STAGES % 2;
        int sum[WL_WARPGROUP_SUMS] = {0};
        if (team + round > 0) wl_mbarrier_wait(&turn[team], team == 0 ? (round - 1) % 2 : round % 2);
        for (int line = 0; line < lines; line++) {
            wl_mbarrier_wait(&full[stage], parity);
            multiply_line(sum, stages + stage * STAGE, warpgroup);
            wl_warpgroup_wait<1>(); // the line before has been multiplied
            if (line > 0 && speaks) wl_mbarrier_arrive(&empty[last]);
            last = stage;
            if (++stage == STAGES) stage = 0, parity ^= 1;
        }
        if (speaks) wl_mbarrier_arrive(&turn[(team + 1) % TEAMS]);
        wl_warpgroup_finish(sum);
        if (speaks) wl_mbarrier_arrive(&empty[last]);
        line_number += TEAMS * lines;
        const uint2 tile = tile_of(t, tiles);
        write(sum, ones, distance, instances, tile.x, tile.y, warpgroup, tile.y > tile.x);
    }
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    WL_CUDA(cudaFuncSetAttribute(two_teams, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    return lessons_prepare_units(device, input, state);
}

static wl_status launch(void *state) {
    const lessons_state *s = (const lessons_state *)state;
    const unsigned tiles = (s->instances + TILE - 1) / TILE, count = tiles * (tiles + 1) / 2;
    if (tiles == 0) return WL_OK;
    const unsigned blocks = count < (unsigned)s->multiprocessors ? count : s->multiprocessors;
    const char *units = (const char *)s->data;
    two_teams<<<blocks, BLOCK, SHARED>>>(units, lessons_ones(s), s->distance, s->instances,
                                         (int)(s->pitch / WL_UNIT_LINE), tiles, count);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_UNITS_STAGE(.idea = "one team multiplies while the other writes; a warp copies ahead",
                    .on_gpu = "bulk copies, four per line and block, are not among the counters of global loads",
                    .prepare = prepare, .launch = launch)
