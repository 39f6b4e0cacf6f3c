/* 06_registers: a block's row and its sites in registers.

   Idea: the paper keeps a block's row in shared memory. A thread of its card could have 63 registers. Today's threads have 255,
   and registers need no load, no store and no address.
   Changed: S and the sites of a block's columns are arrays in registers, which unrolled loops make possible. A block has 24
   columns instead of 12, so its edge, S and D in global memory, is passed on half as often. A site is a whole word again, so
   proteins work too.
   Expected: no shared requests, where there were two per cell, and 16 / 24 bytes per cell instead of 16 / 12.
   Measured at an earlier version: both as expected, counted; 1.2 times as fast on an H200.
   See: warpladder explain papara/05* papara/06*; README.md */
#include "papara/kit/blocks.h"
#include "papara/kit/layout.h"

enum { COLUMNS = 24 };

static __global__ void __launch_bounds__(PAPARA_THREADS)
    registers(const papara_task task, // task.site: [group][sites][width]
              size_t first,           // the launch's first block
              char *work, size_t stride) {
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
        int row[COLUMNS];                                                  // S[..][j - 1], then S[..][j]
        uint32_t site[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            row[c] = 0;
            site[c] = A[(size_t)(from + c) * width];
        }
        int corner = 0;
        for (int j = 1; j <= m; j++) {
            const uint32_t B = task.sets[pair.B[j - 1]];
            const int2 left = edge[(j - 1) * width];
            int S = left.x, D = left.y, diagonal = corner;
            corner = left.x;
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                const int above = row[c];
                row[c] = S = papara_cell_at(&task.penalties, site[c], B, diagonal, above, S, &D);
                diagonal = above;
            }
            edge[(j - 1) * width] = make_int2(S, D);
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) best = min(best, row[c]);
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
    registers<<<blocks, s->task.width>>>(s->task, first, (char *)s->work, stride);
}

PAPARA_STAGE(plan, .idea = "a block's row and its sites in registers", .launch = papara_launch<launch>)
