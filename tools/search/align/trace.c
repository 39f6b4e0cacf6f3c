/* A path in memory that grows with the sequences' lengths, in the spirit of Hirschberg 1975 and Myers & Miller 1988.

   A box of few cells keeps where each cell's value came from, one byte per cell, and is followed back from its end. A larger box is
   halved: below its middle row, every cell carries along where the path that would be followed back from it crosses that row. The end's
   crossing splits the box in two, which have half the cells together, and so on.

   The path is the same, whatever is halved, because the crossing obeys the same choices among equals as following back does. If a part of
   the path's box could choose otherwise, that choice would have been as good in the whole box, and would have been taken there. */
#include "tools/search/align/trace.h"

#include <stdlib.h>

#include "tools/search/align/rows.h"
#include "harness/base/memory.h"

/* A place on the path: a column of some row, in a gap that runs down through that row (F), or not. */
typedef struct {
    uint32_t column;
    int in_gap;
} crossing;

/* Rows first .. last - 1 of the query, from column `from` of the row above them to column `to` of the last. */
typedef struct {
    uint32_t first, last;
    crossing from, to;
} box;

typedef struct {
    sw_rows rows;
    uint64_t *cross_H, *cross_F; // [n + 1]: twice the crossing's column, plus in_gap
    uint8_t *steps;
    size_t direct;
    char *path;
    size_t length; // of what is written of it
} tracer;

static inline int larger(int a, int b) { return a > b ? a : b; }

/* H[i][0] for i = 1, 2 ...: all of the query so far in one gap, which may have begun above the box. */
static int next_left(const sw_scoring *scoring, const box *b, uint32_t row, int left) {
    int opens = row == b->first && !b->from.in_gap;
    return larger(left - (opens ? scoring->gap_open : scoring->gap_extend), SW_NEVER);
}

/* Row 0. In a gap from above, going on costs no opening in column 0; that column's F is next_left's affair. */
static void begin(tracer *t, uint32_t n) { sw_rows_begin(&t->rows, n, 0); }

/* --- Small boxes: follow back ------------------------------------------------------------------------------------- */

static int trace_direct(tracer *t, const box *b) {
    const uint32_t n = b->to.column - b->from.column;
    const size_t pitch = (size_t)n + 1;
    uint8_t *steps = t->steps;
    steps[0] = 0;
    for (uint32_t j = 1; j <= n; j++) steps[j] = (uint8_t)(SW_STEP_E | (j > 1 ? SW_STEP_E_EXTENDS : 0));
    begin(t, n);
    int left = 0;
    for (uint32_t i = b->first; i < b->last; i++) {
        steps += pitch;
        left = next_left(t->rows.scoring, b, i, left);
        steps[0] = (uint8_t)(SW_STEP_F | (i > b->first || b->from.in_gap ? SW_STEP_F_EXTENDS : 0));
        sw_rows_next(&t->rows, i, b->from.column, n, left, SW_NEVER, steps);
    }
    int score = b->to.in_gap ? t->rows.F[n] : t->rows.H[n];
    t->length += sw_rows_follow_back(t->steps, b->last - b->first, n, b->to.in_gap, t->path + t->length);
    return score;
}

/* --- Large boxes: halve ------------------------------------------------------------------------------------------- */

/* A row below the middle, with crossings. The same recurrence and the same choices as sw_rows_next's. */
static void next_row_crossed(tracer *t, const box *b, uint32_t row, int left) {
    const sw_scoring *scoring = t->rows.scoring;
    const int open = scoring->gap_open, extend = scoring->gap_extend;
    const uint32_t n = b->to.column - b->from.column;
    const int8_t *score = sw_rows_profile(&t->rows, row, b->from.column);
    int *H = t->rows.H, *F = t->rows.F;
    const size_t bars = sw_rows_bars(&t->rows, row, b->from.column, n);
    size_t bar = 0;
    int E = SW_NEVER, diagonal = H[0];
    uint64_t cross_E = 0, cross_diagonal = t->cross_H[0];
    H[0] = left;
    t->cross_H[0] = t->cross_F[0];
    for (uint32_t j = 1; j <= n; j++) {
        int longer = F[j] - extend, opened = H[j] - open;
        uint64_t cross_F = longer >= opened ? t->cross_F[j] : t->cross_H[j];
        F[j] = larger(longer, opened);
        t->cross_F[j] = cross_F;
        longer = E - extend;
        opened = H[j - 1] - open;
        cross_E = longer >= opened ? cross_E : t->cross_H[j - 1];
        E = larger(longer, opened);
        int value = diagonal + score[j - 1];
        if (bar < bars && t->rows.bars[bar] == j) {
            value = SW_NEVER;
            bar++;
        }
        uint64_t cross = cross_diagonal;
        if (F[j] > value) {
            value = F[j];
            cross = cross_F;
        }
        if (E > value) {
            value = E;
            cross = cross_E;
        }
        diagonal = H[j];
        cross_diagonal = t->cross_H[j];
        H[j] = larger(value, SW_NEVER);
        t->cross_H[j] = cross;
    }
}

static int crossing_of(tracer *t, const box *b, uint32_t middle, crossing *found) {
    const uint32_t n = b->to.column - b->from.column;
    int left = 0;
    begin(t, n);
    for (uint32_t i = b->first; i < middle; i++) {
        left = next_left(t->rows.scoring, b, i, left);
        sw_rows_next(&t->rows, i, b->from.column, n, left, SW_NEVER, NULL);
    }
    for (uint32_t j = 0; j <= n; j++) {
        t->cross_H[j] = 2 * (uint64_t)(b->from.column + j);
        t->cross_F[j] = t->cross_H[j] + 1; // column 0 of any row but the box's first is in a gap, and stays in it
    }
    for (uint32_t i = middle; i < b->last; i++) {
        left = next_left(t->rows.scoring, b, i, left);
        next_row_crossed(t, b, i, left);
    }
    uint64_t cross = b->to.in_gap ? t->cross_F[n] : t->cross_H[n];
    *found = (crossing){.column = (uint32_t)(cross / 2), .in_gap = cross % 2};
    return b->to.in_gap ? t->rows.F[n] : t->rows.H[n];
}

static int fits(const tracer *t, const box *b) {
    size_t rows = (size_t)(b->last - b->first) + 1, columns = (size_t)(b->to.column - b->from.column) + 1;
    return rows <= 2 || rows <= t->direct / columns;
}

static int trace_box(tracer *t, const box *b) {
    if (fits(t, b)) return trace_direct(t, b);
    box upper = *b, lower = *b;
    upper.last = lower.first = b->first + (b->last - b->first) / 2;
    int score = crossing_of(t, b, upper.last, &upper.to);
    lower.from = upper.to;
    trace_box(t, &upper);
    trace_box(t, &lower);
    return score;
}

wl_status sw_trace(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                   size_t direct, const sw_barred *barred, char *path, int *score) {
    tracer t = {.direct = direct, .path = path};
    wl_status status = sw_rows_make(scoring, query, m, subject, n, barred, &t.rows);
    if (status != WL_OK) return status;
    const box whole = {.last = m, .to = {.column = n}};
    const size_t columns = (size_t)n + 1, all = ((size_t)m + 1) * columns;
    t.steps = malloc(fits(&t, &whole) ? all : direct > 2 * columns ? direct : 2 * columns);
    t.cross_H = malloc(sizeof *t.cross_H * 2 * columns);
    if (t.steps && t.cross_H) {
        t.cross_F = t.cross_H + columns;
        *score = trace_box(&t, &whole);
        path[t.length] = '\0';
    } else {
        status = wl_fail(WL_NO_MACHINE, "no memory to align sequences of %u and %u letters", m, n);
    }
    WL_FREE(t.cross_H, t.steps);
    sw_rows_free(&t.rows);
    return status;
}
