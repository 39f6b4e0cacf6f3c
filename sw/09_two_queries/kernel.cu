/* 09_two_queries: two queries in a register's halves, not two subjects.

   Idea: both halves of a register are cells of the same subject, so one letter serves both. The profile holds the scores of both
   queries side by side, ready to add.
   Changed: one addition adds two scores, where 08 has two multiply-adds. There are half as many letters, addresses and subjects
   to look up, and registers for more rows. Queries go on two tracks (sw/plan/tracks.h); a kernel has the next rows of both.
   Expected: 8.5 clock cycles per row where 08 has 9.4, and less for each column: 7.2 TCUPS against 6.1.
   Measured at an earlier version: 6.8 TCUPS on an H200 instead of 6.1. A single query leaves half of every register empty, so 08 is faster for it.
   See: warpladder run sw/09*; README.md */
#include <cuda_fp16.h>

#include "sw/kit/blocks.h"
#include "sw/kit/short.h"
#include "sw/plan/tracks.h"

enum { THREADS = 384, BLOCKS_A_MULTIPROCESSOR = 1, COLUMNS = 4, EIGHT = SW_PROFILE_LANES, WARP = SW_WARP };
enum { MOST = 2047 }; // the largest integer n of which n + 1 is the next float of its kind

/* The word that holds a pair of floats, and the pair of floats that a word holds. */
static __device__ __forceinline__ uint32_t bits(__half2 pair) { return *(const uint32_t *)&pair; }
static __device__ __forceinline__ __half2 floats(uint32_t word) { return *(const __half2 *)&word; }

/* What a kernel needs to know about its two bands. [SW_TRACKS]: lower halves, upper halves. */
typedef struct {
    const uint32_t *residues;   // [word], four residues each
    const uint64_t *first_word; // [subjects + 1]
    unsigned subjects;
    const uint32_t *profile; // see sw/plan/tracks.h
    uint4 *edge;             // [word][2]: H, then F, of four columns, for both tracks
    uint32_t above;          // all bits of the halves whose H and F of the row above are in `edge`
    int below;               // do H and F of the last row go there?
    unsigned *turn;          // subjects handed out
    int gap_open, gap_extend;
    int *score[SW_TRACKS]; // [subjects], or NULL
} two_view;

/* Subject `number` has `words` words from `word` on. number < 0: no subject is left. */
typedef struct {
    uint32_t word;
    int words, number;
} one_subject;

static __device__ one_subject subject_of(const two_view *v, unsigned n) {
    one_subject s = {0, 0, -1};
    if (n < v->subjects) {
        s.number = (int)n;
        s.word = (uint32_t)v->first_word[n];
        s.words = (int)(v->first_word[n + 1] - v->first_word[n]);
    }
    return s;
}

/* A group has LANES lanes, and a lane ROWS rows; a group of one lane has all rows of its subject. OPEN and EXTEND are the gap
   costs; if both are 0, the view has them. */
template <int LANES, int ROWS, int OPEN, int EXTEND>
static __global__ void __launch_bounds__(THREADS, BLOCKS_A_MULTIPROCESSOR) two_queries(two_view v) {
    enum { COPIES = LANES < EIGHT ? EIGHT : LANES, LETTER = COPIES * ROWS, RING = LANES };
    extern __shared__ __align__(16) uint32_t profile[]; // [SW_PROFILE_CODES][LETTER], then a ring of subjects per group
    const int lane = threadIdx.x % LANES;
    for (int k = threadIdx.x; k < SW_PROFILE_CODES * LETTER; k += THREADS) profile[k] = v.profile[k];
    __syncthreads();
    // Lane l reads what lane 0 wrote l steps before, and lane 0 writes at most once per step.
    one_subject *ring = (one_subject *)(profile + SW_PROFILE_CODES * LETTER) + threadIdx.x / LANES * RING;
    const uint32_t *own = profile + threadIdx.x % COPIES * 4;

    const __half2 minus_open = floats(OPEN ? (0x8000u | OPEN) * 0x10001u : (0x8000u | v.gap_open) * 0x10001u);
    const uint32_t minus_extend =
        EXTEND ? (0x10000u - EXTEND) * 0x10001u : (uint32_t)(0x10000 - v.gap_extend) % 0x10000u * 0x10001u;

    uint32_t H[ROWS], E[ROWS]; // H of column j - 1, E of column j; track 0 in the lower halves
    uint32_t best = 0, upper_left = 0, H_last[COLUMNS] = {0, 0, 0, 0}, F_last[COLUMNS] = {0, 0, 0, 0};
    one_subject now = {0, lane, -1}; // lane l begins l steps after lane 0
    uint32_t x = SW_ENDS_WORD, not_first = lane != 0;
    int taken = 0, over = 0;
    int lag = 0;               // by so many words a single lane's subject is shorter than the longest of its warp
    asm("" : "+r"(not_first)); // hides that it is 0 or 1: a product with it costs less than a choice by it
#pragma unroll
    for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;

    for (;;) {
        if (now.words == 0 && !over) { // this lane's subject has ended; lane 0 chooses the next one
            if (now.number >= 0) {
                const int best_0 = best & 0xffff, best_1 = best >> 16;
                if (best_0 > 0) atomicMax(&v.score[0][now.number], best_0);
                if (best_1 > 0) atomicMax(&v.score[1][now.number], best_1);
            }
            if (LANES == 1) { // the warp takes 32 subjects, which are about equally long
                unsigned n = threadIdx.x % WARP == 0 ? atomicAdd(v.turn, (unsigned)WARP) : 0;
                n = __shfl_sync(~0u, n, 0);
                now = subject_of(&v, n + threadIdx.x % WARP);
                over = n >= v.subjects;
                lag = __shfl_sync(~0u, now.words, 0) - now.words; // the first is the longest
                now.words += lag;
            } else {
                one_subject *slot = &ring[taken++ % RING];
                if (lane == 0) *slot = subject_of(&v, atomicAdd(v.turn, 1u));
                now = *slot;
                over = now.number < 0;
            }
            x = now.words > lag ? v.residues[now.word] : SW_ENDS_WORD;
            best = upper_left = 0;
#pragma unroll
            for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;
        }
        if (__all_sync(~0u, over)) break;
        // The load of the next word begins now, so that it has arrived in the next step.
        const uint32_t next_x = now.number >= 0 && now.words > lag + 1 ? v.residues[now.word + 1] : SW_ENDS_WORD;

        uint32_t H_above[COLUMNS], F_above[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            H_above[c] = F_above[c] = 0;
            if (LANES > 1) {
                H_above[c] = __shfl_up_sync(~0u, H_last[c], 1, LANES) * not_first;
                F_above[c] = __shfl_up_sync(~0u, F_last[c], 1, LANES) * not_first;
            }
        }
        if (v.above != 0 && lane == 0 && now.words > lag) {
            const uint4 a = v.edge[2 * (size_t)now.word], b = v.edge[2 * (size_t)now.word + 1];
            H_above[0] = a.x & v.above, H_above[1] = a.y & v.above, H_above[2] = a.z & v.above,
            H_above[3] = a.w & v.above;
            F_above[0] = b.x & v.above, F_above[1] = b.y & v.above, F_above[2] = b.z & v.above,
            F_above[3] = b.w & v.above;
        }

#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const uint32_t *scores = own + (x >> 8 * c & 0xff) * LETTER;
            uint32_t F = F_above[c], diagonal = upper_left, of[4];
            upper_left = H_above[c];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (r % 4 == 0) { // four rows' scores
                    const uint4 four = *(const uint4 *)(scores + r * COPIES);
                    of[0] = four.x, of[1] = four.y, of[2] = four.z, of[3] = four.w;
                }
                const uint32_t matched = bits(__hadd2(floats(diagonal), floats(of[r % 4])));
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

        if (v.below && lane == LANES - 1 && now.number >= 0 && now.words > lag) {
            v.edge[2 * (size_t)now.word] = make_uint4(H_last[0], H_last[1], H_last[2], H_last[3]);
            v.edge[2 * (size_t)now.word + 1] = make_uint4(F_last[0], F_last[1], F_last[2], F_last[3]);
        }
        if (!over) now.word++, now.words--;
        x = next_x;
        __syncwarp(); // all lanes have read the subject that lane 0 overwrites in the next step
    }
}

/* The same cell for pairs of queries of up to 32 rows, all of which each lane has. A shorter query's last rows score below zero. */
template <int ROWS, int OPEN, int EXTEND>
static __global__ void __launch_bounds__(SW_SHORT_THREADS, SW_SHORT_BLOCKS) short_two_queries(sw_short_view v) {
    enum { WORDS = SW_SHORT_WORDS(2, ROWS), LETTER = SW_SHORT_COPIES * WORDS };
    __shared__ __align__(16) uint32_t profile[SW_PROFILE_CODES * LETTER];
    const uint32_t *own = sw_short_profile(&v, WORDS, profile);
    const __half2 minus_open = floats(OPEN ? (0x8000u | OPEN) * 0x10001u : (0x8000u | v.gap_open) * 0x10001u);
    const uint32_t minus_extend =
        EXTEND ? (0x10000u - EXTEND) * 0x10001u : (uint32_t)(0x10000 - v.gap_extend) % 0x10000u * 0x10001u;

    for (unsigned group; (group = sw_short_next(&v)) < v.groups;) {
        const uint32_t *next = v.residues + v.group_start[group] + threadIdx.x % WARP;
        int words = (int)((v.group_start[group + 1] - v.group_start[group]) / WARP);
        uint32_t arrived = words > 0 ? *next : 0;
        uint32_t H[ROWS], E[ROWS], best = 0; // H of column j - 1, E of column j; the first query's in the lower halves
#pragma unroll
        for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;
        for (; words > 0; words--) {
            const uint32_t x = arrived;
            next += WARP;
            if (words > 1) arrived = *next; // while these four columns are computed
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                const uint32_t *scores = own + (x >> 8 * c & 0xff) * LETTER;
                uint32_t F = 0, diagonal = 0, of[4];
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    if (r % 4 == 0) { // four rows' scores
                        const uint4 four = *(const uint4 *)(scores + r * SW_SHORT_COPIES);
                        of[0] = four.x, of[1] = four.y, of[2] = four.z, of[3] = four.w;
                    }
                    const uint32_t matched = r == 0 ? of[0] : bits(__hadd2(floats(diagonal), floats(of[r % 4])));
                    diagonal = H[r];
                    H[r] = __vimax3_s16x2_relu(matched, E[r], F);
                    const uint32_t opened = bits(__hadd2(floats(H[r]), minus_open));
                    E[r] = __viaddmax_s16x2_relu(E[r], minus_extend, opened);
                    F = __viaddmax_s16x2_relu(F, minus_extend, opened);
                    if (r % 2 == 1) best = __vimax3_s16x2(best, H[r - 1], H[r]);
                }
            }
        }
        const unsigned subject = WARP * group + threadIdx.x % WARP;
        if (subject < v.subjects) {
            v.score[0][subject] = best & 0xffff;
            if (v.score[1] != NULL) v.score[1][subject] = best >> 16;
        }
    }
}

typedef void (*two_kernel)(two_view);
/* The kernels for any gap costs. Where a stage is compiled in parts, as by nvcc, they are in
   any_costs.cu: both files are compiled at the same time. */
extern const two_kernel two_queries_any_costs[];
extern const sw_short_kernel short_any_costs[];
#if !defined(WL_IN_PARTS) || defined(ANY_COSTS)
#define ANY(lanes, rows) two_queries<lanes, rows, 0, 0>,
#define SHORT_ANY(rows) short_two_queries<rows, 0, 0>,
const two_kernel two_queries_any_costs[] = {SW_TRACK_SHAPES(ANY)};
const sw_short_kernel short_any_costs[] = {SW_SHORT_ROWS(SHORT_ANY)};
#endif

#ifndef ANY_COSTS
#define BLOSUM62(lanes, rows) two_queries<lanes, rows, 12, 1>,
#define SHORT_BLOSUM62(rows) short_two_queries<rows, 12, 1>,
static const two_kernel two_queries_blosum62[] = {SW_TRACK_SHAPES(BLOSUM62)};
static const sw_short_kernel short_blosum62[] = {SW_SHORT_ROWS(SHORT_BLOSUM62)};

/* The float whose bits are the score's absolute value, with the score's sign. */
static uint16_t as_float(int score) { return (uint16_t)(score < 0 ? 0x8000 | -score : score); }
#define LOWEST_FLOAT 0xFBFF // -65504: no sum with it is above zero, and none is infinite
static int most(const sw_input *) { return MOST; }
static const sw_numbers numbers = {most, as_float, LOWEST_FLOAT};

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const sw_input *in = (const sw_input *)input;
    sw_scan_plan plan;
    const wl_status status = sw_is_short_two_queries(device, in)
                                 ? sw_plan_short(&sw_short_two_queries, device, in, &numbers, &plan)
                                 : sw_plan_tracks(device, in, &numbers, &plan);
    return sw_scan_prepare(status, device, in, &plan, state);
}

/* Track 0 continues the query whose first rows were on track 1: track 1's half of `kept` becomes track 0's half of the edge. */
static __global__ void take_up(const uint32_t *kept, size_t words, uint32_t *edge) { // [words]
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < words; k += (size_t)gridDim.x * blockDim.x)
        edge[k] = (edge[k] & 0xFFFF0000u) | kept[k] >> 16;
}

static wl_status launch_pair(const sw_scan *scan, size_t k, two_kernel kernel, int open, int extend) {
    const sw_state *s = scan->s;
    const sw_track_pair *pair = (const sw_track_pair *)scan->plan.launches + k;
    const sw_shape *shape = &sw_track_shapes[pair->shape];
    const size_t shared = sizeof(uint32_t) * sw_track_profile_words(shape) + sizeof(one_subject) * THREADS;
    size_t groups = THREADS / shape->lanes, wanted = (s->subjects + groups - 1) / groups, blocks = 0;
    WL_TRY(sw_resident_blocks(scan->multiprocessors, kernel, THREADS, shared, &blocks));
    two_view view = {.residues = s->residues,
                     .first_word = s->group_start,
                     .subjects = (unsigned)s->subjects,
                     .profile = scan->profile + pair->profile,
                     .edge = scan->edge,
                     .turn = scan->turn + k,
                     .gap_open = open,
                     .gap_extend = extend};
    for (int t = 0; t < SW_TRACKS; t++) {
        if (pair->half[t].above) view.above |= 0xFFFFu << 16 * t;
        if (pair->half[t].below) view.below = 1;
        view.score[t] = pair->half[t].rows == 0 ? NULL : s->score + pair->half[t].query * s->subjects;
    }
    WL_LAUNCH(kernel, (unsigned)(blocks < wanted ? blocks : wanted), THREADS, shared, view);
    return WL_OK;
}

static wl_status launch(void *state) {
    const sw_scan *scan = (const sw_scan *)state;
    const sw_scoring *scoring = &scan->s->input->scoring;
    const sw_track_pair *pairs = (const sw_track_pair *)scan->plan.launches;
    // A gap that costs more than any score here is never opened, so a larger cost changes nothing.
    const int open = scoring->gap_open < MOST ? scoring->gap_open : MOST;
    const int extend = scoring->gap_extend < MOST ? scoring->gap_extend : MOST;
    const int built_in = open == 12 && extend == 1;
    if (sw_scan_is_short(scan)) return sw_short_scan(scan, built_in ? short_blosum62 : short_any_costs, open, extend);
    const two_kernel *kernels = built_in ? two_queries_blosum62 : two_queries_any_costs;
    if (scan->s->subjects == 0 || scan->s->queries == 0) return WL_OK;
    WL_TRY(sw_scan_clear(scan));
    // An edge has two words of 16 bytes per word of the subjects; the edge that is kept follows the other.
    const size_t words = 2 * scan->s->first_word[scan->s->groups], bytes = sizeof(uint4) * words;
    uint4 *kept = scan->edge == NULL ? NULL : scan->edge + words + 2;
    const unsigned blocks = (unsigned)(8 * scan->multiprocessors);
    for (size_t k = 0; k < scan->plan.kernels; k++) {
        if (pairs[k].takes_up)
            WL_LAUNCH(take_up, blocks, 256, 0, (const uint32_t *)kept, 4 * words, (uint32_t *)scan->edge);
        WL_TRY(launch_pair(scan, k, kernels[pairs[k].shape], open, extend));
        if (pairs[k].leaves) WL_CUDA(cudaMemcpyAsync(kept, scan->edge, bytes, cudaMemcpyDeviceToDevice, 0));
    }
    return sw_scan_finish(scan);
}

WL_VARIANT(.idea = "two queries in a register, whose scores come ready to add", .source = "Warpladder",
           .supports = sw_tracks_supports, .faster = sw_tracks_faster, .prepare = prepare, .launch = launch,
           .collect = sw_scan_collect, .release = sw_scan_release, .cost = sw_cost_dpx)
#endif
