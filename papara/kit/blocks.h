/* What the blocked stages, 03 to 06, share: where the blocks of columns begin and end, and the square ones at the ends of the matrix. */
#pragma once

#include "papara/kit/stage.h"

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
