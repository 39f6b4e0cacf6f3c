/* 03_two_teams: both counts in one pass of the tile that lesson 15 multiplies with.

   Idea: two sites that are both present are equal or different. So one set of features does: "is present", and for each value v "is v".
   Present against present counts the sites compared, value against value the equal ones, and what is left differs. In unary planes
   "above p" and "present and not above p" count the planes in which two values agree.
   Changed: the accumulators begin with minus the sites compared, which have just been written, so that the equal sites are subtracted
   in place and one kernel makes both results. Rows and columns have the same features. They are multiplied by warpgroups, fed by bulk
   copies, in two teams of which one writes while the other multiplies.
   Expected: 0.55 ms for 10,000 x 10,000 nucleotides with missing values, where stage 02 takes 1.06 ms.
   Measured: see README.md.
   See: warpladder run distances/0* --rows 10000 --sites 10000 */
#include "distances/kit/device.h"
#include "harness/device/product_units.h"

enum {
    TILE = WL_UNIT_TILE,
    PLANES_MOST = 4,
    TEAMS = 2,
    STAGES = 6,
    BARRIERS = 2 * STAGES + TEAMS,
    SHARED = WL_UNIT_ALIGN + STAGES * WL_UNIT_STAGE + BARRIERS * (int)sizeof(wl_mbarrier),
    BLOCK_THREADS = TEAMS * WL_UNIT_THREADS + 32,
    UNFOLD_ROWS = 8, // of a block, a warp each
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

/* A warp per instance; what follows the last one is 0. A row is its present values, whole lines of them (none of them if
   present_lines is 0), and then its features, one after the other. */
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

/* --- Turns ------------------------------------------------------------------------------------------------------- */

/* What the kernel is given. A tile's lines are those of present values and then those of features. */
typedef struct {
    const char *row_units, *column_units; // [padded / 64][lines][WL_UNIT]
    int lines, present_lines;
    unsigned agree; // features of a site that two equal values share: 1, or the planes of steps
    unsigned sites; // in all
    int symmetric;
    size_t rows, columns;
    unsigned down, across, tiles;
    int *distance, *compared; // [rows][columns]
} work;

/* Lines of a tile that a team multiplies without a pause; none where tile == tiles. */
typedef struct {
    unsigned tile;
    int first, last;
} turn;

/* The teams' turns, of which they have one each a round. A tile with missing values takes three: its present values, and half of its
   features twice. Team 1 is a round late, so that a team that writes always has half of the other's features to do so:

     team 0   present, write   half             half, write      present, write
     team 1                    ..      present, write   half             half, write     */
static __device__ __forceinline__ turn turn_of(const work &w, int team, unsigned round) {
    const unsigned turns = w.present_lines > 0 ? 3 : 1, late = w.present_lines > 0 ? team : 0;
    turn t = {w.tiles, 0, 0};
    if (round < late) return t;
    const unsigned number = (round - late) / turns, which = (round - late) % turns;
    const unsigned tile = blockIdx.x + (number * TEAMS + team) * gridDim.x;
    if (tile >= w.tiles) return t;
    const int half = w.present_lines + (w.lines - w.present_lines) / 2;
    t.tile = tile;
    t.first = which == 0 ? 0 : which == 1 ? w.present_lines : half;
    t.last = turns == 1 || which == 2 ? w.lines : which == 0 ? w.present_lines : half;
    return t;
}

/* Rounds of this block: as many as team 0 needs, and team 1's late one. */
static __device__ __forceinline__ unsigned rounds_of(const work &w) {
    const unsigned tiles = (w.tiles - blockIdx.x + gridDim.x - 1) / gridDim.x, first = (tiles + TEAMS - 1) / TEAMS;
    return w.present_lines > 0 ? 3 * first + 1 : first;
}

static __device__ __forceinline__ uint2 place_of(const work &w, unsigned tile) {
    return w.symmetric ? wl_unit_upper(tile, w.down) : wl_unit_any(tile, w.down, w.across);
}

/* The warp that copies. */
static __device__ __forceinline__ void copy_tiles(const work &w, char *stages, wl_mbarrier *full, wl_mbarrier *empty) {
    int stage = 0;
    unsigned parity = 1; // of the phase in which it was emptied: at first it is
    for (unsigned k = 0; k < TEAMS * rounds_of(w); k++) {
        const turn t = turn_of(w, k % TEAMS, k / TEAMS);
        const uint2 place = t.tile < w.tiles ? place_of(w, t.tile) : make_uint2(0, 0);
        for (int line = t.first; line < t.last; line++) {
            wl_mbarrier_wait(&empty[stage], parity);
            wl_unit_copy(stages + stage * WL_UNIT_STAGE, &full[stage], w.row_units, w.column_units, w.lines, place.x,
                         place.y, line);
            if (++stage == STAGES) stage = 0, parity ^= 1;
        }
    }
}

/* What is written of a sum: base + sign * sum, modulo 2^32. */
typedef struct values {
    unsigned base, sign;
    __device__ __forceinline__ int column(size_t) const { return 0; }
    __device__ __forceinline__ int2 operator()(int, int, int first, int second) const {
        return make_int2((int)(base + sign * (unsigned)first), (int)(base + sign * (unsigned)second));
    }
} values;

static __device__ __forceinline__ void write(const work &w, const int sum[WL_WARPGROUP_SUMS], unsigned base,
                                             unsigned sign, int *to, unsigned tile, int warpgroup) {
    const uint2 place = place_of(w, tile);
    const values what = {base, sign};
    wl_unit_write(sum, what, to, w.rows, w.columns, place.x, place.y, warpgroup, w.symmetric && place.y > place.x);
}

static __global__ void __launch_bounds__(BLOCK_THREADS, 1) two_teams(const work w) {
    extern __shared__ uint4 shared[];
    char *stages = wl_unit_stages(shared);
    wl_mbarrier *full = (wl_mbarrier *)(stages + STAGES * WL_UNIT_STAGE), *empty = full + STAGES;
    wl_mbarrier *turns = empty + STAGES; // [TEAMS]
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) wl_mbarrier_init(&full[s], 1), wl_mbarrier_init(&empty[s], WL_UNIT_SIDE);
        for (int team = 0; team < TEAMS; team++) wl_mbarrier_init(&turns[team], WL_UNIT_SIDE);
        wl_mbarrier_publish();
    }
    __syncthreads();
    const int team = threadIdx.x / WL_UNIT_THREADS, warpgroup = threadIdx.x / WL_WARPGROUP % WL_UNIT_SIDE;
    const int speaks = threadIdx.x % WL_WARPGROUP == 0; // for its warpgroup
    if (team == TEAMS) {
        if (threadIdx.x % 32 == 0) copy_tiles(w, stages, full, empty);
        return;
    }

    const unsigned rounds = rounds_of(w);
    unsigned line_number = 0; // of all lines that both teams multiply
    int sum[WL_WARPGROUP_SUMS];
    for (unsigned round = 0; round < rounds; round++) {
        const turn t = turn_of(w, team, round), other = turn_of(w, 1 - team, round);
        if (team == 1) line_number += other.last - other.first;
        int stage = line_number % STAGES, last = 0;
        unsigned parity = line_number / STAGES % 2;
        if (t.first == 0)
            for (int k = 0; k < WL_WARPGROUP_SUMS; k++) sum[k] = 0;
        if (team + round > 0) wl_mbarrier_wait(&turns[team], team == 0 ? (round - 1) % 2 : round % 2);
        for (int line = t.first; line < t.last; line++) {
            wl_mbarrier_wait(&full[stage], parity);
            wl_unit_multiply(sum, stages + stage * WL_UNIT_STAGE, warpgroup);
            wl_warpgroup_wait<1>(); // the line before has been multiplied
            if (line > t.first && speaks) wl_mbarrier_arrive(&empty[last]);
            last = stage;
            if (++stage == STAGES) stage = 0, parity ^= 1;
        }
        if (speaks) wl_mbarrier_arrive(&turns[1 - team]);
        wl_warpgroup_finish(sum);
        if (t.first < t.last && speaks) wl_mbarrier_arrive(&empty[last]);
        line_number += t.last - t.first;
        if (team == 0) line_number += other.last - other.first;
        if (t.tile == w.tiles) continue;
        if (w.present_lines == 0) { // all sites are compared
            write(w, sum, w.sites, 0, w.compared, t.tile, warpgroup);
            write(w, sum, w.agree * w.sites, -1u, w.distance, t.tile, warpgroup);
        } else if (t.first == 0) {
            write(w, sum, 0, 1, w.compared, t.tile, warpgroup);
            for (int k = 0; k < WL_WARPGROUP_SUMS; k++) sum[k] = (int)(0u - w.agree * (unsigned)sum[k]);
        } else if (t.last == w.lines) {
            write(w, sum, 0, -1u, w.distance, t.tile, warpgroup);
        }
    }
}

/* --- Host -------------------------------------------------------------------------------------------------------- */

static size_t tiles(size_t count) { return (count + TILE - 1) / TILE; }

static int present_lines(const distances_input *in) {
    return in->complete ? 0 : (int)((2 * in->words + WL_UNIT_LINE - 1) / WL_UNIT_LINE);
}
/* An even number of features of whole half lines: whole lines. */
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

/* The features are made by each launch: their time is part of the answer. */
static wl_status prepare(const wl_device *device, const void *input, void **state) {
    WL_CUDA(cudaFuncSetAttribute(two_teams, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
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
                    .compared = (int *)(s->result + pairs)};
    const unsigned blocks = w.tiles < (unsigned)s->multiprocessors ? w.tiles : (unsigned)s->multiprocessors;
    two_teams<<<blocks, BLOCK_THREADS, SHARED>>>(w);
    WL_LAUNCHED();
    return WL_OK;
}

/* Ands and additions of bits. */
static void cost(const wl_device *, const void *input, wl_cost *cost) {
    const distances_input *in = (const distances_input *)input;
    const double kinds = features_of(in->planes, in->sum == DISTANCES_STEPS) + (in->complete ? 0 : 1);
    const double pairs = (double)in->rows.count * (double)in->columns.count * (in->symmetric ? 0.5 : 1);
    distances_cost(in, 2 * pairs * (double)in->sites * kinds, WL_RATE_WGMMA_B1, cost);
}

DISTANCES_STAGE(.idea = "both counts in one pass: one team multiplies while the other writes",
                .limits = "up to 16 values of a site; compute capability 9.0", .supports = supports, .prepare = prepare,
                .launch = launch, .cost = cost)
