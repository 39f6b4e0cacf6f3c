/* 03_blocked: rectangular blocks of columns, whose row of S is in shared memory.

   Idea: cells may be computed in any order in which each comes after those that it needs. A thread goes down 12 columns before
   it takes the next 12 (the paper's Figure 4). So it keeps a row of 12 cells; 320 threads' rows are 15 KB.
   Changed: three nested loops, over blocks, rows and columns. The two corners of the parallelogram, where rows begin and end, are
   square blocks in global memory, so that the rectangles need no conditions (papara_square in papara/kit/blocks.h).
   Expected: 4 + 16 / 12 = 5.3 bytes per cell in a rectangle instead of 12 (a site, and S and D at the block's edge), and two
   shared requests. A thread's global memory grows with the read, no longer with the sites.
   Measured: 5.5 bytes per cell update, counted; the squares, 4 % of the cells there, make 0.5 of it. But 35 instructions per cell.
   See: warpladder explain papara/02* papara/03*; README.md */
#include "papara/kit/blocks.h"
#include "papara/kit/layout.h"

enum { COLUMNS = 12 };

static __global__ void __launch_bounds__(PAPARA_THREADS)
    blocked(const papara_task task, // task.site: [group][sites][width]
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
#pragma unroll 1
        for (int c = 0; c < COLUMNS; c++) row[c][thread] = 0;
        int corner = 0;
        for (int j = 1; j <= m; j++) {
            const uint32_t B = task.sets[pair.B[j - 1]];
            const int2 left = edge[(j - 1) * width];
            int S = left.x, D = left.y, diagonal = corner;
            corner = left.x;
#pragma unroll 1 // stage 04's step
            for (int c = 0; c < COLUMNS; c++) {
                const int above = row[c][thread];
                S = papara_cell_at(&task.penalties, A[(size_t)(from + c) * width], B, diagonal, above, S, &D);
                row[c][thread] = S;
                diagonal = above;
            }
            edge[(j - 1) * width] = make_int2(S, D);
        }
#pragma unroll 1
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
    blocked<<<blocks, s->task.width>>>(s->task, first, (char *)s->work, stride);
}

PAPARA_STAGE(plan, .idea = "blocks of 12 columns, a row of S in shared memory",
             .source = "Alachiotis et al. 2012, Figure 4", .launch = papara_launch<launch>)
