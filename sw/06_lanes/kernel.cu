/* 06_lanes: the lanes of a warp share a query; rows go from lane to lane by shuffles.

   Idea: a thread that holds 12 rows stores a band's edge every 12 rows. Thirty-two lanes with 16 rows each are a band of 512.
   Lane l works on column j while lane l - 1 works on j + 1, and a shuffle hands it that lane's last row.
   Changed: a warp has two subjects instead of 64. The profile is laid out by lanes: eight lanes that are served together load
   128 consecutive bytes, so there are no bank conflicts, whatever their letters are.
   Expected: 16 bytes of `edges` for 1,024 cells instead of 24; one shared-memory request for 8 rows instead of 2. At both ends
   of each pair and band, some lanes have no work for 31 steps.
   Measured at an earlier version: on an H200 14 times as fast with 20,000 subjects, because 32 times as many warps have work; 2.8 times with 570,000.
   See: warpladder explain sw/06*; README.md */
#include "sw/kit/narrow.h"

enum { BLOCK = 256, WARPS = BLOCK / SW_WARP, ROWS = 16, BAND = SW_WARP * ROWS, CODES = SW_END + 1 };

/* A lane's 16 scores with a letter are two pieces of 16 bytes; a piece lies beside those of the other lanes. */
typedef uint4 profile_of_letter[ROWS / 8][SW_WARP];

static __device__ __forceinline__ int score_of_row(const uint8_t *query, int m, int row, int code, const int *matrix) {
    // No sum with INT16_MIN is above zero, and none wraps around.
    return row < m && code != SW_END ? matrix[query[row] * SW_CODES + code] : INT16_MIN;
}

static __device__ void fill_profile(const uint8_t *query, int m, int band, const int *matrix,
                                    profile_of_letter *profile) {
    for (int k = threadIdx.x; k < CODES * (ROWS / 8) * SW_WARP; k += BLOCK) {
        const int lane = k % SW_WARP, piece = k / SW_WARP % (ROWS / 8), code = k / SW_WARP / (ROWS / 8);
        const int row = band + lane * ROWS + piece * 8;
        uint32_t words[4];
#pragma unroll
        for (int w = 0; w < 4; w++)
            words[w] = sw_halves(score_of_row(query, m, row + 2 * w, code, matrix),
                                 score_of_row(query, m, row + 2 * w + 1, code, matrix));
        profile[code][piece][lane] = make_uint4(words[0], words[1], words[2], words[3]);
    }
}

/* Computes one column of a lane's rows. *H_edge and *F_edge are those of the row above, afterwards of the lane's last row. */
static __device__ __forceinline__ void column(const profile_of_letter *x, const profile_of_letter *y, int lane,
                                              uint32_t open, uint32_t minus_extend, uint32_t *H, uint32_t *E,
                                              uint32_t diagonal, uint32_t *H_edge, uint32_t *F_edge, uint32_t *best) {
    uint32_t F = *F_edge;
#pragma unroll
    for (int piece = 0; piece < ROWS / 8; piece++) {
        const uint4 a = (*x)[piece][lane], b = (*y)[piece][lane];
        const uint32_t of_x[4] = {a.x, a.y, a.z, a.w}, of_y[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const int r = piece * 8 + k;
            const uint32_t A = __byte_perm(of_x[k / 2], of_y[k / 2], k % 2 == 0 ? 0x5410 : 0x7632);
            const uint32_t matched = __vadd2(diagonal, A);
            diagonal = H[r];
            H[r] = __vimax3_s16x2_relu(matched, E[r], F);
            const uint32_t opened = __vsub2(H[r], open);
            E[r] = __viaddmax_s16x2_relu(E[r], minus_extend, opened);
            F = __viaddmax_s16x2_relu(F, minus_extend, opened); // of row r + 1
            if (r % 2 == 1) *best = __vimax3_s16x2(*best, H[r - 1], H[r]);
        }
    }
    *H_edge = H[ROWS - 1];
    *F_edge = F;
}

static __global__ void __launch_bounds__(BLOCK)
    lanes(const uint8_t *query, int m,       // [m]
          const uint32_t *residues,          // [word], subject after subject
          const uint64_t *first_word,        // [subjects + 1]
          size_t first, size_t end,          // this launch's subjects: a warp takes two
          const int *matrix,                 // [SW_CODES][SW_CODES]
          int Gopen, int Gext, uint2 *edges, // [column]: of a band's last row, both subjects' H, both subjects' F
          size_t first_pair, int most, int *scores, unsigned long long *flagged) {
    __shared__ profile_of_letter profile[CODES];
    const int lane = threadIdx.x % SW_WARP;
    const size_t x = first + 2 * ((size_t)blockIdx.x * WARPS + threadIdx.x / SW_WARP), y = x + 1;
    const uint32_t open = sw_halves(Gopen, Gopen), minus_extend = sw_halves(-Gext, -Gext);
    const uint64_t at_x = x < end ? first_word[x] : 0, at_y = y < end ? first_word[y] : 0;
    const int words_x = x < end ? (int)(first_word[x + 1] - at_x) : 0; // the longer
    const int words_y = y < end ? (int)(first_word[y + 1] - at_y) : 0;
    uint2 *edge = edges + 4 * (at_x - (x < end ? first_word[first] : 0));

    uint32_t best = 0;
    for (int band = 0; band < m; band += BAND) {
        __syncthreads(); // no thread loads from the last band's profile any more
        fill_profile(query, m, band, matrix, profile);
        __syncthreads();
        uint32_t H[ROWS], E[ROWS], H_edge = 0, F_edge = 0, upper_left = 0; // H of column j - 1, E of column j
#pragma unroll
        for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;
        for (int step = 0; step < 4 * words_x + SW_WARP - 1 && words_x > 0; step++) {
            const int j = step - lane;
            uint32_t H_above = __shfl_up_sync(~0u, H_edge, 1), F_above = __shfl_up_sync(~0u, F_edge, 1);
            __syncwarp(); // lane 31 overwrites in `edges` what lane 0 loaded 31 steps before
            if (j < 0 || j >= 4 * words_x) continue;
            if (lane == 0) {
                const uint2 above = band > 0 ? edge[j] : make_uint2(0, 0);
                H_above = above.x, F_above = above.y;
            }
            const uint32_t four_x = residues[at_x + j / 4];
            const uint32_t four_y = j / 4 < words_y ? residues[at_y + j / 4] : SW_ENDS_WORD;
            const uint32_t diagonal = upper_left;
            upper_left = H_above;
            H_edge = H_above, F_edge = F_above;
            column(&profile[four_x >> 8 * (j % 4) & 0xff], &profile[four_y >> 8 * (j % 4) & 0xff], lane, open,
                   minus_extend, H, E, diagonal, &H_edge, &F_edge, &best);
            if (lane == SW_WARP - 1 && band + BAND < m) edge[j] = make_uint2(H_edge, F_edge);
        }
    }
    for (int lag = SW_WARP / 2; lag > 0; lag /= 2) best = __vmaxs2(best, __shfl_xor_sync(~0u, best, lag));
    if (lane == 0 && x < end) sw_put(sw_low(best), most, first_pair + x, scores, flagged);
    if (lane == 0 && y < end) sw_put(sw_high(best), most, first_pair + y, scores, flagged);
}

static sw_plan plan_of(const sw_input *in) {
    return (sw_plan){.lanes = 1,
                     .most = sw_most_16_bits(in),
                     .block = BLOCK,
                     .bytes_a_residue = sizeof(uint2),
                     .groups_a_block = 2 * WARPS};
}

static void launch(const sw_state *s, size_t q, size_t first, size_t end, unsigned blocks) {
    const sw_scoring *scoring = &s->input->scoring;
    lanes<<<blocks, BLOCK>>>(sw_query(s, q), sw_query_length(s, q), s->residues, s->group_start, first, end, s->matrix,
                             scoring->gap_open, scoring->gap_extend, (uint2 *)s->work, q * s->subjects, s->most,
                             s->score, s->flagged);
}

SW_NARROW_STAGE(plan_of, .idea = "a query's rows over the lanes of a warp; shuffles; conflict-free scores",
                .launch = sw_launch<plan_of, launch>, .cost = sw_cost_dpx)
