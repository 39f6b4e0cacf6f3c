/* 05_two_in_one: each thread has two subjects, one in each half of every register.

   Idea: scores of 16 bits leave half of a register empty. One instruction can add, or choose, in both halves (s16x2).
   Changed: a thread has two subjects. Since compute capability 9.0, DPX instructions add and take a maximum at once, in both
   halves: __viaddmax_s16x2_relu(a, b, c) is max(a + b, c, 0). Older GPUs run the same source, but slower. The profile has
   16-bit scores of two rows; two byte permutations bring both subjects' scores together.
   Expected: 6.5 instructions for two cells. Halves wrap around, so a pair whose score is within the matrix's
   highest of 32,767 is computed again in 32 bits.
   Measured at an earlier version: half the global requests per cell, counted; the same bytes, and twice the loads from the profile. On an H200
   1.1 times as fast with 20,000 subjects, which are too few threads.
   See: warpladder explain sw/05*; README.md */
#include "sw/kit/narrow.h"

enum { BLOCK = 256, BAND = 12, PAIRS = BAND / 2, LANES = 2 * SW_WARP, GROUPS = BLOCK / SW_WARP };

/* Both halves the same. */
static __device__ __forceinline__ uint32_t both(int value) { return sw_halves(value, value); }

/* The scores of rows `first` and first + 1 with letter `code`, the first one in the lower half. */
static __device__ __forceinline__ uint32_t two_scores(const uint8_t *query, int m, int first, int code,
                                                      const int *matrix) {
    int row = first < m ? query[first] : SW_END, next = first + 1 < m ? query[first + 1] : SW_END;
    return sw_halves(matrix[row * SW_CODES + code], matrix[next * SW_CODES + code]);
}

static __global__ void __launch_bounds__(BLOCK)
    two_in_one(const uint8_t *query, int m, // [m]
               const uint32_t *residues,    // [group][word][LANES], see sw/kit/device.h
               const uint64_t *group_start, // [groups + 1]
               size_t first,                // the launch's first group: a warp takes one
               const int *matrix,           // [SW_CODES][SW_CODES]
               int Gopen, int Gext,
               uint2 *edges, // [group][column][SW_WARP]: of the row above the band, both subjects' H, both subjects' F
               size_t first_pair, size_t subjects, int most, int *scores, unsigned long long *flagged) {
    __shared__ uint32_t profile[PAIRS][SW_CODES];
    const uint32_t open = both(Gopen), minus_extend = both(-Gext);
    const int thread = threadIdx.x, lane = thread % SW_WARP;
    const size_t group = first + (size_t)blockIdx.x * GROUPS + thread / SW_WARP;
    const size_t subject = group * LANES + 2 * lane;
    // A thread without a subject has no columns, but takes part in the barriers.
    const uint64_t start = group_start[subject < subjects ? group : first];
    const int words = subject < subjects ? (int)((group_start[group + 1] - start) / LANES) : 0;
    const uint2 *db = (const uint2 *)(residues + start) + lane; // words of subjects 2 lane and 2 lane + 1
    uint2 *Global_HF = edges + 2 * (start - group_start[first]) + lane;

    uint32_t best = 0;
    for (int band = 0; band < m; band += BAND) {
        __syncthreads(); // no thread loads from the last band's profile any more
        for (int k = thread; k < PAIRS * SW_CODES; k += BLOCK)
            profile[k / SW_CODES][k % SW_CODES] = two_scores(query, m, band + k / SW_CODES * 2, k % SW_CODES, matrix);
        __syncthreads();
        uint32_t H[BAND], E[BAND], H_init = 0; // H of column j - 1, E of column j
#pragma unroll
        for (int k = 0; k < BAND; k++) H[k] = E[k] = 0;
        for (int w = 0; w < words; w++) {
            uint2 residue = db[(size_t)w * SW_WARP];
            for (size_t j = 4 * (size_t)w; j < 4 * (size_t)w + 4; j++, residue.x >>= 8, residue.y >>= 8) {
                const int code_x = residue.x & (SW_CODES - 1), code_y = residue.y & (SW_CODES - 1);
                const uint2 above = band > 0 ? Global_HF[j * SW_WARP] : make_uint2(0, 0);
                uint32_t H_up = above.x, H_upleft = H_init;
                uint32_t F = __viaddmax_s16x2(above.y, minus_extend, __vsub2(H_up, open)); // of row k
                H_init = H_up;
#pragma unroll
                for (int k = 0; k < BAND; k += 2) {
                    const uint32_t x = profile[k / 2][code_x], y = profile[k / 2][code_y];
                    // The lower halves of x and y are the scores of row k, the upper halves those of row k + 1.
                    const uint32_t A[2] = {__byte_perm(x, y, 0x5410), __byte_perm(x, y, 0x7632)};
#pragma unroll
                    for (int r = k; r < k + 2; r++) {
                        H_up = __vimax_s16x2_relu(__viaddmax_s16x2_relu(H_upleft, A[r - k], E[r]), F);
                        const uint32_t opened = __vsub2(H_up, open);
                        E[r] = __viaddmax_s16x2(E[r], minus_extend, opened);
                        if (r < BAND - 1) F = __viaddmax_s16x2(F, minus_extend, opened);
                        H_upleft = H[r];
                        H[r] = H_up;
                    }
                    best = __vimax3_s16x2(best, H[k], H[k + 1]);
                }
                if (band + BAND < m) Global_HF[j * SW_WARP] = make_uint2(H_up, F);
            }
        }
    }
    if (subject < subjects) sw_put(sw_low(best), most, first_pair + subject, scores, flagged);
    if (subject + 1 < subjects) sw_put(sw_high(best), most, first_pair + subject + 1, scores, flagged);
}

static sw_plan plan_of(const sw_input *in) {
    return (sw_plan){.lanes = LANES,
                     .most = sw_most_16_bits(in),
                     .block = BLOCK,
                     .bytes_a_residue = sizeof(uint32_t),
                     .groups_a_block = GROUPS};
}

static void launch(const sw_state *s, size_t q, size_t first, size_t, unsigned blocks) {
    const sw_scoring *scoring = &s->input->scoring;
    two_in_one<<<blocks, BLOCK>>>(sw_query(s, q), sw_query_length(s, q), s->residues, s->group_start, first, s->matrix,
                                  scoring->gap_open, scoring->gap_extend, (uint2 *)s->work, q * s->subjects,
                                  s->subjects, s->most, s->score, s->flagged);
}

SW_NARROW_STAGE(plan_of, .idea = "two subjects per thread, a half-word each; DPX instructions",
                .launch = sw_launch<plan_of, launch>, .cost = sw_cost_dpx)
