/* 08_two_pipes: a cell's additions move to the half-precision units, its maxima stay with the integer units.

   Idea: a 16-bit float whose bits are the integer n, 0 <= n < 2,048, is n units of the smallest float. Adding such floats adds
   the integers exactly, in other units than those of the DPX instructions. A negative sum has the sign bit set, and an
   integer maximum with 0 makes it 0.
   Changed: two multiply-adds add both subjects' scores, (s, 0) and (0, s). Each takes the half that it needs out of a register,
   so there is no byte permutation. H less gap open is a float addition. BLOSUM62's gap costs are constants of the code, so
   three instructions read one register less each; reading registers is what limits this kernel.
   Expected: the integer units do 3.5 instructions for two cells instead of 6.5.
   Measured at an earlier version: 1.2 times as fast on an H200 with 570,000 subjects. Scores above 2,047 are computed again in 32 bits.
   See: warpladder run sw/08*; README.md */
#include <cuda_fp16.h>

#include "sw/kit/short.h"
#include "sw/kit/stream.h"

enum { THREADS = SW_STREAM_THREADS, BLOCKS_A_MULTIPROCESSOR = 2, COLUMNS = 4, MOST = 2047 };

/* The word that holds a pair of floats, and the pair of floats that a word holds. */
static __device__ __forceinline__ uint32_t bits(__half2 pair) { return *(const uint32_t *)&pair; }
static __device__ __forceinline__ __half2 floats(uint32_t word) { return *(const __half2 *)&word; }
#define ONE_ZERO 0x00003C00u // (1, 0): the lower half is the first
#define ZERO_ONE 0x3C000000u // (0, 1)

/* Adds the scores of both subjects, each the lower or upper half of a word with two rows' scores, to the halves of `diagonal`. The
   compiler makes the choice of a half part of the multiply-add: it costs nothing. */
static __device__ __forceinline__ uint32_t add_scores(uint32_t of_x, uint32_t of_y, int upper, uint32_t diagonal) {
    const __half2 x = upper ? __high2half2(floats(of_x)) : __low2half2(floats(of_x));
    const __half2 y = upper ? __high2half2(floats(of_y)) : __low2half2(floats(of_y));
    return bits(__hfma2(x, floats(ONE_ZERO), __hfma2(y, floats(ZERO_ONE), floats(diagonal))));
}

/* A group has LANES lanes, and a lane ROWS rows. OPEN and EXTEND are the gap costs; if both are 0, the view has them. */
template <int LANES, int ROWS, int OPEN, int EXTEND>
static __global__ void __launch_bounds__(THREADS, BLOCKS_A_MULTIPROCESSOR) two_pipes(sw_band_view v) {
    enum { W = ROWS / 2, WHOLE = W / 4, LEFT = W % 4, LETTER = LANES * W, RING = LANES };
    extern __shared__ __align__(16) uint32_t profile[]; // [SW_PROFILE_CODES][LETTER], then a ring of pairs per group
    const int lane = threadIdx.x % LANES;
    for (int k = threadIdx.x; k < SW_PROFILE_CODES * LETTER; k += THREADS) profile[k] = v.profile[k];
    __syncthreads();
    // Lane l reads what lane 0 wrote l steps before, and lane 0 writes at most once per step.
    sw_two_subjects *ring = (sw_two_subjects *)(profile + SW_PROFILE_CODES * LETTER) + threadIdx.x / LANES * RING;
    const uint32_t *own = profile + lane * 4, *own_left = profile + WHOLE * LANES * 4 + lane * LEFT;

    const __half2 minus_open = floats(OPEN ? (0x8000u | OPEN) * 0x10001u : (0x8000u | v.gap_open) * 0x10001u);
    const uint32_t minus_extend =
        EXTEND ? (0x10000u - EXTEND) * 0x10001u : (uint32_t)(0x10000 - v.gap_extend) % 0x10000u * 0x10001u;

    uint32_t H[ROWS], E[ROWS]; // H of column j - 1, E of column j; one subject's in the lower halves
    uint32_t best = 0, upper_left = 0, H_last[COLUMNS] = {0, 0, 0, 0}, F_last[COLUMNS] = {0, 0, 0, 0};
    sw_two_subjects now = {0, 0, -1, lane, 0}; // lane l begins l steps after lane 0
    uint32_t x = SW_ENDS_WORD, y = SW_ENDS_WORD;
    int taken = 0, over = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;

    for (;;) {
        if (now.words_x == 0 && !over) { // this lane's subjects have ended; lane 0 chooses the next ones
            if (now.pair >= 0) {
                const int best_x = best & 0xffff, best_y = best >> 16;
                if (best_x > 0) atomicMax(&v.score[2 * now.pair], best_x);
                if (best_y > 0) atomicMax(&v.score[2 * now.pair + 1], best_y);
            }
            sw_two_subjects *slot = &ring[taken++ % RING];
            if (lane == 0) *slot = sw_fetch(&v);
            now = *slot;
            x = now.words_x > 0 ? v.residues[now.x] : SW_ENDS_WORD;
            y = now.words_y > 0 ? v.residues[now.y] : SW_ENDS_WORD;
            over = now.pair < 0;
            best = upper_left = 0;
#pragma unroll
            for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;
        }
        if (__all_sync(~0u, over)) break;
        // The loads of the next words begin now, so that they have arrived in the next step.
        const uint32_t next_x = now.pair >= 0 && now.words_x > 1 ? v.residues[now.x + 1] : SW_ENDS_WORD;
        const uint32_t next_y = now.words_y > 1 ? v.residues[now.y + 1] : SW_ENDS_WORD;

        uint32_t H_above[COLUMNS], F_above[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            H_above[c] = __shfl_up_sync(~0u, H_last[c], 1, LANES);
            F_above[c] = __shfl_up_sync(~0u, F_last[c], 1, LANES);
            if (lane == 0) H_above[c] = F_above[c] = 0;
        }
        if (v.above && lane == 0) {
            const uint4 zero = make_uint4(0, 0, 0, 0);
            const uint4 a = now.words_x > 0 ? v.edge[now.x] : zero, b = now.words_y > 0 ? v.edge[now.y] : zero;
            const uint32_t of_x[COLUMNS] = {a.x, a.y, a.z, a.w}, of_y[COLUMNS] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                H_above[c] = __byte_perm(of_x[c], of_y[c], 0x5410);
                F_above[c] = __byte_perm(of_x[c], of_y[c], 0x7632);
            }
        }

#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const int at_x = (x >> 8 * c & 0xff) * LETTER, at_y = (y >> 8 * c & 0xff) * LETTER;
            uint32_t F = F_above[c], diagonal = upper_left, of_x[4], of_y[4];
            upper_left = H_above[c];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (r % 8 == 0 && r / 8 < WHOLE) { // eight rows' scores with each subject's letter
                    const uint4 a = *(const uint4 *)(own + r / 8 * LANES * 4 + at_x);
                    const uint4 b = *(const uint4 *)(own + r / 8 * LANES * 4 + at_y);
                    of_x[0] = a.x, of_x[1] = a.y, of_x[2] = a.z, of_x[3] = a.w;
                    of_y[0] = b.x, of_y[1] = b.y, of_y[2] = b.z, of_y[3] = b.w;
                } else if (r % 8 == 0) {
#pragma unroll
                    for (int k = 0; k < LEFT; k++) of_x[k] = own_left[at_x + k], of_y[k] = own_left[at_y + k];
                }
                const uint32_t matched = add_scores(of_x[r % 8 / 2], of_y[r % 8 / 2], r % 2, diagonal);
                diagonal = H[r];
                H[r] = __vimax3_s16x2_relu(matched, E[r], F);
                const uint32_t opened = bits(__hadd2(floats(H[r]), minus_open));
                E[r] = __viaddmax_s16x2_relu(E[r], minus_extend, opened);
                F = __viaddmax_s16x2_relu(F, minus_extend, opened);
                if (r % 2 == 1) best = __vimax3_s16x2(best, H[r - 1], H[r]);
            }
            H_last[c] = H[ROWS - 1];
            F_last[c] = F;
        }

        if (v.below && lane == LANES - 1) {
            uint32_t of_x[COLUMNS], of_y[COLUMNS];
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                of_x[c] = __byte_perm(H_last[c], F_last[c], 0x5410);
                of_y[c] = __byte_perm(H_last[c], F_last[c], 0x7632);
            }
            if (now.pair >= 0) v.edge[now.x] = make_uint4(of_x[0], of_x[1], of_x[2], of_x[3]);
            if (now.words_y > 0) v.edge[now.y] = make_uint4(of_y[0], of_y[1], of_y[2], of_y[3]);
        }
        if (!over) now.x++, now.words_x--;
        if (now.words_y > 0) now.y++, now.words_y--;
        x = next_x;
        y = next_y;
        __syncwarp(); // all lanes have read the pair that lane 0 overwrites in the next step
    }
}

/* The same cell for a query of up to 32 rows, all of which each lane has: no shuffles and no rows that only fill eight lanes. */
template <int ROWS, int OPEN, int EXTEND>
static __global__ void __launch_bounds__(SW_SHORT_THREADS, SW_SHORT_BLOCKS) short_two_subjects(sw_short_view v) {
    enum { WORDS = SW_SHORT_WORDS(1, ROWS), LETTER = SW_SHORT_COPIES * WORDS, GROUP = 2 * SW_WARP };
    __shared__ __align__(16) uint32_t profile[SW_PROFILE_CODES * LETTER];
    const uint32_t *own = sw_short_profile(&v, WORDS, profile);
    const int lane = threadIdx.x % SW_WARP;
    const __half2 minus_open = floats(OPEN ? (0x8000u | OPEN) * 0x10001u : (0x8000u | v.gap_open) * 0x10001u);
    const uint32_t minus_extend =
        EXTEND ? (0x10000u - EXTEND) * 0x10001u : (uint32_t)(0x10000 - v.gap_extend) % 0x10000u * 0x10001u;

    for (unsigned group; (group = sw_short_next(&v)) < v.groups;) {
        const uint2 *next = (const uint2 *)(v.residues + v.group_start[group]) + lane;
        int words = (int)((v.group_start[group + 1] - v.group_start[group]) / GROUP);
        uint2 arrived = words > 0 ? *next : make_uint2(0, 0);
        uint32_t H[ROWS], E[ROWS], best = 0; // H of column j - 1, E of column j; one subject's in the lower halves
#pragma unroll
        for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;
        for (; words > 0; words--) {
            const uint32_t x = arrived.x, y = arrived.y;
            next += SW_WARP;
            if (words > 1) arrived = *next; // while these four columns are computed
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                const uint32_t *scores_x = own + (x >> 8 * c & 0xff) * LETTER,
                               *scores_y = own + (y >> 8 * c & 0xff) * LETTER;
                uint32_t F = 0, diagonal = 0, of_x[4], of_y[4];
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    if (r % 8 == 0) { // eight rows' scores with each subject's letter
                        const uint4 a = *(const uint4 *)(scores_x + r / 2 * SW_SHORT_COPIES),
                                    b = *(const uint4 *)(scores_y + r / 2 * SW_SHORT_COPIES);
                        of_x[0] = a.x, of_x[1] = a.y, of_x[2] = a.z, of_x[3] = a.w;
                        of_y[0] = b.x, of_y[1] = b.y, of_y[2] = b.z, of_y[3] = b.w;
                    }
                    const uint32_t matched = add_scores(of_x[r % 8 / 2], of_y[r % 8 / 2], r % 2, diagonal);
                    diagonal = H[r];
                    H[r] = __vimax3_s16x2_relu(matched, E[r], F);
                    const uint32_t opened = bits(__hadd2(floats(H[r]), minus_open));
                    E[r] = __viaddmax_s16x2_relu(E[r], minus_extend, opened);
                    F = __viaddmax_s16x2_relu(F, minus_extend, opened);
                    if (r % 2 == 1) best = __vimax3_s16x2(best, H[r - 1], H[r]);
                }
            }
        }
        const unsigned subject = GROUP * group + 2 * lane;
        if (subject < v.subjects) v.score[0][subject] = best & 0xffff;
        if (subject + 1 < v.subjects) v.score[0][subject + 1] = best >> 16;
    }
}

/* The kernels for any gap costs. Where a stage is compiled in parts, as by nvcc, they are in
   any_costs.cu: both files are compiled at the same time. */
extern const sw_band_kernel two_pipes_any_costs[];
extern const sw_short_kernel short_any_costs[];
#if !defined(WL_IN_PARTS) || defined(ANY_COSTS)
#define ANY(lanes, rows) two_pipes<lanes, rows, 0, 0>,
#define SHORT_ANY(rows) short_two_subjects<rows, 0, 0>,
const sw_band_kernel two_pipes_any_costs[] = {SW_SHAPES(ANY)};
const sw_short_kernel short_any_costs[] = {SW_SHORT_ROWS(SHORT_ANY)};
#endif

#ifndef ANY_COSTS
#define BLOSUM62(lanes, rows) two_pipes<lanes, rows, 12, 1>,
#define SHORT_BLOSUM62(rows) short_two_subjects<rows, 12, 1>,
static const sw_band_kernel two_pipes_blosum62[] = {SW_SHAPES(BLOSUM62)};
static const sw_short_kernel short_blosum62[] = {SW_SHORT_ROWS(SHORT_BLOSUM62)};

/* The float whose bits are the score's absolute value, with the score's sign. */
static uint16_t as_float(int score) { return (uint16_t)(score < 0 ? 0x8000 | -score : score); }
#define LOWEST_FLOAT 0xFBFF // -65504: no sum with it is above zero, and none is infinite

static int most(const sw_input *) { return MOST; }
static const sw_numbers numbers = {most, as_float, LOWEST_FLOAT};

static const char *supports(const wl_device *device, const void *input) {
    const sw_input *in = (const sw_input *)input;
    if (!sw_is_short_two_subjects(device, in)) return sw_stream_supports(device, input);
    return sw_short_supports(&sw_short_two_subjects, device, in);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const sw_input *in = (const sw_input *)input;
    sw_scan_plan plan;
    const wl_status status = sw_is_short_two_subjects(device, in)
                                 ? sw_plan_short(&sw_short_two_subjects, device, in, &numbers, &plan)
                                 : sw_plan_bands(device, in, &numbers, &plan);
    return sw_scan_prepare(status, device, in, &plan, state);
}

static wl_status launch(void *state) {
    const sw_scan *scan = (const sw_scan *)state;
    const sw_scoring *scoring = &scan->s->input->scoring;
    // A gap that costs more than any score here is never opened, so a larger cost changes nothing.
    const int open = scoring->gap_open < MOST ? scoring->gap_open : MOST;
    const int extend = scoring->gap_extend < MOST ? scoring->gap_extend : MOST;
    const int built_in = open == 12 && extend == 1;
    if (sw_scan_is_short(scan)) return sw_short_scan(scan, built_in ? short_blosum62 : short_any_costs, open, extend);
    return sw_stream(scan, built_in ? two_pipes_blosum62 : two_pipes_any_costs, open, extend);
}

WL_VARIANT(.idea = "additions as half-precision floats, maxima as DPX integers", .source = "Warpladder",
           .supports = supports, .prepare = prepare, .launch = launch, .collect = sw_scan_collect,
           .release = sw_scan_release, .cost = sw_cost_dpx)
#endif
