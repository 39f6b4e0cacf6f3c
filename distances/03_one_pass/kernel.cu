/* 03_one_pass: both counts in one pass of the tile that lesson 16 multiplies with.

   Idea: two values that are both present are equal or different, so the distance is the sites compared minus the equal ones.
   Both are products of the same features: "is present", and "is v" for each value v. In unary planes, "above p" and "present
   and not above p" count the planes in which two values agree.
   Changed: the accumulators begin with minus the sites compared, which have just been written, and the equal sites are added.
   So one kernel makes both results, and rows and columns have the same features. A thread writes each result between the
   lines of the next one, as in lesson 16.
   Expected: 0.57 ms for 10,000 x 10,000 nucleotides with missing values, where stage 02 takes 1.06 ms.
   Measured at an earlier version: 0.51 ms on an H200.
   See: warpladder run distances/0* --rows 10000 --sites 10000 */
#include "distances/kit/features.h"
#include "distances/kit/write.h"

enum {
    UNFOLD_ROWS = 8,             // per block, one per warp
    TILE = DISTANCES_WIDE_TILE,  // instances along a tile's side j; it has ACROSS times as many i
    TEAM = 2 * WL_WARPGROUP,     // threads: two warpgroups, each with 64 rows j of the tile
    BLOCK = TEAM + WL_WARPGROUP, // a third warpgroup copies, and gives the others registers
    REGISTERS = 232,             // of a thread that multiplies
    REGISTERS_LEFT = 40,         // of one that copies
    SIDE_UNITS = TILE / WL_UNIT_ROWS,
    SIDE = SIDE_UNITS * WL_UNIT, // bytes of a line of 128 rows
    STAGES_BYTES = 12 * SIDE,    // of all stages: 6 of two sides, or 4 of three
    SHARED = WL_UNIT_ALIGN + STAGES_BYTES + 2 * 6 * (int)sizeof(wl_mbarrier),
};

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
    const size_t place = wl_unit_wide_row(row);
    const uint4 *plane = from + row * (planes + 1) * pieces;
    const uint4 none = make_uint4(0, 0, 0, 0);
    const size_t before = (size_t)present_lines * WL_UNIT_PIECES;
    for (size_t piece = pieces + threadIdx.x % 32; piece < before; piece += 32)
        units[wl_unit_piece(place, piece, lines)] = none;
    for (size_t piece = threadIdx.x % 32; piece < pieces; piece += 32) {
        const uint4 here = row < count ? plane[planes * pieces + piece] : none;
        if (present_lines > 0) units[wl_unit_piece(place, piece, lines)] = here;
        for (int f = 0; f < distances_features(planes, steps); f++) {
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
    unsigned down, across, tiles; // the same in tiles, and how many tiles are computed
    int *distance, *compared;     // [rows][columns]; compared is NULL if not needed
} work;

template <int ACROSS> static __device__ __forceinline__ wl_wide_place<ACROSS> place_of(const work &w, unsigned tile) {
    if (w.symmetric) return wl_wide_symmetric<ACROSS>(tile, w.down);
    const uint2 at = wl_wide_band(tile, w.down, (w.across + ACROSS - 1) / ACROSS);
    wl_wide_place<ACROSS> place = {at.x, {0}, 0, 0};
#pragma unroll
    for (int k = 0; k < ACROSS; k++) {
        const unsigned i = ACROSS * at.y + k;
        place.i[k] = i < w.across ? i : w.across - 1;
        if (i < w.across) place.written |= 1u << k;
    }
    return place;
}

/* Lines on their way from global memory to the tensor cores. */
template <int ACROSS> struct ring {
    static const int STAGE = (1 + ACROSS) * SIDE, STAGES = STAGES_BYTES / STAGE;
    char *stages;              // [STAGES][1 + ACROSS][SIDE]
    wl_mbarrier *full, *empty; // [STAGES]
    int stage;                 // of this thread's next line, and the parity of its barriers
    unsigned parity;
    __device__ __forceinline__ void next() {
        if (++stage == STAGES) stage = 0, parity ^= 1;
    }
};

/* One thread copies the lines of a tile, each as soon as a stage is empty. */
template <int ACROSS>
static __device__ __forceinline__ void copy_tile(const work &w, ring<ACROSS> *r, const wl_wide_place<ACROSS> &place) {
#pragma unroll 1 // for few registers
    for (int line = 0; line < w.lines; line++, r->next()) {
        wl_mbarrier *full = &r->full[r->stage];
        wl_mbarrier_wait(&r->empty[r->stage], r->parity);
        wl_mbarrier_expect(full, r->STAGE);
#pragma unroll
        for (int u = 0; u < (1 + ACROSS) * SIDE_UNITS; u++) {
            const int k = u / SIDE_UNITS; // 0: rows; else columns
            const char *units = k == 0 ? w.row_units : w.column_units;
            const size_t unit = (size_t)(k == 0 ? place.j : place.i[k - 1]) * SIDE_UNITS + u % SIDE_UNITS;
            wl_copy_bulk(r->stages + r->stage * r->STAGE + u * WL_UNIT, units + (unit * w.lines + line) * WL_UNIT,
                         WL_UNIT, full);
        }
    }
}

/* How results are written. Packed in 16 bits, they wait in registers for the next lines. FOURS: `columns` is a multiple of 4. */
enum { PACKED_FOURS, PACKED, WHOLE };

/* Writes a part of a result; `two` as in distances_write_part. */
template <int ACROSS, int FORM, typename Two>
static __device__ __forceinline__ void write(const work &w, int part, int *to, const wl_wide_place<ACROSS> &place,
                                             const Two &two) {
    if (to == NULL) return;
    distances_write_part(part, place, w.rows, w.columns, two, [&](unsigned j, unsigned i, int4 four) {
        wl_wide_store<FORM == PACKED_FOURS>(to, w.columns, j, i, four);
        if (w.present_lines > 0 || w.compared == NULL) return;
        const int all = (int)w.sites; // are compared
        wl_wide_store<FORM == PACKED_FOURS>(w.compared, w.columns, j, i, make_int4(all, all, all, all));
    });
}

/* What a warpgroup does that multiplies. */
template <int ACROSS, int FORM> static __device__ __forceinline__ void multiply_tiles(const work &w, ring<ACROSS> *r) {
    enum { SUMS = ACROSS * WL_WARPGROUP_SUMS, PARTS = ACROSS * DISTANCES_TILE_PARTS };
    const int warpgroup = threadIdx.x / WL_WARPGROUP;
    const int speaks = threadIdx.x % WL_WARPGROUP == 0; // arrives for its warpgroup
    uint32_t packed[SUMS / 2] = {0};
    wl_wide_place<ACROSS> before = {0, {0}, 0, 0}; // the tile that `packed` has: none
    int *to = NULL;                                // where it goes
    for (unsigned tile = blockIdx.x;; tile += gridDim.x) {
        int sum[SUMS];
#pragma unroll
        for (int k = 0; k < SUMS; k++) sum[k] = w.present_lines > 0 ? 0 : (int)(0u - w.agree * w.sites);
#pragma unroll 1
        for (int distances = w.present_lines == 0; distances < 2; distances++) {
            const int lines = tile >= w.tiles ? 0 : distances ? w.lines - w.present_lines : w.present_lines;
            int line = 0, last = 0;
#pragma unroll
            for (int part = 0; part < PARTS; part++) { // the compiler has to know the registers of each part
#pragma unroll 1
                for (const int until = lines * (part + 1) / PARTS; line < until; line++, r->next()) {
                    wl_mbarrier_wait(&r->full[r->stage], r->parity);
                    const char *stage = r->stages + r->stage * r->STAGE;
                    wl_warpgroup_begin();
#pragma unroll
                    for (int step = 0; step < WL_WARPGROUP_STEPS; step++)
                        wl_warpgroup_bits(sum, stage + warpgroup * WL_UNIT, stage + SIDE, step);
                    wl_warpgroup_commit();
                    wl_warpgroup_wait<1>(); // the line before has been multiplied
                    if (line > 0 && speaks) wl_mbarrier_arrive(&r->empty[last]);
                    last = r->stage;
                }
                if (FORM != WHOLE) write<ACROSS, FORM>(w, part, to, before, [&](int k) { return packed[k]; });
            }
            wl_warpgroup_finish(sum);
            if (lines > 0 && speaks) wl_mbarrier_arrive(&r->empty[last]);
            if (tile >= w.tiles) return;
            const unsigned sign = distances ? -1u : 1u;
            before = place_of<ACROSS>(w, tile);
            to = distances ? w.distance : w.compared;
#pragma unroll
            for (int k = 0; k < SUMS / 2 && FORM != WHOLE; k++)
                packed[k] = wl_wide_pack((int)(sign * (unsigned)sum[2 * k]), (int)(sign * (unsigned)sum[2 * k + 1]));
#pragma unroll
            for (int part = 0; part < PARTS && FORM == WHOLE; part++)
                write<ACROSS, FORM>(w, part, to, before, [&](int k) {
                    return make_int2((int)(sign * (unsigned)sum[2 * k]), (int)(sign * (unsigned)sum[2 * k + 1]));
                });
#pragma unroll
            for (int k = 0; k < SUMS; k++) sum[k] = (int)(0u - w.agree * (unsigned)sum[k]); // the equal ones are added
        }
    }
}

template <int ACROSS, int FORM> static __global__ void __launch_bounds__(BLOCK, 1) one_pass(const work w) {
    extern __shared__ uint4 shared[];
    ring<ACROSS> r = {wl_unit_align(shared), NULL, NULL, 0, threadIdx.x >= TEAM}; // at first, stages count as emptied
    r.full = (wl_mbarrier *)(r.stages + STAGES_BYTES), r.empty = r.full + r.STAGES;
    if (threadIdx.x == 0) {
        for (int s = 0; s < r.STAGES; s++) wl_mbarrier_init(&r.full[s], 1), wl_mbarrier_init(&r.empty[s], SIDE_UNITS);
        wl_mbarrier_publish();
    }
    __syncthreads();
    if (threadIdx.x < TEAM) {
        wl_warpgroup_take<REGISTERS>();
        multiply_tiles<ACROSS, FORM>(w, &r);
        return;
    }
    wl_warpgroup_give<REGISTERS_LEFT>();
    for (unsigned tile = blockIdx.x; tile < w.tiles && threadIdx.x == TEAM; tile += gridDim.x)
        copy_tile<ACROSS>(w, &r, place_of<ACROSS>(w, tile));
}

/* --- Host -------------------------------------------------------------------------------------------------------- */

static size_t tiles(size_t count) { return (count + TILE - 1) / TILE; }

static int present_lines(const distances_input *in) {
    return in->complete ? 0 : (int)((2 * in->words + WL_UNIT_LINE - 1) / WL_UNIT_LINE);
}
/* Whole lines, because there is an even number of features of whole half lines. */
static int lines(const distances_input *in) {
    const size_t kinds = distances_features(in->planes, in->sum == DISTANCES_STEPS);
    return present_lines(in) + (int)(kinds * 2 * in->words / WL_UNIT_LINE);
}
static size_t task_bytes(const distances_input *in, const distances_side *side) {
    return tiles(side->count) * SIDE_UNITS * lines(in) * WL_UNIT;
}
static size_t work_bytes(const distances_input *in) {
    return task_bytes(in, &in->rows) + (in->symmetric ? 0 : task_bytes(in, &in->columns));
}

static const char *supports(const wl_device *device, const void *input) {
    enum { HOPPER = 90 };
    const distances_input *in = (const distances_input *)input;
    if (device->backend == WL_GPU && device->compute_capability != HOPPER)
        return "warpgroups multiply on compute capability 9.0 only";
    if (!WL_WARPGROUP_COMPILED) return "warpgroups were not compiled in: CMAKE_CUDA_ARCHITECTURES has no 90a";
    if (in->sum == DISTANCES_DIFFERENT && in->planes > DISTANCES_FEATURES_PLANES)
        return "more than 16 values: stage 01 is for them";
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
        (const uint4 *)planes, count, in->planes, s->words / 4, in->sum == DISTANCES_STEPS, present_lines(in),
        lines(in), (uint4 *)units);
    WL_LAUNCHED();
    return WL_OK;
}

template <int ACROSS> static unsigned tiles_of(const work *w) {
    return w->down * (w->symmetric ? wl_wide_symmetric_pairs<ACROSS>(w->down) : (w->across + ACROSS - 1) / ACROSS);
}
template <int ACROSS> static wl_status launch_tiles(const distances_state *s, work *w) {
    w->tiles = tiles_of<ACROSS>(w);
    const unsigned blocks = w->tiles < (unsigned)s->multiprocessors ? w->tiles : (unsigned)s->multiprocessors;
    const auto kernel = w->agree * (double)w->sites > UINT16_MAX ? one_pass<ACROSS, WHOLE>
                        : w->columns % 4 == 0                    ? one_pass<ACROSS, PACKED_FOURS>
                                                                 : one_pass<ACROSS, PACKED>;
    WL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    WL_LAUNCH(kernel, blocks, BLOCK, SHARED, *w);
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
    char *row_units = (char *)s->work, *column_units = row_units + (in->symmetric ? 0 : task_bytes(in, &in->rows));
    WL_TRY(unfold_side(s, s->row_planes, s->rows, row_units));
    if (!in->symmetric) WL_TRY(unfold_side(s, s->column_planes, s->columns, column_units));
    work w = {};
    w.row_units = row_units, w.column_units = column_units;
    w.lines = lines(in), w.present_lines = present_lines(in), w.symmetric = in->symmetric;
    w.agree = in->sum == DISTANCES_STEPS ? (unsigned)in->planes : 1u, w.sites = (unsigned)in->sites;
    w.rows = s->rows, w.columns = s->columns;
    w.down = (unsigned)tiles(s->rows), w.across = (unsigned)tiles(s->columns);
    w.distance = (int *)s->result, w.compared = in->distance_only ? NULL : (int *)(s->result + pairs);
    return wide_is_faster(s, &w) ? launch_tiles<2>(s, &w) : launch_tiles<1>(s, &w);
}

DISTANCES_STAGE(.idea = "both counts in one pass, each written while the next one is multiplied",
                .limits = "up to 16 values of a site; compute capability 9.0", .supports = supports, .prepare = prepare,
                .launch = launch, .cost = distances_features_cost<WL_RATE_WGMMA_B1>)
