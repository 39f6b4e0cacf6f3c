#include "tools/search/align/one_way.h"

#include "tools/search/align/rows.h"

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static wl_status make(const sw_one_way *way, uint32_t subject_at, sw_rows *rows) {
    WL_TRY(sw_rows_make(way->scoring, way->query, way->m, way->subject, way->n, &way->barred, rows));
    for (uint32_t j = 0; j <= way->n - subject_at; j++) rows->H[j] = rows->F[j] = SW_NEVER;
    return WL_OK;
}

/* The columns of a row that an alignment may reach: `open` have a score, at most `score`, and a gap goes on from there. */
static uint32_t reached(const sw_scoring *scoring, uint32_t open, int score, uint32_t n) {
    if (open == 0 || open >= n || score <= scoring->gap_open) return smaller(open, n);
    if (scoring->gap_extend == 0) return n;
    return smaller((uint32_t)(score - scoring->gap_open - 1) / (uint32_t)scoring->gap_extend + 1, n - open) + open;
}

static void take_row(const sw_rows *rows, uint32_t n, int best, uint32_t query, uint32_t subject_at, sw_cells *found) {
    if (best <= 0 || best < found->score) return;
    if (best > found->score) *found = (sw_cells){.score = best};
    for (uint32_t j = 1; j <= n; j++) {
        if (rows->H[j] != best) continue;
        if (found->count++ > 0 && subject_at + j >= found->subject) continue;
        found->query = query;
        found->subject = subject_at + j;
    }
}

wl_status sw_find_from(const sw_one_way *way, uint32_t first_rows, uint32_t first_columns, sw_cells *found) {
    sw_rows rows;
    uint32_t live = 0; // the last column of the row before with a score
    int best = 0;      // of that row
    *found = (sw_cells){0};
    WL_TRY(make(way, 0, &rows));
    for (uint32_t i = 0; i < way->m; i++) {
        const uint32_t begins = i < first_rows ? way->n : first_columns;
        const uint32_t open = larger(begins, live > 0 ? live + 1 : 0);
        const uint32_t n = reached(way->scoring, open, (best > 0 ? best : 0) + way->scoring->highest, way->n);
        if (n == 0) break;
        best = sw_rows_next_from(&rows, i, 0, n, begins, 0, 0);
        take_row(&rows, n, best, i + 1, 0, found);
        for (live = n; live > 0 && rows.H[live] <= 0;) live--;
    }
    sw_rows_free(&rows);
    return WL_OK;
}

/* The score of the best alignment that ends in the pair of row `at` and column `column`; `rows` has the row above. */
static int score_of(sw_rows *rows, uint32_t at, uint32_t column) {
    return rows->H[column - 1] + sw_rows_profile(rows, at, 0)[column - 1];
}

wl_status sw_find_through(const sw_one_way *way, const sw_alignment *path, sw_cells *found) {
    const uint32_t from = path->subject_first, last = path->subject_last + 1;
    const char *step = path->operations;
    uint32_t column = from, live = 0;
    int best = 0;
    sw_rows all, rows;
    *found = (sw_cells){0};
    WL_TRY(make(way, 0, &all));
    const wl_status status = make(way, from, &rows);
    if (status != WL_OK) {
        sw_rows_free(&all);
        return status;
    }
    sw_rows_begin(&all, last, 1);
    for (uint32_t i = 0; i < way->m; i++) {
        uint32_t pair = 0; // the path's column in this row
        int score = 0;
        for (; i >= path->query_first && *step == 'D'; step++) column++;
        if (i >= path->query_first && *step) {
            if (*step == 'M') pair = ++column;
            step++;
        }
        if (pair > 0) score = score_of(&all, i, pair);
        if (i <= path->query_last) sw_rows_next(&all, i, 0, last, 0, 0, NULL);
        if (i < path->query_first) continue;
        const int most = (best > 0 ? best : 0) + way->scoring->highest;
        const uint32_t through = pair > 0 ? pair - from : 0, open = larger(through, live > 0 ? live + 1 : 0);
        const uint32_t n = reached(way->scoring, open, score > most ? score : most, way->n - from);
        if (n == 0 && *step == 0) break;
        best = sw_rows_next_from(&rows, i, from, n, 0, through, score);
        take_row(&rows, n, best, i + 1, from, found);
        for (live = n; live > 0 && rows.H[live] <= 0;) live--;
    }
    sw_rows_free(&all);
    sw_rows_free(&rows);
    return WL_OK;
}

wl_status sw_reach(const sw_one_way *way, int score, uint32_t *reached_rows, uint32_t *reached_columns) {
    sw_rows rows;
    int best = 0, left = 0;
    uint32_t i = 0, column = 1;
    WL_TRY(sw_rows_make(way->scoring, way->query, way->m, way->subject, way->n, &way->barred, &rows));
    sw_rows_begin(&rows, way->n, 0);
    for (; best < score && i < way->m; i++) {
        left -= i == 0 ? way->scoring->gap_open : way->scoring->gap_extend;
        if (left < SW_NEVER) left = SW_NEVER;
        best = sw_rows_next(&rows, i, 0, way->n, left, SW_NEVER, NULL);
    }
    while (best == score && rows.H[column] != score) column++;
    *reached_rows = best == score ? i : 0;
    *reached_columns = best == score ? column : 0;
    sw_rows_free(&rows);
    return WL_OK;
}
