/* 04_unrolled: the innermost loop is gone. Twelve columns, twelve copies of the cell.

   Idea: a loop costs instructions that compute nothing: a counter, a comparison, a branch and three addresses for each cell. In
   the paper they used up what shared memory had gained.
   Changed: the loop over a block's columns is unrolled. Their number is fixed, so addresses in shared memory become constants.
   Expected: fewer instructions per cell, and twelve loads of sites under way at a time instead of one. The counters of the
   simulated device must not change.
   Measured at an earlier version: all counters are the same. nvcc makes 16.8 instructions per cell instead of 35; 1.6 times as fast on an H200.
   See: warpladder run papara/03* papara/04*; README.md */
#include "papara/kit/blocks.h"
#include "papara/kit/layout.h"

enum { COLUMNS = 12 };

static __global__ void __launch_bounds__(PAPARA_THREADS)
    unrolled(const papara_task task, // task.site: [group][sites][width]
             size_t first,           // the launch's first block
             char *work, size_t stride) {
    __shared__ int row[COLUMNS][PAPARA_THREADS]; // S[..][j - 1], then S[..][j]. A thread's own: no barrier is needed
    const papara_pair pair = papara_pair_of(&task, first + blockIdx.x);
    if (pair.vector >= task.vectors) return;
    const int thread = threadIdx.x, m = pair.m, n = (int)task.sites;
    const size_t width = task.width;
    int2 *edge = (int2 *)(work + stride * blockIdx.x) + thread;      // [m][width]: S and D left of the block
    int *square = (int *)(edge - thread + m * width) + thread;       // [..][width], see papara_square
    const uint32_t *A = task.site + pair.group * n * width + thread; // [sites][width]
    const papara_parts parts = papara_parts_of(m, n, COLUMNS, 1);

    int best = papara_square(&task, &pair, A, 1, parts.first, square, edge);
    for (int from = parts.first; from + 1 < parts.last; from += COLUMNS) { // columns from + 1 .. from + COLUMNS
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) row[c][thread] = 0;
        int corner = 0;
        for (int j = 1; j <= m; j++) {
            // Makes each row load what the row before stored. Otherwise S stays in registers, which is stage 06's step.
            asm volatile("" ::: "memory");
            const uint32_t B = task.sets[pair.B[j - 1]];
            const int2 left = edge[(j - 1) * width];
            int S = left.x, D = left.y, diagonal = corner;
            corner = left.x;
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                const int above = row[c][thread];
                S = papara_cell_at(&task.penalties, A[(size_t)(from + c) * width], B, diagonal, above, S, &D);
                row[c][thread] = S;
                diagonal = above;
            }
            edge[(j - 1) * width] = make_int2(S, D);
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) best = min(best, row[c][thread]);
    }
    if (parts.last <= n)
        best =
            min(best, papara_square(&task, &pair, A + (size_t)(parts.last - 1) * width, parts.last, n, square, edge));
    task.score[pair.read * task.vectors + pair.vector] = best;
}

static const papara_plan plan = {
    .widest = PAPARA_THREADS,
    .site_bytes = papara_by_site_bytes,
    .pack = papara_by_site,
    .work_bytes = papara_square_bytes<COLUMNS>,
};

static void launch(const papara_state *s, size_t first, unsigned blocks, size_t stride) {
    unrolled<<<blocks, s->task.width>>>(s->task, first, (char *)s->work, stride);
}

PAPARA_STAGE(plan, .idea = "the loop over a block's 12 columns unrolled",
             .source = "Alachiotis et al. 2012, Loop unrolling", .launch = papara_launch<launch>)
