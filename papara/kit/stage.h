/* What the kernels of stages 01 to 06 share: which thread aligns what, a cell of equation 1, the layouts [vector][site] and
   [site][vector], and the square blocks at the ends of the matrix. */
#ifndef PAPARA_KIT_STAGE_H
#define PAPARA_KIT_STAGE_H

#include "papara/kit/device.h"

/* The paper's threads per block. With 12 columns per thread they need 15 KB of 32-bit integers. */
enum { PAPARA_THREADS = 320 };

/* The paper's Figure 2: a block aligns one read, and each of its threads takes one vector. */
typedef struct {
    size_t read, group, vector;
    int m;            // letters of the read
    const uint8_t *B; // [m], its codes
} papara_pair;

static __device__ __forceinline__ papara_pair papara_pair_of(const papara_task *task, size_t block) {
    papara_pair pair;
    pair.read = block / task->groups;
    pair.group = block % task->groups;
    pair.vector = pair.group * task->width + threadIdx.x;
    pair.m = (int)task->length[pair.read];
    pair.B = task->codes + (task->start[pair.read] - task->origin);
    return pair;
}

static __device__ __forceinline__ void papara_put(const papara_task *task, const papara_pair *pair, int score) {
    task->score[pair->read * task->vectors + pair->vector] = score;
}

/* S[i][j] of equation 1. match: A[i] and B[j] have a state in common; gapped: A[i] has CGAP; diagonal: S[i-1][j-1]; above:
   S[i][j-1]; left: S[i-1][j]; *D: D[i-1][j] before, D[i][j] after. */
static __device__ __forceinline__ int papara_cell(const papara_penalties *p, bool match, bool gapped, int diagonal,
                                                  int above, int left, int *D) {
    const int CG = gapped ? p->cgap : 0, GP_OE = gapped ? 0 : p->gap_open, GP_E = gapped ? 0 : p->gap_extend;
    const int M = match ? 0 : p->mismatch;
    *D = min(left + GP_OE, *D + GP_E);
    return min(min(diagonal + M + CG, *D), above + p->insertion);
}

/* The same from a site as the input has it (A) and the states of a letter (B). */
static __device__ __forceinline__ int papara_cell_at(const papara_penalties *p, uint32_t A, uint32_t B, int diagonal,
                                                     int above, int left, int *D) {
    return papara_cell(p, (A & B) != 0, (A & PAPARA_CGAP) != 0, diagonal, above, left, D);
}

/* --- Layouts ----------------------------------------------------------------------------------------------------- */

static inline size_t papara_by_vector_bytes(const papara_input *in, const papara_task *) {
    return papara_plain_bytes(in);
}

/* [vectors][sites], as the input has them. */
static inline wl_status papara_by_vector(papara_state *s, const uint32_t *plain, uint32_t *site) {
    WL_CUDA(cudaMemcpy(site, plain, papara_plain_bytes(s->input), cudaMemcpyDeviceToDevice));
    return WL_OK;
}

static inline size_t papara_by_site_bytes(const papara_input *in, const papara_task *task) {
    return sizeof(uint32_t) * task->groups * task->width * in->sites;
}

/* Squares of 32 vectors x 32 sites, read along the sites and written along the vectors, one warp per row. */
enum { PAPARA_PACK_ROWS = 8 };
static __global__ void papara_transpose(const uint32_t *plain, // [vectors][sites]
                                        uint32_t *site,        // [group][sites][width]
                                        size_t vectors, uint32_t sites, uint32_t width,
                                        size_t warps) {       // of all groups together
    __shared__ uint32_t square[PAPARA_WARP][PAPARA_WARP + 1]; // + 1: columns lie in different banks
    const uint32_t lane = threadIdx.x % PAPARA_WARP, row = threadIdx.x / PAPARA_WARP;
    const size_t first_vector = blockIdx.x % warps * PAPARA_WARP, first_site = blockIdx.x / warps * PAPARA_WARP;
    for (uint32_t v = row; v < PAPARA_WARP; v += PAPARA_PACK_ROWS)
        if (first_vector + v < vectors && first_site + lane < sites)
            square[v][lane] = plain[(first_vector + v) * sites + first_site + lane];
    __syncthreads();
    uint32_t *group = site + first_vector / width * width * sites + first_vector % width;
    for (uint32_t i = row; i < PAPARA_WARP && first_site + i < sites; i += PAPARA_PACK_ROWS)
        group[(first_site + i) * width + lane] = first_vector + lane < vectors ? square[lane][i] : 0;
}

/* The paper's Figure 1: [group][sites][width], with zeros after the last vector. */
static inline wl_status papara_by_site(papara_state *s, const uint32_t *plain, uint32_t *site) {
    const papara_task *task = &s->task;
    const size_t warps = task->groups * task->width / PAPARA_WARP;
    const size_t blocks = warps * ((task->sites + PAPARA_WARP - 1) / PAPARA_WARP);
    if (blocks > INT32_MAX) return wl_fail(WL_NO_MACHINE, "more than 2 billion squares of sites; give fewer vectors");
    WL_LAUNCH(papara_transpose, (unsigned)blocks, PAPARA_PACK_ROWS * PAPARA_WARP, 0, plain, site, task->vectors,
              task->sites, task->width, warps);
    return WL_OK;
}

/* Bytes of `work` per vector in stages 01 and 02: a whole row of S. */
static inline size_t papara_row_bytes(const papara_input *in, uint32_t m) {
    return sizeof(int) * ((size_t)in->sites - m + 2);
}

/* --- Blocks ------------------------------------------------------------------------------------------------------ */

/* The paper's Figure 4, columns from left to right: a square block of columns 1 .. first, rectangular blocks of `columns` columns
   each, a square block of columns last .. n. Columns m + 1 .. n - m have all m rows, and row 0 above them is 0. `first` is at least
   m and a multiple of `unit`. If there is no room for a rectangular block, the squares share all columns. */
typedef struct {
    int first, rectangles, last;
} papara_parts;

static __host__ __device__ __forceinline__ papara_parts papara_parts_of(int m, int n, int columns, int unit) {
    papara_parts parts;
    parts.first = (m + unit - 1) / unit * unit;
    if (parts.first > n) parts.first = n;
    parts.rectangles = n - m > parts.first ? (n - m - parts.first) / columns : 0;
    parts.last = parts.first + parts.rectangles * columns + 1;
    return parts;
}

/* Bytes of `work` per vector in the blocked stages: a row of the larger square, and for each row of the matrix S and D at the right
   edge of the block before. They do not grow with n. */
template <uint32_t COLUMNS, uint32_t UNIT = 1> static size_t papara_square_bytes(const papara_input *, uint32_t m) {
    return sizeof(int) * ((size_t)m + COLUMNS + UNIT) + sizeof(int2) * m;
}

/* A square block: columns from .. to, row by row; row j has those of them that are in j .. j + n - m. A: the thread's site in column
   `from`; the next ones follow `width` words apart. Returns the lowest S of row m. */
static inline __device__ int papara_square(
    const papara_task *task, const papara_pair *pair,
    const uint32_t *A, // [to - from + 1][width]
    int from, int to,
    int *row,     // [to - from + 1][width]: S of the row before, if it has this column
    int2 *edge) { // [m][width]: S and D in column from - 1, and then in column `to`
    const int m = pair->m, band = (int)task->sites - m; // a row's columns, less one
    const size_t width = task->width;
    for (int i = from; i <= to; i++) row[(i - from) * width] = i <= band ? 0 : PAPARA_INFINITE;
    const int top = from - band > 1 ? from - band : 1; // the first row with a column here
    int corner = top > 1 ? edge[(top - 2) * width].x : 0;
    for (int j = top; j <= m; j++) {
        const uint32_t B = task->sets[pair->B[j - 1]];
        const int begin = j > from ? j : from, end = j + band < to ? j + band : to;
        int S = PAPARA_INFINITE, D = PAPARA_INFINITE;
        int diagonal = begin > from ? row[(begin - 1 - from) * width] : corner;
        if (j < from) { // otherwise the row begins here
            S = corner = edge[(j - 1) * width].x;
            D = edge[(j - 1) * width].y;
        }
        for (int i = begin; i <= end; i++) {
            const int above = row[(i - from) * width];
            S = papara_cell_at(&task->penalties, A[(i - from) * width], B, diagonal, above, S, &D);
            row[(i - from) * width] = S;
            diagonal = above;
        }
        if (end == to) edge[(j - 1) * width] = make_int2(S, D);
    }
    int best = PAPARA_INFINITE;
    for (int i = m > from ? m : from; i <= to; i++) best = min(best, row[(i - from) * width]);
    return best;
}

#endif
