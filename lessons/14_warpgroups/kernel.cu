/* 14_warpgroups: the tensor cores read shared memory themselves.

   Idea: lesson 13's warps spend their instructions on bringing data: addresses, copies of 16 bytes, and loads of fragments
   into registers. Hopper's tensor cores take both matrices from shared memory, 64 x 256 by 256 x 128 bits in one
   instruction of four warps, and its copy engine takes 8 KB in one instruction of one thread.
   Changed: features lie in global memory in pieces, as they will lie in shared memory. Two warpgroups of 64 rows each
   multiply a tile (allpairs/product_units.h). A line of it is four bulk copies, and a barrier in shared memory says when
   it has arrived (harness/device/copy_bulk.h).
   Expected: 0.40 ms for 10,000 x 10,000 nucleotides, where lesson 13 takes 0.50.
   Measured: 0.39 ms on an H200.
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "lessons/kit/warpgroups.h"

enum {
    STAGES = 3,
    SHARED = SHARED_BEGIN + STAGES * (STAGE + (int)sizeof(wl_mbarrier)),
};

/* Tiles before row j of the upper triangle, as in lesson 12. */
static __device__ __forceinline__ unsigned before(unsigned j, unsigned tiles) { return j * tiles - j * (j - 1) / 2; }

static __global__ void __launch_bounds__(TEAM, 2) warpgroups(const char *units, // [padded / 64][lines][UNIT]
                                                             const int *ones,   // [padded]
                                                             int *distance,     // [instances][instances]
                                                             int instances, int lines, unsigned tiles) {
    extern __shared__ uint4 shared[];
    char *stages = wl_unit_stages(shared);
    wl_mbarrier *full = (wl_mbarrier *)(stages + STAGES * STAGE); // [STAGES]
    const double b = tiles + 0.5;
    unsigned j = (unsigned)(b - sqrt(b * b - 2.0 * blockIdx.x));
    while (before(j + 1, tiles) <= blockIdx.x) j++;
    while (before(j, tiles) > blockIdx.x) j--;
    const unsigned i = j + (blockIdx.x - before(j, tiles));
    const int warpgroup = threadIdx.x / WL_WARPGROUP;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) wl_mbarrier_init(&full[s], 1);
        wl_mbarrier_publish();
        for (int line = 0; line < STAGES - 1 && line < lines; line++)
            wl_unit_copy(stages + line * STAGE, &full[line], units, units, lines, j, i, line);
    }
    __syncthreads();

    int sum[WL_WARPGROUP_SUMS] = {0};
    for (int line = 0; line < lines; line++) {
        const int stage = line % STAGES, next = line + STAGES - 1;
        wl_mbarrier_wait(&full[stage], line / STAGES % 2);
        wl_unit_multiply(sum, stages + stage * STAGE, warpgroup);
        wl_warpgroup_wait<1>(); // the line before has been multiplied
        __syncthreads();        // by both warpgroups: its stage is free
        if (threadIdx.x == 0 && next < lines)
            wl_unit_copy(stages + next % STAGES * STAGE, &full[next % STAGES], units, units, lines, j, i, next);
    }
    wl_warpgroup_finish(sum);
    lessons_write_sums(sum, ones, distance, instances, j, i, warpgroup, i > j);
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
    warpgroups<<<tiles *(tiles + 1) / 2, TEAM, SHARED>>>(units, lessons_ones(s), s->distance, s->instances,
                                                         (int)(s->pitch / LINE), tiles);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_WARPGROUPS_STAGE(.idea = "four warps multiply from shared memory; bulk copies fill it",
                         .on_gpu = "bulk copies, four per line and block, are not among the counters of global loads",
                         .prepare = prepare, .launch = launch)
