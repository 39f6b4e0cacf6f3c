/* 02_packed: H and E of four cells are one 128-bit word; F and H of the cell above are in registers.

   Idea: 16 bits hold a score, so H and E of a cell fit into a 32-bit integer, and four cells of a column into the widest word
   that a thread can load. The paper says that Manavski and Valle's program moves such words; H and E in them is our guess.
   Changed: H and F of the cell above, and H on the diagonal, stay in registers. Only what the next column needs goes to
   memory. The similarity matrix is in shared memory.
   Expected: 16 bytes loaded and 16 stored for four cells, 8 bytes per cell. By the paper, its card could do
   4 GCUPS: accesses of 128 bits reach half of the bandwidth.
   Measured at an earlier version: 8.3 bytes per cell, counted: 8, and the residues of query and subject. 4.8 times as fast on an H200.
   See: warpladder explain sw/02*; README.md */
#include "sw/kit/narrow.h"

enum { BLOCK = 128, MOST = INT16_MAX };

static __global__ void packed_column(
    const uint32_t *query, int fours,        // [fours], SW_END after the query's end
    const uint32_t *residues,                // [group][word][SW_WARP]
    const uint64_t *group_start,             // [groups + 1]
    const uint32_t *length, size_t subjects, // [subjects]
    const int *matrix,                       // [SW_CODES][SW_CODES]
    int gap_open, int gap_extend,
    uint4 *column, // [fours][threads]: column j - 1; of each cell H in the lower half of a word, E in the upper
    size_t first_pair, int *scores, unsigned long long *flagged) {
    __shared__ int A[SW_CODES * SW_CODES];
    for (int k = threadIdx.x; k < SW_CODES * SW_CODES; k += BLOCK) A[k] = matrix[k];
    __syncthreads();
    const size_t thread = (size_t)blockIdx.x * BLOCK + threadIdx.x, threads = (size_t)gridDim.x * BLOCK;
    for (size_t s = thread; s < subjects; s += threads) {
        const uint32_t *word = residues + group_start[s / SW_WARP] + s % SW_WARP;
        const int n = (int)length[s];
        for (int k = 0; k < fours; k++) column[k * threads + thread] = make_uint4(0, 0, 0, 0);
        int best = 0;
        for (int j = 0; j < n; j++) {
            const int code = word[(size_t)(j / 4) * SW_WARP] >> 8 * (j % 4) & (SW_CODES - 1);
            int H_up = 0, F = 0, H_diagonal = 0;
            for (int k = 0; k < fours; k++) {
                uint4 left = column[k * threads + thread];
                uint32_t cells[4] = {left.x, left.y, left.z, left.w}, rows = query[k];
#pragma unroll
                for (int r = 0; r < 4; r++) {
                    int E = max(sw_high(cells[r]) - gap_extend, sw_low(cells[r]) - gap_open);
                    F = max(F - gap_extend, H_up - gap_open);
                    int score = A[(rows >> 8 * r & (SW_CODES - 1)) * SW_CODES + code];
                    H_up = max(max(0, H_diagonal + score), max(E, F));
                    H_diagonal = sw_low(cells[r]);
                    cells[r] = sw_halves(H_up, E);
                    best = max(best, H_up);
                }
                column[k * threads + thread] = make_uint4(cells[0], cells[1], cells[2], cells[3]);
            }
        }
        sw_put(best, MOST, first_pair + s, scores, flagged);
    }
}

static int fours_of(uint32_t m) { return (int)((m + 3) / 4); }

static sw_plan plan_of(const sw_input *in) {
    return (sw_plan){.lanes = SW_WARP,
                     .most = MOST,
                     .block = BLOCK,
                     .bytes_a_thread = sizeof(uint4) * fours_of(in->queries.longest)};
}

static wl_status launch(void *state) {
    sw_state *s = (sw_state *)state;
    const sw_scoring *scoring = &s->input->scoring;
    WL_TRY(sw_flag_none(s));
    for (size_t q = 0; q < s->queries && s->blocks > 0; q++) {
        packed_column<<<s->blocks, BLOCK>>>((const uint32_t *)sw_query(s, q), fours_of(sw_query_length(s, q)),
                                            s->residues, s->group_start, s->length, s->subjects, s->matrix,
                                            scoring->gap_open, scoring->gap_extend, (uint4 *)s->work, q * s->subjects,
                                            s->score, s->flagged);
        WL_LAUNCHED();
    }
    return sw_recompute(s);
}

SW_NARROW_STAGE(plan_of, .idea = "four cells' H and E in one 128-bit word",
                .source = "Manavski & Valle 2008, as Ligowski & Rudnicki 2009, section III, describe it",
                .launch = launch)
