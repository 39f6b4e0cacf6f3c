/* 04_register_band: the band is in registers, and one look-up gives the scores of four rows.

   Idea: a thread's 12 cells belong to it alone, so they need not lie in memory that other threads can see.
   Changed: H and E of the band are local arrays, which the unrolled loop turns into registers. Once per band the block makes a
   query profile: for each letter of the alphabet, the scores of four rows in one word. E is stored as the next column uses
   it, so H - Gopen serves E and F: ten operations per cell instead of eleven, and no packing.
   Expected: one shared request for four cells instead of twelve; arithmetic is the limit.
   Measured at an earlier version: that, counted. 57 registers per thread for sm_90, none spilled. 1.6 times as fast on an H200.
   See: warpladder explain sw/04*; README.md */
#include "sw/kit/narrow.h"

enum { BLOCK = 256, BAND = 12, FOURS = BAND / 4, GROUPS = BLOCK / SW_WARP };

/* The scores of rows first .. first + 3 with letter `code`: one byte per score, the first one lowest. */
static __device__ __forceinline__ uint32_t four_scores(const uint8_t *query, int m, int first, int code,
                                                       const int *matrix) {
    uint32_t scores = 0;
    for (int r = 0; r < 4; r++) {
        int row = first + r < m ? query[first + r] : SW_END;
        scores |= ((uint32_t)matrix[row * SW_CODES + code] & 0xff) << 8 * r;
    }
    return scores;
}

static __global__ void __launch_bounds__(BLOCK)
    register_band(const uint8_t *query, int m, // [m]
                  const uint32_t *residues,    // [group][word][SW_WARP], see sw/kit/device.h
                  const uint64_t *group_start, // [groups + 1]
                  size_t first,                // the launch's first group: a warp takes one
                  const int *matrix,           // [SW_CODES][SW_CODES]
                  int Gopen, int Gext,
                  uint32_t *edges, // [group][column][SW_WARP]: H and F of the row above the band
                  size_t first_pair, size_t subjects, int most, int *scores, unsigned long long *flagged) {
    // Letters are side by side, not rows: equal letters load one word, different letters use different banks.
    __shared__ uint32_t profile[FOURS][SW_CODES];
    const int thread = threadIdx.x, lane = thread % SW_WARP;
    const size_t group = first + (size_t)blockIdx.x * GROUPS + thread / SW_WARP;
    const size_t subject = group * SW_WARP + lane;
    // A thread without a subject has no columns, but takes part in the barriers.
    const uint64_t start = group_start[subject < subjects ? group : first];
    const int words = subject < subjects ? (int)((group_start[group + 1] - start) / SW_WARP) : 0;
    const uint32_t *db = residues + start + lane;
    uint32_t *Global_HF = edges + 4 * (start - group_start[first]) + lane;

    int best = 0;
    for (int band = 0; band < m; band += BAND) {
        __syncthreads(); // no thread loads from the last band's profile any more
        for (int k = thread; k < FOURS * SW_CODES; k += BLOCK)
            profile[k / SW_CODES][k % SW_CODES] = four_scores(query, m, band + k / SW_CODES * 4, k % SW_CODES, matrix);
        __syncthreads();
        int H[BAND], E[BAND], H_init = 0; // H of column j - 1, E of column j
#pragma unroll
        for (int k = 0; k < BAND; k++) H[k] = E[k] = 0;
        for (int w = 0; w < words; w++) {
            uint32_t residue = db[(size_t)w * SW_WARP];
            for (size_t j = 4 * (size_t)w; j < 4 * (size_t)w + 4; j++, residue >>= 8) {
                const int code = residue & (SW_CODES - 1);
                const uint32_t above = band > 0 ? Global_HF[j * SW_WARP] : 0;
                int H_up = sw_low(above), H_upleft = H_init;
                int F = max(sw_high(above) - Gext, H_up - Gopen); // of row k
                H_init = H_up;
#pragma unroll
                for (int f = 0; f < FOURS; f++) {
                    const uint32_t four = profile[f][code];
#pragma unroll
                    for (int k = 4 * f; k < 4 * f + 4; k++) {
                        const int A = (int8_t)(four >> 8 * (k % 4));
                        H_up = max(max(H_upleft + A, 0), max(E[k], F));
                        best = max(best, H_up);
                        E[k] = max(E[k] - Gext, H_up - Gopen);
                        if (k < BAND - 1) F = max(F - Gext, H_up - Gopen); // the next band computes the last row's
                        H_upleft = H[k];
                        H[k] = H_up;
                    }
                }
                if (band + BAND < m) Global_HF[j * SW_WARP] = sw_halves(H_up, F);
            }
        }
    }
    if (subject < subjects) sw_put(best, most, first_pair + subject, scores, flagged);
}

static sw_plan plan_of(const sw_input *) {
    return (sw_plan){.lanes = SW_WARP,
                     .most = INT16_MAX,
                     .block = BLOCK,
                     .bytes_a_residue = sizeof(uint32_t),
                     .groups_a_block = GROUPS};
}

static void launch(const sw_state *s, size_t q, size_t first, size_t, unsigned blocks) {
    const sw_scoring *scoring = &s->input->scoring;
    register_band<<<blocks, BLOCK>>>(sw_query(s, q), sw_query_length(s, q), s->residues, s->group_start, first,
                                     s->matrix, scoring->gap_open, scoring->gap_extend, (uint32_t *)s->work,
                                     q * s->subjects, s->subjects, s->most, s->score, s->flagged);
}

SW_NARROW_STAGE(plan_of, .idea = "the band in registers, a query profile in shared memory",
                .launch = sw_launch<plan_of, launch>)
