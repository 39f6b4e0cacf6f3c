/* 03_one_pass: both counts in one pass of the tile that lessons 14 and 15 multiply with.

   Idea: two values that are both present are equal or different, so the distance is the sites compared minus the equal ones.
   Both are products of the same features: "is present", and "is v" for each value v. In unary planes, "above p" and "present
   and not above p" count the planes in which two values agree.
   Changed: the accumulators begin with minus the sites compared, which have just been written, and the equal sites are added.
   So one kernel makes both results, and rows and columns have the same features. Two blocks share a multiprocessor: one
   multiplies while the other writes.
   Expected: 0.55 ms for 10,000 x 10,000 nucleotides with missing values, where stage 02 takes 1.06 ms.
   Measured: 0.65 ms on an H200, 0.50 of wgmma_b1, and 0.60 without missing values. Shared memory limits the products.
   See: warpladder run distances/0* --rows 10000 --sites 10000 */
#include "distances/kit/device.h"
#include "harness/device/product_units.h"

enum {
    TILE = WL_UNIT_TILE,
    PLANES_MOST = 4,
    BLOCKS = 2, // per multiprocessor
    STAGES = 3,
    BARRIERS = 2 * STAGES,
    SHARED = WL_UNIT_ALIGN + STAGES * WL_UNIT_STAGE + BARRIERS * (int)sizeof(wl_mbarrier),
    BLOCK_THREADS = WL_UNIT_THREADS + 32,
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
    const uint4 *plane = from + row * (planes + 1) * pieces;
    const uint4 none = make_uint4(0, 0, 0, 0);
    const size_t before = (size_t)present_lines * WL_UNIT_PIECES;
    for (size_t piece = pieces + threadIdx.x % 32; piece < before; piece += 32)
        units[wl_unit_piece(row, piece, lines)] = none;
    for (size_t piece = threadIdx.x % 32; piece < pieces; piece += 32) {
        const uint4 here = row < count ? plane[planes * pieces + piece] : none;
        if (present_lines > 0) units[wl_unit_piece(row, piece, lines)] = here;
        for (int f = 0; f < features_of(planes, steps); f++) {
            uint4 is = here;
            for (int p = steps ? f / 2 : 0; p < (steps ? f / 2 + 1 : planes) && row < count; p++) {
                const uint4 set = plane[p * pieces + piece];
                is = (steps ? f & 1 : f >> p & 1) ? both(is, set) : but(is, set);
            }
            units[wl_unit_piece(row, before + f * pieces + piece, lines)] = is;
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

static __device__ __forceinline__ uint2 place_of(const work &w, unsigned tile) {
    return w.symmetric ? wl_unit_upper(tile, w.down) : wl_unit_any(tile, w.down, w.across);
}

/* The stage of the next line, and the parity of its barriers. */
typedef struct {
    int stage;
    unsigned parity;
} ring;
static __device__ __forceinline__ void next(ring *r) {
    if (++r->stage == STAGES) r->stage = 0, r->parity ^= 1;
}

/* The warp that copies. It fills stage after stage, also across the ends of tiles. */
static __device__ __forceinline__ void copy_tiles(const work &w, char *stages, wl_mbarrier *full, wl_mbarrier *empty) {
    ring r = {0, 1}; // at first all stages count as emptied
    for (unsigned tile = blockIdx.x; tile < w.tiles; tile += gridDim.x) {
        const uint2 place = place_of(w, tile);
        for (int line = 0; line < w.lines; line++, next(&r)) {
            wl_mbarrier_wait(&empty[r.stage], r.parity);
            wl_unit_copy(stages + r.stage * WL_UNIT_STAGE, &full[r.stage], w.row_units, w.column_units, w.lines,
                         place.x, place.y, line);
        }
    }
}

/* Adds the products of the next `count` lines to this warpgroup's sums. */
static __device__ __forceinline__ void multiply_lines(int (&sum)[WL_WARPGROUP_SUMS], const char *stages,
                                                      wl_mbarrier *full, wl_mbarrier *empty, int count, ring *r) {
    const int warpgroup = threadIdx.x / WL_WARPGROUP;
    const int speaks = threadIdx.x % WL_WARPGROUP == 0; // arrives for its warpgroup
    int last = 0;
    for (int line = 0; line < count; line++, next(r)) {
        wl_mbarrier_wait(&full[r->stage], r->parity);
        wl_unit_multiply(sum, stages + r->stage * WL_UNIT_STAGE, warpgroup);
        wl_warpgroup_wait<1>(); // the line before has been multiplied
        if (line > 0 && speaks) wl_mbarrier_arrive(&empty[last]);
        last = r->stage;
    }
    wl_warpgroup_finish(sum);
    if (count > 0 && speaks) wl_mbarrier_arrive(&empty[last]);
}

/* The value that is written for a sum: base + sign * sum, modulo 2^32. */
typedef struct values {
    unsigned base, sign;
    __device__ __forceinline__ int column(size_t) const { return 0; }
    __device__ __forceinline__ int2 operator()(int, int, int first, int second) const {
        return make_int2((int)(base + sign * (unsigned)first), (int)(base + sign * (unsigned)second));
    }
} values;

static __device__ __forceinline__ void write(const work &w, const int sum[WL_WARPGROUP_SUMS], unsigned base,
                                             unsigned sign, int *to, uint2 place) {
    if (to == NULL) return;
    const values what = {base, sign};
    wl_unit_write(sum, what, to, w.rows, w.columns, place.x, place.y, threadIdx.x / WL_WARPGROUP,
                  w.symmetric && place.y > place.x);
}

static __global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS) one_pass(const work w) {
    extern __shared__ uint4 shared[];
    char *stages = wl_unit_stages(shared);
    wl_mbarrier *full = (wl_mbarrier *)(stages + STAGES * WL_UNIT_STAGE), *empty = full + STAGES;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) wl_mbarrier_init(&full[s], 1), wl_mbarrier_init(&empty[s], WL_UNIT_SIDE);
        wl_mbarrier_publish();
    }
    __syncthreads();
    if (threadIdx.x >= WL_UNIT_THREADS) {
        if (threadIdx.x % 32 == 0) copy_tiles(w, stages, full, empty);
        return;
    }
    ring r = {0, 0};
    for (unsigned tile = blockIdx.x; tile < w.tiles; tile += gridDim.x) {
        const uint2 place = place_of(w, tile);
        int sum[WL_WARPGROUP_SUMS] = {0};
        if (w.present_lines > 0) {
            multiply_lines(sum, stages, full, empty, w.present_lines, &r);
            write(w, sum, 0, 1, w.compared, place);
            for (int k = 0; k < WL_WARPGROUP_SUMS; k++) sum[k] = (int)(0u - w.agree * (unsigned)sum[k]);
            multiply_lines(sum, stages, full, empty, w.lines - w.present_lines, &r);
            write(w, sum, 0, -1u, w.distance, place);
        } else { // all sites are compared
            multiply_lines(sum, stages, full, empty, w.lines, &r);
            write(w, sum, w.sites, 0, w.compared, place);
            write(w, sum, w.agree * w.sites, -1u, w.distance, place);
        }
    }
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
    WL_CUDA(cudaFuncSetAttribute(one_pass, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
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

static wl_status launch(void *state) {
    distances_state *s = (distances_state *)state;
    const distances_input *in = s->input;
    const size_t pairs = s->rows * s->columns, down = tiles(s->rows), across = tiles(s->columns);
    if (pairs == 0) return WL_OK;
    char *row_units = (char *)s->work, *column_units = row_units + (in->symmetric ? 0 : unit_bytes(in, &in->rows));
    WL_TRY(unfold_side(s, s->row_planes, s->rows, row_units));
    if (!in->symmetric) WL_TRY(unfold_side(s, s->column_planes, s->columns, column_units));
    const work w = {.row_units = row_units,
                    .column_units = column_units,
                    .lines = lines(in),
                    .present_lines = present_lines(in),
                    .agree = in->sum == DISTANCES_STEPS ? (unsigned)in->planes : 1u,
                    .sites = (unsigned)in->sites,
                    .symmetric = in->symmetric,
                    .rows = s->rows,
                    .columns = s->columns,
                    .down = (unsigned)down,
                    .across = (unsigned)across,
                    .tiles = (unsigned)(in->symmetric ? down * (down + 1) / 2 : down * across),
                    .distance = (int *)s->result,
                    .compared = in->distance_only ? NULL : (int *)(s->result + pairs)};
    const unsigned resident = BLOCKS * (unsigned)s->multiprocessors, blocks = w.tiles < resident ? w.tiles : resident;
    one_pass<<<blocks, BLOCK_THREADS, SHARED>>>(w);
    WL_LAUNCHED();
    return WL_OK;
}

/* ANDs and additions of bits. */
static void cost(const wl_device *, const void *input, wl_cost *cost) {
    const distances_input *in = (const distances_input *)input;
    const double kinds = features_of(in->planes, in->sum == DISTANCES_STEPS) + (in->complete ? 0 : 1);
    const double pairs = (double)in->rows.count * (double)in->columns.count * (in->symmetric ? 0.5 : 1);
    distances_cost(in, 2 * pairs * (double)in->sites * kinds, WL_RATE_WGMMA_B1, cost);
}

DISTANCES_STAGE(.idea = "both counts in one pass: one block multiplies while the other writes",
                .limits = "up to 16 values of a site; compute capability 9.0", .supports = supports, .prepare = prepare,
                .launch = launch, .cost = cost)
