/* 03_one_pass: both counts in one pass of the tile that lesson 16 multiplies with.

   Idea: two values that are both present are equal or different, so the distance is the sites compared minus the equal ones.
   Both are products of the same features: "is present", and "is v" for each value v. In unary planes, "above p" and "present
   and not above p" count the planes in which two values agree.
   Changed: the accumulators begin with minus the sites compared, which have just been written, and the equal sites are added.
   So one kernel makes both results, and rows and columns have the same features. A thread writes each result between the
   lines of the next one (allpairs/product_wide.h).
   Expected: 0.57 ms for 10,000 x 10,000 nucleotides with missing values, where stage 02 takes 1.06 ms.
   Measured: 0.51 ms on an H200.
   See: warpladder run distances/0* --rows 10000 --sites 10000 */
#include "distances/kit/device.h"
#include "allpairs/product_wide.h"

enum {
    TILE = WL_UNIT_TILE,
    PLANES_MOST = 4,
    UNFOLD_ROWS = 8, // per block, one per warp
    PIECE_WORDS = 4
};

static __host__ __device__ inline int features_of(int planes, int steps) { return steps ? 2 * planes : 1 << planes; }

/* --- Features ---------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ uint4 both(uint4 a, uint4 b) {
    return make_uint4(a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w);
}
static __device__ __forceinline__ uint4 but(uint4 a, uint4 b) {
    return make_uint4(a.x & ~b.x, a.y & ~b.y, a.z & ~b.z, a.w & ~b.w);
}

/* A warp unfolds one instance, and writes zeros after the last one. A row has whole lines of present values (none if
   present_lines is 0), and then one feature after the other. */
static __global__ void unfold(const uint4 *from, // [count][planes + 1][pieces]
                              size_t count, int planes, size_t pieces, int steps, int present_lines, int lines,
                              uint4 *units) { // [padded / 64][lines][64][8]
    const size_t row = (size_t)blockIdx.x * UNFOLD_ROWS + threadIdx.x / 32;
    const size_t place = wl_wide_row(row);
    const uint4 *plane = from + row * (planes + 1) * pieces;
    const uint4 none = make_uint4(0, 0, 0, 0);
    const size_t before = (size_t)present_lines * WL_UNIT_PIECES;
    for (size_t piece = pieces + threadIdx.x % 32; piece < before; piece += 32)
        units[wl_unit_piece(place, piece, lines)] = none;
    for (size_t piece = threadIdx.x % 32; piece < pieces; piece += 32) {
        const uint4 here = row < count ? plane[planes * pieces + piece] : none;
        if (present_lines > 0) units[wl_unit_piece(place, piece, lines)] = here;
        for (int f = 0; f < features_of(planes, steps); f++) {
            uint4 is = here;
            for (int p = steps ? f / 2 : 0; p < (steps ? f / 2 + 1 : planes) && row < count; p++) {
                const uint4 set = plane[p * pieces + piece];
                is = (steps ? f & 1 : f >> p & 1) ? both(is, set) : but(is, set);
            }
            units[wl_unit_piece(place, before + f * pieces + piece, lines)] = is;
        }
    }
}

/* --- The product ------------------------------------------------------------------------------------------------- */

/* The kernel's arguments. A tile has lines of present values and then lines of features. */
typedef struct {
    const char *row_units, *column_units; // [padded / 64][lines][WL_UNIT]
    int lines, present_lines;
    unsigned agree; // features of a site that two equal values share: 1, or the planes of steps
    unsigned sites; // in all
    int symmetric;
    size_t rows, columns;
    unsigned down, across, tiles;
    int *distance, *compared; // [rows][columns]; compared is NULL if not needed
} work;

template <int ACROSS> static __device__ __forceinline__ wl_wide_place<ACROSS> place_of(const work &w, unsigned tile) {
    return w.symmetric ? wl_wide_symmetric<ACROSS>(tile, w.down) : wl_wide_any<ACROSS>(tile, w.down, w.across);
}

/* How results are written. Packed in 16 bits, they wait in registers for the next lines. FOURS: `columns` is a multiple of 4. */
enum { PACKED_FOURS, PACKED, WHOLE };

/* Writes a part of a result; `two` as in wl_wide_write. */
template <int ACROSS, int FORM, typename Two>
static __device__ __forceinline__ void write(const work &w, int part, int *to, const wl_wide_place<ACROSS> &place,
                                             const Two &two) {
    if (to == NULL) return;
    wl_wide_write(part, place, w.rows, w.columns, two, [&](unsigned j, unsigned i, int4 four) {
        wl_wide_store<FORM == PACKED_FOURS>(to, w.columns, j, i, four);
        if (w.present_lines > 0 || w.compared == NULL) return;
        const int all = (int)w.sites; // are compared
        wl_wide_store<FORM == PACKED_FOURS>(w.compared, w.columns, j, i, make_int4(all, all, all, all));
    });
}

/* What a warpgroup does that multiplies. */
template <int ACROSS, int FORM>
static __device__ __forceinline__ void multiply_tiles(const work &w, wl_wide_ring<ACROSS> *r) {
    enum { SUMS = ACROSS * WL_WARPGROUP_SUMS };
    uint32_t packed[SUMS / 2] = {0};
    wl_wide_place<ACROSS> before = {0, {0}, 0, 0}; // the tile that `packed` has: none
    int *to = NULL;                                // where it goes
    for (unsigned tile = blockIdx.x;; tile += gridDim.x) {
        int sum[SUMS];
#pragma unroll
        for (int k = 0; k < SUMS; k++) sum[k] = w.present_lines > 0 ? 0 : (int)(0u - w.agree * w.sites);
#pragma unroll 1
        for (int distances = w.present_lines == 0; distances < 2; distances++) {
            const int lines = distances ? w.lines - w.present_lines : w.present_lines;
            wl_wide_multiply(r, sum, tile < w.tiles ? lines : 0, [&](int part) {
                if (FORM != WHOLE) write<ACROSS, FORM>(w, part, to, before, [&](int k) { return packed[k]; });
            });
            if (tile >= w.tiles) return;
            const unsigned sign = distances ? -1u : 1u;
            before = place_of<ACROSS>(w, tile);
            to = distances ? w.distance : w.compared;
#pragma unroll
            for (int k = 0; k < SUMS / 2 && FORM != WHOLE; k++)
                packed[k] = wl_wide_pack((int)(sign * (unsigned)sum[2 * k]), (int)(sign * (unsigned)sum[2 * k + 1]));
#pragma unroll
            for (int part = 0; part < ACROSS * WL_WIDE_PARTS && FORM == WHOLE; part++)
                write<ACROSS, FORM>(w, part, to, before, [&](int k) {
                    return make_int2((int)(sign * (unsigned)sum[2 * k]), (int)(sign * (unsigned)sum[2 * k + 1]));
                });
#pragma unroll
            for (int k = 0; k < SUMS; k++) sum[k] = (int)(0u - w.agree * (unsigned)sum[k]); // the equal ones are added
        }
    }
}

template <int ACROSS, int FORM> static __global__ void __launch_bounds__(WL_WIDE_THREADS, 1) one_pass(const work w) {
    extern __shared__ uint4 memory[];
    wl_wide_ring<ACROSS> ring = wl_wide_begin<ACROSS>(memory);
    if (threadIdx.x < WL_UNIT_THREADS) {
        wl_warpgroup_take<WL_WIDE_REGISTERS>();
        multiply_tiles<ACROSS, FORM>(w, &ring);
        return;
    }
    wl_warpgroup_give<WL_WIDE_REGISTERS_LEFT>();
    for (unsigned tile = blockIdx.x; tile < w.tiles && threadIdx.x == WL_UNIT_THREADS; tile += gridDim.x)
        wl_wide_copy(&ring, w.row_units, w.column_units, w.lines, place_of<ACROSS>(w, tile));
}

/* --- Host -------------------------------------------------------------------------------------------------------- */

static size_t tiles(size_t count) { return (count + TILE - 1) / TILE; }

static int present_lines(const distances_input *in) {
    return in->complete ? 0 : (int)((2 * in->words + WL_UNIT_LINE - 1) / WL_UNIT_LINE);
}
/* Whole lines, because there is an even number of features of whole half lines. */
static int lines(const distances_input *in) {
    const size_t kinds = features_of(in->planes, in->sum == DISTANCES_STEPS);
    return present_lines(in) + (int)(kinds * 2 * in->words / WL_UNIT_LINE);
}
static size_t unit_bytes(const distances_input *in, const distances_side *side) {
    return tiles(side->count) * WL_UNIT_SIDE * lines(in) * WL_UNIT;
}
static size_t work_bytes(const distances_input *in) {
    return unit_bytes(in, &in->rows) + (in->symmetric ? 0 : unit_bytes(in, &in->columns));
}

static const char *supports(const wl_device *device, const void *input) {
    enum { HOPPER = 90 };
    const distances_input *in = (const distances_input *)input;
    if (device->backend == WL_GPU && device->compute_capability != HOPPER)
        return "warpgroups multiply on compute capability 9.0 only";
    if (!WL_WARPGROUP_COMPILED) return "warpgroups were not compiled in: CMAKE_CUDA_ARCHITECTURES has no 90a";
    if (in->sum == DISTANCES_DIFFERENT && in->planes > PLANES_MOST) return "more than 16 values: stage 01 is for them";
    if ((double)tiles(in->rows.count) * (double)tiles(in->columns.count) > INT32_MAX / 4)
        return "more than 500 million tiles; give fewer instances at a time";
    return distances_fits(device, in, work_bytes(in));
}

/* Each launch makes the features again, so that their time counts. */
static wl_status prepare(const wl_device *device, const void *input, void **state) {
    return distances_upload(device, input, work_bytes((const distances_input *)input), state);
}

static wl_status unfold_side(const distances_state *s, const uint32_t *planes, size_t count, char *units) {
    const distances_input *in = s->input;
    unfold<<<(unsigned)(tiles(count) * TILE / UNFOLD_ROWS), 32 * UNFOLD_ROWS>>>(
        (const uint4 *)planes, count, in->planes, s->words / PIECE_WORDS, in->sum == DISTANCES_STEPS, present_lines(in),
        lines(in), (uint4 *)units);
    WL_LAUNCHED();
    return WL_OK;
}

template <int ACROSS> static unsigned tiles_of(const work *w) {
    return w->down * (w->symmetric ? wl_wide_symmetric_pairs<ACROSS>(w->down) : wl_wide_pairs<ACROSS>(w->across));
}
template <int ACROSS> static wl_status launch_tiles(const distances_state *s, work *w) {
    const unsigned most = (unsigned)s->multiprocessors;
    w->tiles = tiles_of<ACROSS>(w);
    const unsigned blocks = w->tiles < most ? w->tiles : most;
    const auto kernel = w->agree * (double)w->sites > UINT16_MAX ? one_pass<ACROSS, WHOLE>
                        : w->columns % 4 == 0                    ? one_pass<ACROSS, PACKED_FOURS>
                                                                 : one_pass<ACROSS, PACKED>;
    WL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, WL_WIDE_SHARED));
    WL_LAUNCH(kernel, blocks, WL_WIDE_THREADS, WL_WIDE_SHARED, *w);
    return WL_OK;
}
/* The tiles of a block take time in whole rounds. One twice as wide takes 1.75 times as long. */
static int wide_is_faster(const distances_state *s, const work *w) {
    const unsigned blocks = (unsigned)s->multiprocessors;
    return 7 * ((tiles_of<2>(w) + blocks - 1) / blocks) <= 4 * ((tiles_of<1>(w) + blocks - 1) / blocks);
}

static wl_status launch(void *state) {
    distances_state *s = (distances_state *)state;
    const distances_input *in = s->input;
    const size_t pairs = s->rows * s->columns;
    if (pairs == 0) return WL_OK;
    char *row_units = (char *)s->work, *column_units = row_units + (in->symmetric ? 0 : unit_bytes(in, &in->rows));
    WL_TRY(unfold_side(s, s->row_planes, s->rows, row_units));
    if (!in->symmetric) WL_TRY(unfold_side(s, s->column_planes, s->columns, column_units));
    work w = {.row_units = row_units,
              .column_units = column_units,
              .lines = lines(in),
              .present_lines = present_lines(in),
              .agree = in->sum == DISTANCES_STEPS ? (unsigned)in->planes : 1u,
              .sites = (unsigned)in->sites,
              .symmetric = in->symmetric,
              .rows = s->rows,
              .columns = s->columns,
              .down = (unsigned)tiles(s->rows),
              .across = (unsigned)tiles(s->columns),
              .tiles = 0,
              .distance = (int *)s->result,
              .compared = in->distance_only ? NULL : (int *)(s->result + pairs)};
    return wide_is_faster(s, &w) ? launch_tiles<2>(s, &w) : launch_tiles<1>(s, &w);
}

/* ANDs and additions of bits. */
static void cost(const wl_device *, const void *input, wl_cost *cost) {
    const distances_input *in = (const distances_input *)input;
    const double kinds = features_of(in->planes, in->sum == DISTANCES_STEPS) + (in->complete ? 0 : 1);
    const double pairs = (double)in->rows.count * (double)in->columns.count * (in->symmetric ? 0.5 : 1);
    distances_cost(in, 2 * pairs * (double)in->sites * kinds, WL_RATE_WGMMA_B1, cost);
}

DISTANCES_STAGE(.idea = "both counts in one pass, each written while the next one is multiplied",
                .limits = "up to 16 values of a site; compute capability 9.0", .supports = supports, .prepare = prepare,
                .launch = launch, .cost = cost)
