/* 06_registers: a block's row in registers, and its sites beside it.

   Idea: the paper kept a block's row in shared memory, for its card had 63 registers a thread. Today's have 255, and registers need
   no load, no store and no address.
   Changed: S of a block's columns and their sites are arrays in registers, which the unrolled loops make possible. The block may
   then be twice as wide: 24 columns, so that its edge, S and D in global memory, is passed on half as often. A site is a whole word
   again, so that proteins go too.
   Should do: no shared request where there were two a cell, and 16 / 24 bytes a cell where there were 16 / 12.
   Did: no shared request, and the bytes as foreseen, counted; 1.2 times as fast on an H200.
   See: warpladder explain papara/05* papara/06* */
#include "papara/kit/stage.h"

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
    papara_put(&task, &pair, best);
}

static size_t work_bytes(const papara_input *, uint32_t m) { return papara_square_bytes(m, COLUMNS, 1); }

static const papara_plan plan = {
    .widest = PAPARA_THREADS,
    .site_bytes = papara_by_site_bytes,
    .pack = papara_by_site,
    .work_bytes = work_bytes,
};

static wl_status launch(void *state) {
    papara_state *s = (papara_state *)state;
    for (size_t first = 0, end, stride; first < papara_blocks(s); first = end) {
        end = papara_stretch(s, first, &stride);
        registers<<<(unsigned)(end - first), s->task.width>>>(s->task, first, (char *)s->work, stride);
        WL_LAUNCHED();
    }
    return WL_OK;
}

static const wl_variant stage = {
    .problem = "papara",
    .name = "06_registers",
    .idea = "a block's row and its sites in registers",
    .source = "Warpladder",
    .backend = WL_DEVICE_BACKEND,
    .supports = papara_supports<plan>,
    .prepare = papara_prepare<plan>,
    .launch = launch,
    .collect = papara_collect,
    .release = papara_release,
    .cost = papara_cost,
};
WL_REGISTER(stage)
