/* 07_stream: subjects follow one another through the lanes, and lanes take work as they need it.

   Idea: a lane that has finished its last column does not wait for the others. It begins the next subjects one step after the
   lane before it. A group of lanes takes pairs of subjects from a counter, longest first, so a subject of 35,000 residues
   keeps its own group busy and no other waiting.
   Changed: no steps without work between pairs. Groups of 8, 16 or 32 lanes have 4 to 32 rows each, and a query is cut into the
   cheapest bands (sw/plan/bands.h). A step is four columns, so letters are loaded in words.
   Expected: with 360 residues per subject, 06 wastes 8 % at the ends and uses 464 rows of 512; here it is 1 % and 464 of 480.
   Measured at an earlier version: 1.5 times as fast on an H200 with 570,000 subjects; most of it comes from the four columns.
   See: warpladder run sw/07*; README.md */
#include "sw/kit/stream.h"

enum { THREADS = SW_STREAM_THREADS, BLOCKS_A_MULTIPROCESSOR = 2, COLUMNS = 4 };

/* A group has LANES lanes, and a lane ROWS rows. */
template <int LANES, int ROWS>
static __global__ void __launch_bounds__(THREADS, BLOCKS_A_MULTIPROCESSOR) stream(sw_band_view v) {
    enum { W = ROWS / 2, WHOLE = W / 4, LEFT = W % 4, LETTER = LANES * W, RING = LANES };
    extern __shared__ __align__(16) uint32_t profile[]; // [SW_PROFILE_CODES][LETTER], then a ring of pairs per group
    const int lane = threadIdx.x % LANES;
    for (int k = threadIdx.x; k < SW_PROFILE_CODES * LETTER; k += THREADS) profile[k] = v.profile[k];
    __syncthreads();
    // Lane l reads what lane 0 wrote l steps before, and lane 0 writes at most once per step.
    sw_two_subjects *ring = (sw_two_subjects *)(profile + SW_PROFILE_CODES * LETTER) + threadIdx.x / LANES * RING;
    const uint32_t *own = profile + lane * 4, *own_left = profile + WHOLE * LANES * 4 + lane * LEFT;

    const uint32_t open = (uint32_t)v.gap_open * 0x10001u;
    const uint32_t minus_extend = (uint32_t)(0x10000 - v.gap_extend) % 0x10000u * 0x10001u;

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
                // Both subjects' scores of row r: one half of each word.
                const uint32_t A = __byte_perm(of_x[r % 8 / 2], of_y[r % 8 / 2], r % 2 == 0 ? 0x5410 : 0x7632);
                const uint32_t matched = __vadd2(diagonal, A);
                diagonal = H[r];
                H[r] = __vimax3_s16x2_relu(matched, E[r], F);
                const uint32_t opened = __vsub2(H[r], open);
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

#define KERNEL(lanes, rows) stream<lanes, rows>,
static const sw_band_kernel kernels[] = {SW_SHAPES(KERNEL)};

static uint16_t as_integer(int score) { return (uint16_t)score; }
#define LOWEST_INTEGER 0x8000 // -32,768: no sum with it is above zero, and none wraps around

static const sw_numbers numbers = {sw_most_16_bits, as_integer, LOWEST_INTEGER};

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const sw_input *in = (const sw_input *)input;
    sw_scan_plan plan;
    return sw_scan_prepare(sw_plan_bands(device, in, &numbers, &plan), device, in, &plan, state);
}

static wl_status launch(void *state) {
    const sw_scan *scan = (const sw_scan *)state;
    const sw_scoring *scoring = &scan->s->input->scoring;
    return sw_stream(scan, kernels, scoring->gap_open, scoring->gap_extend);
}

WL_VARIANT(.idea = "subjects follow one another through the lanes; bands that fit the query", .source = "Warpladder",
           .supports = sw_stream_supports, .prepare = prepare, .launch = launch, .collect = sw_scan_collect,
           .release = sw_scan_release, .cost = sw_cost_dpx)
