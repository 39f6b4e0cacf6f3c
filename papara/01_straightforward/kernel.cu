/* 01_straightforward: one thread per pair of read and vector, row after row, everything in global memory.

   Idea: no pair needs another one's result, so each thread computes a whole matrix alone (the paper's Figure 2), row by row
   (its Figure 3). It keeps one row of S. With k = i - j, S[i-1][j-1] lies in row[k], where S[i][j] goes, and S[i][j-1] in row[k+1].
   Changed: nothing yet. Vectors and rows lie as one would write them down: [vector][site] and [pair][k]. The paper has no such
   stage: its straightforward method has stage 02's layout.
   Expected: 12 bytes per cell (a site, S in, S out). But the threads of a warp are n words apart, so each takes a sector of
   32 bytes for its 4: up to 96 bytes per cell.
   Measured: 93 bytes per cell update, counted (n x m cells, of which 96 % were computed in that input).
   See: warpladder explain papara; warpladder run papara; README.md */
#include "papara/kit/stage.h"

static __global__ void __launch_bounds__(PAPARA_THREADS)
    straightforward(const papara_task task, // task.site: [vectors][sites]
                    size_t first,           // the launch's first block
                    char *work, size_t stride) {
    const papara_pair pair = papara_pair_of(&task, first + blockIdx.x);
    if (pair.vector >= task.vectors) return;
    const int m = pair.m, last = (int)task.sites - m;                                  // k = 0 .. last
    int *row = (int *)(work + stride * blockIdx.x) + threadIdx.x * ((size_t)last + 2); // [last + 2]
    const uint32_t *A = task.site + pair.vector * task.sites;                          // [sites]
    for (int k = 0; k <= last; k++) row[k] = 0;
    row[last + 1] = PAPARA_INFINITE; // what is above a row's last column
    for (int j = 1; j <= m; j++) {
        const uint32_t B = task.sets[pair.B[j - 1]];
        int S = PAPARA_INFINITE, D = PAPARA_INFINITE, diagonal = row[0];
        for (int k = 0; k <= last; k++) {
            const int above = row[k + 1];
            S = papara_cell_at(&task.penalties, A[j - 1 + k], B, diagonal, above, S, &D);
            row[k] = S;
            diagonal = above;
        }
    }
    int best = PAPARA_INFINITE;
    for (int k = 0; k <= last; k++) best = min(best, row[k]);
    task.score[pair.read * task.vectors + pair.vector] = best;
}

static size_t site_bytes(const papara_input *in, const papara_task *) { return papara_plain_bytes(in); }

static wl_status pack(papara_state *s, const uint32_t *plain, uint32_t *site) {
    WL_CUDA(cudaMemcpy(site, plain, papara_plain_bytes(s->input), cudaMemcpyDeviceToDevice));
    return WL_OK;
}

/* Bytes of `work` per vector: a whole row of S. */
static size_t row_bytes(const papara_input *in, uint32_t m) { return sizeof(int) * ((size_t)in->sites - m + 2); }

static const papara_plan plan = {
    .widest = PAPARA_THREADS,
    .site_bytes = site_bytes,
    .pack = pack,
    .work_bytes = row_bytes,
};

static void launch(const papara_state *s, size_t first, unsigned blocks, size_t stride) {
    straightforward<<<blocks, s->task.width>>>(s->task, first, (char *)s->work, stride);
}

PAPARA_STAGE(plan, .idea = "one thread per pair, row after row in global memory", .source = "Warpladder",
             .launch = papara_launch<launch>)
