/* 02_inter_reference: the same computation, with neighbouring vectors in neighbouring words.

   Idea: what a warp reads together must lie together (the paper's Figure 1). A group holds all vectors' words for the first site,
   then those for the second, and so on. The threads' rows of S lie in the same way.
   Changed: only the layout, [site][vector] and [k][vector] instead of [vector][site] and [pair][k]. A group's width is a multiple
   of 32, so each warp begins at a multiple of 128 bytes.
   Expected: the 32 threads of a warp read 32 consecutive words, four full sectors: the 12 bytes per cell that stage 01 asked for.
   Measured: 11.7 bytes per cell update, counted, an eighth of stage 01's, with as many requests.
   See: warpladder explain papara/01* papara/02*; README.md */
#include "papara/kit/layout.h"
#include "papara/kit/stage.h"

static __global__ void __launch_bounds__(PAPARA_THREADS)
    inter_reference(const papara_task task, // task.site: [group][sites][width]
                    size_t first,           // the launch's first block
                    char *work, size_t stride) {
    const papara_pair pair = papara_pair_of(&task, first + blockIdx.x);
    if (pair.vector >= task.vectors) return;
    const int m = pair.m, last = (int)task.sites - m; // k = 0 .. last
    const size_t width = task.width;
    int *row = (int *)(work + stride * blockIdx.x) + threadIdx.x;                  // [last + 2][width]
    const uint32_t *A = task.site + pair.group * task.sites * width + threadIdx.x; // [sites][width]
    for (int k = 0; k <= last; k++) row[k * width] = 0;
    row[(last + 1) * width] = PAPARA_INFINITE; // what is above a row's last column
    for (int j = 1; j <= m; j++) {
        const uint32_t B = task.sets[pair.B[j - 1]];
        int S = PAPARA_INFINITE, D = PAPARA_INFINITE, diagonal = row[0];
        for (int k = 0; k <= last; k++) {
            const int above = row[(k + 1) * width];
            S = papara_cell_at(&task.penalties, A[(j - 1 + k) * width], B, diagonal, above, S, &D);
            row[k * width] = S;
            diagonal = above;
        }
    }
    int best = PAPARA_INFINITE;
    for (int k = 0; k <= last; k++) best = min(best, row[k * width]);
    task.score[pair.read * task.vectors + pair.vector] = best;
}

/* Bytes of `work` per vector: a whole row of S. */
static size_t row_bytes(const papara_input *in, uint32_t m) { return sizeof(int) * ((size_t)in->sites - m + 2); }

static const papara_plan plan = {
    .widest = PAPARA_THREADS,
    .site_bytes = papara_by_site_bytes,
    .pack = papara_by_site,
    .work_bytes = row_bytes,
};

static void launch(const papara_state *s, size_t first, unsigned blocks, size_t stride) {
    inter_reference<<<blocks, s->task.width>>>(s->task, first, (char *)s->work, stride);
}

PAPARA_STAGE(plan, .idea = "neighbouring vectors in neighbouring words",
             .source = "Alachiotis et al. 2012, Figures 1 to 3", .launch = papara_launch<launch>)
