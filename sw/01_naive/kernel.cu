/* 01_naive: one thread per pair; every H, E and F is a 4-byte integer in global memory.

   Idea: all pairs are independent, so each thread takes a query and a subject and computes the recurrence as it is written.
   A cell loads six numbers and stores three, the paper's 36 bytes. Column j depends only on column j - 1, so two columns of H
   and one of E and F suffice.
   Changed: this is the first stage.
   Expected: memory limits it. The paper's card, with 64 GB/s, could do 64 / 36 = 1.8 GCUPS.
   Measured: 36 bytes per cell, counted: 32 for H, E and F, 3 for the matrix (a warp loads from one row, three sectors) and 1
   for the query's residue. Neighbouring threads have neighbouring elements, so all bytes of a sector are used.
   See: warpladder explain sw; warpladder run sw */
#include "sw/kit/stage.h"

enum { BLOCK = 128 };

static __global__ void naive(const uint8_t *query, int m,             // [m]
                             const uint32_t *residues,                // [group][word][SW_WARP], see sw/kit/device.h
                             const uint64_t *group_start,             // [groups + 1]
                             const uint32_t *length, size_t subjects, // [subjects]
                             const int *A,                            // [SW_CODES][SW_CODES]
                             int gap_open, int gap_extend,
                             // volatile: the compiler must do each access written here. Otherwise it keeps in registers
                             // what the cell before stored, which is the idea of the next stages.
                             volatile int *H, // [2][m + 1][threads]: the columns with j odd, and those with j even
                             volatile int *E, // [m + 1][threads]
                             volatile int *F, // [m + 1][threads]
                             int *score) {    // [subjects]
    const size_t thread = (size_t)blockIdx.x * BLOCK + threadIdx.x, threads = (size_t)gridDim.x * BLOCK;
    const size_t column = (m + 1) * threads;
    for (size_t s = thread; s < subjects; s += threads) {
        const uint32_t *word = residues + group_start[s / SW_WARP] + s % SW_WARP;
        const int n = (int)length[s];
        // Row 0 and column 0. E and F may begin at 0 instead of minus infinity: a value of at most 0 never changes H.
        for (int i = 0; i <= m; i++) H[i * threads + thread] = E[i * threads + thread] = 0;
        H[column + thread] = F[thread] = 0;
        int best = 0;
        for (int j = 0; j < n; j++) {
            const int code = word[(size_t)(j / 4) * SW_WARP] >> 8 * (j % 4) & (SW_CODES - 1);
            volatile int *H_left = H + j % 2 * column + thread, *H_now = H + (j + 1) % 2 * column + thread;
            for (int i = 1; i <= m; i++) {
                const size_t here = i * threads, above = here - threads;
                int e = max(E[here + thread] - gap_extend, H_left[here] - gap_open);
                int f = max(F[above + thread] - gap_extend, H_now[above] - gap_open);
                int h = max(max(0, H_left[above] + A[query[i - 1] * SW_CODES + code]), max(e, f));
                E[here + thread] = e;
                F[here + thread] = f;
                H_now[here] = h;
                best = max(best, h);
            }
        }
        score[s] = best;
    }
}

/* Each thread has two columns of H, one of E and one of F. */
static sw_plan plan_of(const sw_input *in) {
    return (sw_plan){.lanes = SW_WARP,
                     .most = INT32_MAX,
                     .block = BLOCK,
                     .bytes_a_thread = 4 * sizeof(int) * ((size_t)in->queries.longest + 1)};
}

static wl_status launch(void *state) {
    sw_state *s = (sw_state *)state;
    const sw_scoring *scoring = &s->input->scoring;
    const size_t threads = (size_t)s->blocks * BLOCK;
    for (size_t q = 0; q < s->queries && s->blocks > 0; q++) {
        const int m = sw_query_length(s, q);
        int *H = (int *)s->work, *E = H + 2 * (m + 1) * threads, *F = E + (m + 1) * threads;
        naive<<<s->blocks, BLOCK>>>(sw_query(s, q), m, s->residues, s->group_start, s->length, s->subjects, s->matrix,
                                    scoring->gap_open, scoring->gap_extend, H, E, F, s->score + q * s->subjects);
        WL_LAUNCHED();
    }
    return WL_OK;
}

SW_STAGE(plan_of, .idea = "one thread per pair; H, E and F in global memory",
         .source = "Ligowski & Rudnicki 2009, section II.2", .launch = launch)
