/* 15_two_teams: one team writes while the other multiplies.

   Idea: in lesson 14 tensor cores and memory wait for each other: while a block writes its distances, it neither
   multiplies nor copies.
   Changed: one block per multiprocessor, for as long as there are tiles. Two teams of two warpgroups take tiles in turn;
   while one writes, the other multiplies. A warp of its own copies, six lines ahead and on into the next tile. Barriers in
   shared memory, in place of __syncthreads, say which stages are full, which are empty, and whose turn it is. Tiles are
   taken eight rows at a time, so that the tiles under way share rows and columns.
   Expected: 0.30 ms for 10,000 x 10,000 nucleotides, where lesson 14 takes 0.40.
   Measured: 0.33 ms on an H200, 0.6 of what wgmma does in a loop; the work pulls the clock down to 0.88 of the nominal one.
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "lessons/kit/warpgroups.h"

enum {
    TEAMS = 2,
    STAGES = 6,
    BARRIERS = 2 * STAGES + TEAMS,
    SHARED = SHARED_BEGIN + STAGES * STAGE + BARRIERS * (int)sizeof(wl_mbarrier),
    BLOCK_THREADS = TEAMS * TEAM + 32
};

/* What the copying warp does: all lines of the block's tiles, each as soon as a stage is empty. */
static __device__ __forceinline__ void copy_tiles(char *stages, wl_mbarrier *full, wl_mbarrier *empty,
                                                  const char *units, int lines, unsigned tiles, unsigned count) {
    int stage = 0;
    unsigned parity = 1; // of the phase in which the stage was emptied; at first it is empty
    for (unsigned t = blockIdx.x; t < count; t += gridDim.x) {
        const uint2 tile = wl_unit_upper(t, tiles);
        for (int line = 0; line < lines; line++) {
            wl_mbarrier_wait(&empty[stage], parity);
            wl_unit_copy(stages + stage * STAGE, &full[stage], units, units, lines, tile.x, tile.y, line);
            if (++stage == STAGES) stage = 0, parity ^= 1;
        }
    }
}

static __global__ void __launch_bounds__(BLOCK_THREADS, 1)
    two_teams(const char *units, // [padded / 64][lines][UNIT]
              const int *ones,   // [padded]
              int *distance,     // [instances][instances]
              int instances, int lines, unsigned tiles, unsigned count) {
    extern __shared__ uint4 shared[];
    char *stages = wl_unit_stages(shared);
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
            wl_unit_multiply(sum, stages + stage * STAGE, warpgroup);
            wl_warpgroup_wait<1>(); // the line before has been multiplied
            if (line > 0 && speaks) wl_mbarrier_arrive(&empty[last]);
            last = stage;
            if (++stage == STAGES) stage = 0, parity ^= 1;
        }
        if (speaks) wl_mbarrier_arrive(&turn[(team + 1) % TEAMS]);
        wl_warpgroup_finish(sum);
        if (speaks) wl_mbarrier_arrive(&empty[last]);
        line_number += TEAMS * lines;
        const uint2 tile = wl_unit_upper(t, tiles);
        lessons_write_sums(sum, ones, distance, instances, tile.x, tile.y, warpgroup, tile.y > tile.x);
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
    two_teams<<<blocks, BLOCK_THREADS, SHARED>>>(units, lessons_ones(s), s->distance, s->instances,
                                                 (int)(s->pitch / LINE), tiles, count);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_WARPGROUPS_STAGE(.idea = "one team multiplies while the other writes; a warp copies ahead",
                         .on_gpu = "bulk copies, four per line and block, are not among the counters of global loads",
                         .prepare = prepare, .launch = launch)
