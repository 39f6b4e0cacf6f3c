/* 10_one_pair: the warps of the whole device work on one pair, each some columns after the one above.

   Idea: with few pairs, stages 06 to 09 leave the device idle, because one group of lanes computes a pair's bands one after another.
   Here each band has its own warp. A warp writes the last row of its band to global memory, and the next band's warp follows it.
   Changed: numbers of 32 bits, so no score is too large. A warp has the profile of its own band, one byte per score.
   Expected: 35,000 x 100,000 letters in 3 to 4 ms, where stage 09 takes a second.
   Measured at an earlier version: 5.1 ms on an H200, because a step of a warp takes 200 clock cycles instead of 105; stage 09 takes 0.78 s.
   See: warpladder run sw/10* --subjects 1 --subject-length 100000 --query-lengths 35000 */
#include "sw/10_one_pair/edge.h"
#include "sw/10_one_pair/state.h"
#include "sw/kit/blocks.h"
#include "sw/plan/bands.h"

enum { WARPS = 4, THREADS = WARPS * SW_WARP, WORD = 4 };

/* What the kernel needs to know of its launch: rows first_row .. end_row - 1 with `column_count` columns' sequences. */
typedef struct {
    const uint32_t *row_letters, *column_letters; // [word], four letters each
    const sw_one_sequence *rows, *columns;        // [row_count + 1], [column_count + 1]
    unsigned first_row, end_row, column_count;
    uint64_t words;        // of all columns' letters
    const uint8_t *scores; // [SW_CODES][SW_CODES]
    int gap_open, gap_extend;
    ulonglong2 *edge;         // [end_row - first_row][words][2]
    unsigned long long *turn; // bands handed out
    int *score;               // the pair's is score[row * row_pitch + column * column_pitch]
    size_t row_pitch, column_pitch;
} one_view;

/* A band of a pair. */
typedef struct {
    sw_one_sequence row, column;
    ulonglong2 *edge;
    unsigned band, bands;
} one_band;

/* Bands are handed out in order, so the band above belongs to a warp that runs, or has ended: no warp waits for one that never
   begins. */
static __device__ bool take_band(const one_view *v, int lane, one_band *b) {
    unsigned long long n = lane == 0 ? atomicAdd(v->turn, 1ull) : 0;
    n = __shfl_sync(~0u, n, 0);
    const uint64_t base = v->rows[v->first_row].before,
                   band = base + n / v->column_count; // of the first column's pairs
    if (band >= v->rows[v->end_row].before) return false;
    unsigned low = v->first_row, high = v->end_row; // the sequence with this band
    while (high - low > 1) {
        const unsigned middle = low + (high - low) / 2;
        if (v->rows[middle].before <= band)
            low = middle;
        else
            high = middle;
    }
    b->row = v->rows[low];
    b->bands = (unsigned)(v->rows[low + 1].before - b->row.before);
    n -= (b->row.before - base) * v->column_count; // among the bands of this sequence's pairs
    b->column = v->columns[n / b->bands];
    b->band = (unsigned)(n % b->bands);
    b->edge = v->edge + 2 * ((low - v->first_row) * v->words + (b->column.before - v->columns[0].before));
    return true;
}

/* A lane's scores: [SW_PROFILE_CODES][SW_WARP][ROWS] bytes for the warp. */
template <int ROWS>
static __device__ __forceinline__ void fill_profile(const one_view *v, const one_band *b, int lane, uint32_t *profile) {
    uint32_t letters[ROWS / 4];
#pragma unroll
    for (int k = 0; k < ROWS / 4; k++) {
        const uint32_t word = (b->band * SW_WARP + lane) * (ROWS / 4) + k;
        letters[k] = 4 * word < b->row.length ? v->row_letters[b->row.word + word] : SW_ENDS_WORD;
    }
    for (int code = 0; code < SW_PROFILE_CODES; code++) {
#pragma unroll
        for (int k = 0; k < ROWS / 4; k++) {
            uint32_t four = 0;
            for (int c = 0; c < 4; c++)
                four |= (uint32_t)v->scores[code * SW_CODES + (letters[k] >> 8 * c & 0xff)] << 8 * c;
            profile[(code * SW_WARP + lane) * (ROWS / 4) + k] = four;
        }
    }
}

/* The scores of a lane's rows with one letter, in one load. */
template <int ROWS> struct row_scores;
template <> struct row_scores<4> { typedef uint32_t type; };
template <> struct row_scores<8> { typedef uint2 type; };
template <> struct row_scores<16> { typedef uint4 type; };

/* The next row's F, and the cell's H and E in place. Two ways to compute the same: the first has one instruction less. In the second,
   F needs only the F before it, not this row's H, so a warp that has its scheduler to itself waits less. */
template <bool HAS_COMPANY>
static __device__ __forceinline__ int compute_cell(int matched, int minus_open, int minus_extend, int *H, int *E,
                                                   int F) {
    if (HAS_COMPANY) {
        *H = __vimax3_s32_relu(matched, *E, F);
        const int opened = *H + minus_open;
        *E = __viaddmax_s32(*E, minus_extend, opened);
        return __viaddmax_s32(F, minus_extend, opened);
    }
    const int without_F = __vimax_s32_relu(matched, *E);
    *H = max(without_F, F);
    *E = __viaddmax_s32(*E, minus_extend, *H + minus_open);
    return __viaddmax_s32(F, minus_extend,
                          without_F + minus_open); // F + minus_open is never more than F + minus_extend
}

/* Computes a band; returns the best score of the lane's cells. Lane l works one column after lane l - 1. */
template <int ROWS, bool HAS_COMPANY>
static __device__ __forceinline__ int compute_band(const one_view *v, const one_band *b, int lane,
                                                   const uint32_t *profile) {
    typedef typename row_scores<ROWS>::type scores_type;
    enum { LATER = SW_WARP / WORD }; // words after lane 0, the last lane has finished a word
    const uint32_t *letters = v->column_letters + b->column.word;
    const int words = (int)((b->column.length + WORD - 1) / WORD);
    const bool loads = lane == 0 && b->band > 0, stores = lane == SW_WARP - 1 && b->band + 1 < b->bands;
    const int minus_open = -v->gap_open, minus_extend = -v->gap_extend;
    const scores_type *own = (const scores_type *)profile + lane;

    // Before a lane's first column and after its last one, its letters are SW_END, whose cells do not change the best score.
    int H[ROWS],
        E[ROWS]; // H of column j - 1, E of column j; E may begin at 0, since a value of at most 0 never changes H
    int best = 0, upper_left = 0, H_last[WORD] = {0, 0, 0, 0}, F_last[WORD] = {0, 0, 0, 0}; // of four steps
#pragma unroll
    for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;
    // What is loaded is used a step later, or in lane 0 a word later.
    uint32_t mine = lane == 0 ? letters[0] : SW_ENDS_WORD, word = mine,
             next_word = words > 1 ? letters[1] : SW_ENDS_WORD;
    scores_type next_scores = own[(mine & 0xff) * SW_WARP];
    one_edge next_edge = {};
    one_load(&next_edge, b->edge, loads);

    for (int w = 0; w < words + LATER; w++) { // lane 0's word
        const bool has_edge = loads && w < words;
        while (__any_sync(~0u, has_edge && !one_is_for(&next_edge, b->band)))
            one_load(&next_edge, b->edge + 2 * (size_t)w, has_edge);
        const one_edge edge = next_edge;
        one_load(&next_edge, b->edge + 2 * (size_t)(w + 1), loads && w + 1 < words);
        const uint32_t after_next = w + 2 < words ? letters[w + 2] : SW_ENDS_WORD;
#pragma unroll
        for (int step = 0; step < WORD; step++) {
            const unsigned long long above = step % 2 == 0 ? edge.of[step / 2].x : edge.of[step / 2].y;
            const int before = (step + WORD - 1) % WORD;
            int H_above = __shfl_up_sync(~0u, H_last[before], 1), F = __shfl_up_sync(~0u, F_last[before], 1);
            if (lane == 0) H_above = one_H(above), F = one_F(above);
            const scores_type scores = next_scores;
            mine = __shfl_up_sync(~0u, mine, 1);
            if (lane == 0) mine = step + 1 < WORD ? word >> 8 * (step + 1) : next_word;
            next_scores = own[(mine & 0xff) * SW_WARP];
            int diagonal = upper_left;
            upper_left = H_above;
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                // A dot product with 1 at the score's byte and 0 at the others adds this score.
                const int four = (int)((const uint32_t *)&scores)[r / 4];
                const int matched = __dp4a(four, 1 << 8 * (r % 4), diagonal);
                diagonal = H[r];
                F = compute_cell<HAS_COMPANY>(matched, minus_open, minus_extend, &H[r], &E[r], F);
                if (r % 2 == 1) best = __vimax3_s32(best, H[r - 1], H[r]);
            }
            H_last[step] = H[ROWS - 1];
            F_last[step] = F;
            // The last lane is 31 steps after lane 0, so its words begin in step 3 and end in step 2.
            const int done = w - LATER;
            if (step == WORD - 2)
                one_store(b->edge + 2 * (size_t)done, H_last, F_last, WORD - 1, b->band + 1, stores && done >= 0);
        }
        word = next_word;
        next_word = after_next;
    }
    return best;
}

template <int ROWS, bool HAS_COMPANY> static __global__ void __launch_bounds__(THREADS) one_pair(one_view v) {
    enum { PROFILE = SW_PROFILE_CODES * SW_WARP * ROWS / 4 };
    extern __shared__ __align__(16) uint32_t profiles[]; // [WARPS][PROFILE]
    const int lane = threadIdx.x % SW_WARP;
    uint32_t *profile = profiles + threadIdx.x / SW_WARP * PROFILE;
    one_band band;
    while (take_band(&v, lane, &band)) {
        fill_profile<ROWS>(&v, &band, lane, profile);
        __syncwarp();
        int best = compute_band<ROWS, HAS_COMPANY>(&v, &band, lane, profile);
        for (int lag = SW_WARP / 2; lag > 0; lag /= 2) best = max(best, __shfl_xor_sync(~0u, best, lag));
        if (lane == 0 && best > 0)
            atomicMax(&v.score[band.row.number * v.row_pitch + band.column.number * v.column_pitch], best);
        __syncwarp(); // all lanes have read the profile
    }
}

/* --- Launches ---------------------------------------------------------------------------------------------------- */

static void (*const kernels[SW_ONE_HEIGHTS])(one_view) = {one_pair<4, false>, one_pair<8, false>, one_pair<16, true>};

/* One launch: rows first_row .. end_row - 1 with columns first .. end - 1. */
static wl_status launch_part(const one_state *one, size_t first_row, size_t end_row, size_t first, size_t end) {
    const sw_state *s = one->s;
    const sw_one_plan *plan = &one->plan;
    const int height = plan->height, by_query = plan->rows_are_queries;
    const size_t shared = (size_t)WARPS * SW_PROFILE_CODES * sw_one_band_rows(height);
    const uint64_t bands = (plan->rows[end_row].before - plan->rows[first_row].before) * (end - first);
    const uint64_t words = plan->columns[end].before - plan->columns[first].before;
    const uint32_t *queries = (const uint32_t *)s->query;
    const one_view view = {.row_letters = by_query ? queries : s->residues,
                           .column_letters = by_query ? s->residues : queries,
                           .rows = one->rows,
                           .columns = one->columns + first,
                           .first_row = (unsigned)first_row,
                           .end_row = (unsigned)end_row,
                           .column_count = (unsigned)(end - first),
                           .words = words,
                           .scores = one->scores,
                           .gap_open = s->input->scoring.gap_open,
                           .gap_extend = s->input->scoring.gap_extend,
                           .edge = one->edge,
                           .turn = one->turn,
                           .score = s->score,
                           .row_pitch = by_query ? s->subjects : 1,
                           .column_pitch = by_query ? 1 : s->subjects};
    size_t blocks = 0, wanted = (size_t)((bands + WARPS - 1) / WARPS);
    WL_TRY(sw_resident_blocks(one->multiprocessors, kernels[height], THREADS, shared, &blocks));
    WL_CUDA(cudaMemsetAsync(one->turn, 0, sizeof *one->turn));
    WL_CUDA(cudaMemsetAsync(one->edge, 0, SW_ONE_EDGE_BYTES * plan->edge_words));
    WL_LAUNCH(kernels[height], (unsigned)(blocks < wanted ? blocks : wanted), THREADS, shared, view);
    return WL_OK;
}

/* The edges of all pairs may need more memory than there is. Then a launch has some of the columns' sequences, with some of the rows'. */
static wl_status launch(void *state) {
    const one_state *one = (const one_state *)state;
    const sw_one_plan *plan = &one->plan;
    const size_t rows = plan->row_count, columns = plan->column_count;
    const sw_one_sequence *column = plan->columns;
    if (rows == 0 || columns == 0) return WL_OK;
    WL_CUDA(cudaMemsetAsync(one->s->score, 0, sizeof(int) * rows * columns));
    for (size_t first = 0, end; first < columns; first = end) {
        end = plan->several > 0 ? first + 1 : columns;
        while (end < columns && column[end + 1].before - column[first].before <= plan->edge_words) end++;
        const size_t fit = plan->edge_words / (column[end].before - column[first].before);
        for (size_t row = 0, end_row; row < rows; row = end_row) {
            end_row = row + fit < plan->several ? row + fit : rows;
            WL_TRY(launch_part(one, row, end_row, first, end));
        }
    }
    return WL_OK;
}

WL_VARIANT(.idea = "the bands of one pair follow each other through the whole device", .source = "Warpladder",
           .supports = sw_one_supports, .faster = sw_one_faster, .share = sw_one_share, .prepare = one_prepare,
           .launch = launch, .collect = one_collect, .release = one_release, .cost = sw_cost)
