/* 03_shared_band: the paper's kernel. Bands of 12 rows, whose H and E stay in shared memory.

   Idea: a thread crosses the table in horizontal bands (the paper's Figure 1). From the column before it needs only H and E
   of the band's 12 cells, and 12 words per thread fit into shared memory.
   Changed: columns of 12 cells instead of the whole query. Global memory is used only at a band's upper and lower edge: one
   integer per column, which holds H and F as half-words (Figure 3). A block has 256 threads.
   Expected: 8 bytes for 12 cells. By its memory the paper's card could do 96 GCUPS, by its arithmetic 12.
   Measured at an earlier version: 0.72 bytes per cell, counted, a twelfth of stage 02's. Three shared requests per cell, none with a bank
   conflict. 1.3 times as fast on an H200 with 20,000 subjects, which are too few warps to reach a limit.
   See: warpladder explain sw/03*; README.md */
#include "sw/kit/narrow.h"

enum { BLOCK = 256, BAND = 12, GROUPS = BLOCK / SW_WARP };

/* Names as in the paper's Figure 2. The paper multiplies for each cell's row[k]; its listing has no `best`, and loads and
   stores the edges of all bands. */
static __global__ void __launch_bounds__(BLOCK)
    shared_band(const uint8_t *query, int m, // [m]
                const uint32_t *residues,    // [group][word][SW_WARP], see sw/kit/device.h
                const uint64_t *group_start, // [groups + 1]
                size_t first,                // the launch's first group: a warp takes one
                const int *matrix,           // [SW_CODES][SW_CODES]
                int Gopen, int Gext,
                uint32_t *edges, // [group][column][SW_WARP]: H and F of the row above the band
                size_t first_pair, size_t subjects, int most, int *scores, unsigned long long *flagged) {
    __shared__ int similarity[SW_CODES * SW_CODES];
    __shared__ uint32_t Shared_HE[BAND][BLOCK]; // a thread's own cells: no barrier is needed
    const int thread = threadIdx.x, lane = thread % SW_WARP;
    const size_t group = first + (size_t)blockIdx.x * GROUPS + thread / SW_WARP;
    const size_t subject = group * SW_WARP + lane;
    // A thread without a subject has no columns, but takes part in the barrier.
    const uint64_t start = group_start[subject < subjects ? group : first];
    const int words = subject < subjects ? (int)((group_start[group + 1] - start) / SW_WARP) : 0;
    const uint32_t *db = residues + start + lane;
    uint32_t *Global_HF = edges + 4 * (start - group_start[first]) + lane;
    for (int k = thread; k < SW_CODES * SW_CODES; k += BLOCK) similarity[k] = matrix[k];
    __syncthreads();

    int best = 0;
    for (int band = 0; band < m; band += BAND) {
        int row[BAND]; // of the similarity matrix
#pragma unroll
        for (int k = 0; k < BAND; k++) {
            row[k] = (band + k < m ? query[band + k] : SW_END) * SW_CODES;
            Shared_HE[k][thread] = 0;
        }
        int H_init = 0;
        for (int w = 0; w < words; w++) {
            uint32_t residue = db[(size_t)w * SW_WARP]; // four columns' residues, the next one's lowest
            for (size_t j = 4 * (size_t)w; j < 4 * (size_t)w + 4; j++, residue >>= 8) {
                const int code = residue & (SW_CODES - 1);
                const uint32_t above = band > 0 ? Global_HF[j * SW_WARP] : 0;
                int H_up = sw_low(above), F_up = sw_high(above), H_upleft = H_init;
                H_init = H_up;
                // BEGIN SOLUTION: the band's cells of this column: H and E of the column before lie in Shared_HE
#pragma unroll
                for (int k = 0; k < BAND; k++) {
                    const int A = similarity[row[k] + code];
                    const uint32_t left = Shared_HE[k][thread];
                    const int H_left = sw_low(left), E_left = sw_high(left);
                    const int E = max(E_left - Gext, H_left - Gopen);
                    const int F = max(F_up - Gext, H_up - Gopen);
                    const int H = max(max(max(0, E), F), H_upleft + A);
                    Shared_HE[k][thread] = sw_halves(H, E);
                    best = max(best, H);
                    H_upleft = H_left;
                    H_up = H;
                    F_up = F;
                }
                // END SOLUTION
                if (band + BAND < m) Global_HF[j * SW_WARP] = sw_halves(H_up, F_up);
                // The next column must load what this one stored. Without this, the compiler keeps it in registers: stage 04.
                asm volatile("" ::: "memory");
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
    shared_band<<<blocks, BLOCK>>>(sw_query(s, q), sw_query_length(s, q), s->residues, s->group_start, first, s->matrix,
                                   scoring->gap_open, scoring->gap_extend, (uint32_t *)s->work, q * s->subjects,
                                   s->subjects, s->most, s->score, s->flagged);
}

SW_NARROW_STAGE(plan_of, .idea = "bands of 12 rows, H and E in shared memory",
                .source = "Ligowski & Rudnicki 2009, section II.3", .launch = sw_launch<plan_of, launch>)
