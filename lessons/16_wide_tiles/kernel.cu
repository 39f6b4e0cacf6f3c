/* 16_wide_tiles: a tile of 128 x 256, written while the next one is multiplied.

   Idea: lesson 15's products wait for the second-level cache: a line of a tile of 128 x 128 is 32 KB for 64 x 256 words of
   products. A tile twice as wide needs 48 KB for twice the products. But its sums fill the registers, so there is no second team.
   Changed: a thread packs its 128 distances in 64 registers, and writes them in 16 parts between the lines of the next tile
   (allpairs/product_wide.h). Four lanes write 64 bytes side by side. Rows have half a ring of columns each, so that no
   tile is computed for nothing.
   Expected: 0.28 ms for 10,000 x 10,000 nucleotides, where lesson 15 takes 0.33: a trial took that long.
   Measured: 0.29 ms on an H200, 0.69 of wgmma_b1, where lesson 15 takes 0.33.
   See: warpladder run lessons/1* --instances 10000 --attributes 10000 --alphabet 4 */
#include "allpairs/product_wide.h"
#include "lessons/kit/warpgroups.h"

enum { ACROSS = 2, ATTRIBUTES_MOST = UINT16_MAX };

/* The distances of a tile, packed. A thread's sums are of two rows; ones are loaded for four columns at once. */
static __device__ __forceinline__ void pack_distances(uint32_t (&packed)[ACROSS * WL_WIDE_PACKED],
                                                      const int (&sum)[ACROSS * WL_WARPGROUP_SUMS],
                                                      const int *ones, // [padded]
                                                      const wl_wide_place<ACROSS> &place) {
    const int *ones_j = ones + place.j * TILE + threadIdx.x / 32 * WL_WIDE_PART + wl_wide_one();
    const int row_ones[2] = {ones_j[0], ones_j[2]};
#pragma unroll
    for (int part = 0; part < ACROSS * WL_WIDE_PARTS; part++) {
        const int *ones_i = ones + place.i[part / WL_WIDE_PARTS] * TILE + part % WL_WIDE_PARTS * WL_WIDE_PART;
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

template <int FOURS>
static __global__ void __launch_bounds__(WL_WIDE_THREADS, 1)
    wide_tiles(const char *units, // [padded / 64][lines][UNIT]
               const int *ones,   // [padded]
               int *distance,     // [instances][instances]
               int instances, int lines, unsigned tiles, unsigned count) {
    extern __shared__ uint4 memory[];
    wl_wide_ring<ACROSS> ring = wl_wide_begin<ACROSS>(memory);
    if (threadIdx.x >= WL_UNIT_THREADS) {
        wl_warpgroup_give<WL_WIDE_REGISTERS_LEFT>();
        for (unsigned t = blockIdx.x; t < count && threadIdx.x == WL_UNIT_THREADS; t += gridDim.x)
            wl_wide_copy(&ring, units, units, lines, wl_wide_symmetric<ACROSS>(t, tiles));
        return;
    }
    wl_warpgroup_take<WL_WIDE_REGISTERS>();
    const auto store = [=](unsigned j, unsigned i, int4 four) {
        wl_wide_store<FOURS>(distance, instances, j, i, four);
    };
    uint32_t packed[ACROSS * WL_WIDE_PACKED] = {0};
    wl_wide_place<ACROSS> before = {0, {0}, 0, 0};                         // the tile that `packed` has: none
    for (unsigned t = blockIdx.x; t < count + gridDim.x; t += gridDim.x) { // after the last tile, write it
        int sum[ACROSS * WL_WARPGROUP_SUMS] = {0};
        wl_wide_multiply(&ring, sum, t < count ? lines : 0, [&](int part) {
            wl_wide_write(
                part, before, instances, instances, [&](int k) { return packed[k]; }, store);
        });
        before = wl_wide_symmetric<ACROSS>(t, tiles);
        if (t < count) pack_distances(packed, sum, ones, before);
    }
}

static const char *supports(const wl_device *device, const void *input) {
    const lessons_input *in = (const lessons_input *)input;
    if (in->attributes > ATTRIBUTES_MOST) return "more than 65,535 attributes: their distances do not fit into 16 bits";
    return lessons_warpgroups_support(device, input);
}

static auto kernel_for(int instances) { return instances % 4 == 0 ? wide_tiles<1> : wide_tiles<0>; }

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const auto kernel = kernel_for(((const lessons_input *)input)->instances);
    WL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, WL_WIDE_SHARED));
    return lessons_prepare_units<1>(device, input, state);
}

static wl_status launch(void *state) {
    const lessons_state *s = (const lessons_state *)state;
    const unsigned tiles = (s->instances + TILE - 1) / TILE, count = tiles * wl_wide_symmetric_pairs<ACROSS>(tiles);
    if (tiles == 0) return WL_OK;
    const unsigned blocks = count < (unsigned)s->multiprocessors ? count : s->multiprocessors;
    WL_LAUNCH(kernel_for(s->instances), blocks, WL_WIDE_THREADS, WL_WIDE_SHARED, (const char *)s->data, lessons_ones(s),
              s->distance, s->instances, (int)(s->pitch / LINE), tiles, count);
    return WL_OK;
}

LESSONS_WARPGROUPS_STAGE(.idea = "tiles of 128 x 256; a thread writes one while the tensor cores multiply the next",
                         .on_gpu = "bulk copies, six per line and block, are not among the counters of global loads",
                         .supports = supports, .prepare = prepare, .launch = launch)
