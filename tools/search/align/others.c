/* Further alignments of a pair of sequences.

   Each takes three passes, as the best one does: forwards to the score and its end, backwards from there to the beginning, and once more
   between the two to the path. In all of them a pair of residues that an earlier alignment has is barred. */
#include <stdlib.h>

#include "harness/base/memory.h"
#include "tools/search/align/align.h"
#include "tools/search/align/rows.h"

/* The pairs that are taken: of each alignment, in each of the query's rows the subject's column from 1 on, or 0. */
typedef struct {
    const sw_scoring *scoring;
    const uint8_t *query, *subject;
    uint32_t m, n;
    uint32_t **taken; // [count][m]
    size_t count;
    uint32_t *columns; // [count]: those of a row
    /* Of all, reported or not: what later ones may lie within. */
    sw_alignment *found; // [count]
} search;

typedef struct {
    uint32_t query, subject, columns, rows; // the first residues, and how many of each
} box;

/* What is barred in row `i` of a box, whose rows and columns run backwards from its end if `backwards`. */
static void bar(const search *s, const box *b, uint32_t i, int backwards, sw_rows *rows) {
    const uint32_t row = backwards ? b->query + b->rows - 1 - i : b->query + i;
    rows->barred = s->columns;
    rows->barred_count = 0;
    for (size_t k = 0; k < s->count; k++) {
        const uint32_t column = s->taken[k][row];
        if (column <= b->subject || column > b->subject + b->columns) continue;
        s->columns[rows->barred_count++] = backwards ? b->subject + b->columns + 1 - column : column - b->subject;
    }
}

static uint32_t first_with(const int *H, int value) {
    uint32_t j = 1;
    while (H[j] != value) j++;
    return j;
}

/* The best score of what is left, and the box from the corner to its last pair. */
static wl_status find_end(const search *s, int *score, box *found) {
    const box whole = {0, 0, s->n, s->m};
    sw_rows rows;
    WL_TRY(sw_rows_make(s->scoring, s->query, s->m, s->subject, s->n, &rows));
    sw_rows_begin(&rows, s->n, 1);
    *score = 0;
    for (uint32_t i = 0; i < s->m; i++) {
        bar(s, &whole, i, 0, &rows);
        const int best = sw_rows_next(&rows, i, 0, s->n, 0, 0, NULL);
        if (best == 0 || best < *score) continue;
        const uint32_t column = first_with(rows.H, best);
        if (best == *score && column >= found->columns) continue;
        *score = best;
        *found = (box){0, 0, column, i + 1};
    }
    sw_rows_free(&rows);
    return WL_OK;
}

static uint8_t *reversed(const uint8_t *residues, uint32_t length) {
    uint8_t *copy = malloc((size_t)length + 1);
    for (uint32_t i = 0; copy && i < length; i++) copy[i] = residues[length - 1 - i];
    return copy;
}

static int next_left(const sw_scoring *scoring, uint32_t i, int left) {
    left -= i == 0 ? scoring->gap_open : scoring->gap_extend;
    return left > SW_NEVER ? left : SW_NEVER;
}

/* Shorten a box from the corner to where the alignment that ends at its end begins. */
static wl_status find_begin(const search *s, int score, box *b) {
    const box whole = *b;
    uint8_t *query = reversed(s->query, b->rows), *subject = reversed(s->subject, b->columns);
    sw_rows rows;
    wl_status status = query && subject ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory for an alignment");
    if (status == WL_OK) status = sw_rows_make(s->scoring, query, b->rows, subject, b->columns, &rows);
    if (status == WL_OK) {
        sw_rows_begin(&rows, whole.columns, 0);
        int best = 0, left = 0;
        uint32_t i = 0;
        for (; best < score && i < whole.rows; i++) {
            bar(s, &whole, i, 1, &rows);
            left = next_left(s->scoring, i, left);
            best = sw_rows_next(&rows, i, 0, whole.columns, left, SW_NEVER, NULL);
        }
        if (best == score) {
            const uint32_t columns = first_with(rows.H, score);
            *b = (box){whole.rows - i, whole.columns - columns, columns, i};
        } else {
            status = wl_fail(WL_CHECK_FAILED, "a further alignment of score %d scores %d backwards; expected the same",
                             score, best);
        }
        sw_rows_free(&rows);
    }
    WL_FREE(query, subject);
    return status;
}

static wl_status find_path(const search *s, const box *b, sw_alignment *a) {
    const size_t pitch = (size_t)b->columns + 1, cells = pitch * ((size_t)b->rows + 1);
    size_t room = 0;
    uint8_t *steps = wl_memory_get(&room, cells);
    a->operations = malloc((size_t)b->rows + b->columns + 1);
    sw_rows rows = {0};
    wl_status status =
        steps && a->operations
            ? WL_OK
            : wl_fail(WL_NO_MACHINE, "no memory for an alignment of %u and %u letters", b->rows, b->columns);
    if (status == WL_OK)
        status = sw_rows_make(s->scoring, s->query + b->query, b->rows, s->subject + b->subject, b->columns, &rows);
    if (status == WL_OK) {
        steps[0] = 0;
        for (uint32_t j = 1; j <= b->columns; j++) steps[j] = (uint8_t)(SW_STEP_E | (j > 1 ? SW_STEP_E_EXTENDS : 0));
        sw_rows_begin(&rows, b->columns, 0);
        int left = 0;
        for (uint32_t i = 0; i < b->rows; i++) {
            uint8_t *row = steps + pitch * (i + 1);
            bar(s, b, i, 0, &rows);
            left = next_left(s->scoring, i, left);
            row[0] = (uint8_t)(SW_STEP_F | (i > 0 ? SW_STEP_F_EXTENDS : 0));
            sw_rows_next(&rows, i, 0, b->columns, left, SW_NEVER, row);
        }
        a->operations[sw_rows_follow_back(steps, b->rows, b->columns, 0, a->operations)] = 0;
        const int score = sw_alignment_count(s->scoring, s->query + b->query, s->subject + b->subject, a);
        if (score != a->score)
            status =
                wl_fail(WL_CHECK_FAILED, "the path of a further alignment scores %d; expected %d", score, a->score);
    }
    sw_rows_free(&rows);
    free(steps);
    if (status != WL_OK) sw_alignment_free(a);
    return status;
}

static wl_status next_alignment(const search *s, int score, box b, sw_alignment *a) {
    WL_TRY(find_begin(s, score, &b));
    *a = (sw_alignment){.score = score,
                        .query_first = b.query,
                        .query_last = b.query + b.rows - 1,
                        .subject_first = b.subject,
                        .subject_last = b.subject + b.columns - 1};
    return find_path(s, &b, a);
}

static int is_within(const sw_alignment *a, const sw_alignment *better) {
    return a->query_first >= better->query_first && a->query_last <= better->query_last &&
           a->subject_first >= better->subject_first && a->subject_last <= better->subject_last;
}

/* Bars its pairs. Its ranges are kept, its path is not. */
static wl_status take(search *s, const sw_alignment *a) {
    uint32_t *row = calloc(s->m, sizeof *row);
    if (!row || !WL_GROW(s->taken, s->count, 1) || !WL_GROW(s->columns, s->count, 1) ||
        !WL_GROW(s->found, s->count, 1)) {
        free(row);
        return wl_fail(WL_NO_MACHINE, "no memory for %zu alignments of a pair", s->count + 1);
    }
    uint32_t q = a->query_first, t = a->subject_first;
    for (const char *step = a->operations; *step; step++) {
        if (*step == 'M') row[q] = t + 1;
        q += *step != 'D';
        t += *step != 'I';
    }
    s->taken[s->count] = row;
    s->found[s->count++] = *a;
    return WL_OK;
}

static int is_within_any(const search *s, const sw_alignment *a) {
    for (size_t k = 0; k < s->count; k++)
        if (is_within(a, &s->found[k])) return 1;
    return 0;
}

static wl_status keep(sw_alignment *a, sw_alignment **others, size_t *count) {
    if (!WL_GROW(*others, *count, 1))
        return wl_fail(WL_NO_MACHINE, "no memory for %zu alignments of a pair", *count + 1);
    (*others)[(*count)++] = *a;
    *a = (sw_alignment){0};
    return WL_OK;
}

wl_status sw_align_others(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject,
                          uint32_t n, const sw_alignment *first, int least, size_t most, sw_alignment **others,
                          size_t *count) {
    search s = {.scoring = scoring, .query = query, .subject = subject, .m = m, .n = n};
    *others = NULL;
    *count = 0;
    wl_status status = take(&s, first);
    while (status == WL_OK && *count < most) {
        sw_alignment a = {0};
        box end = {0, 0, 0, 0};
        int score;
        status = find_end(&s, &score, &end);
        if (status != WL_OK || score < least || score < 1) break;
        status = next_alignment(&s, score, end, &a);
        const int within = status == WL_OK && is_within_any(&s, &a);
        if (status == WL_OK) status = take(&s, &a);
        if (status == WL_OK && !within) status = keep(&a, others, count);
        sw_alignment_free(&a);
    }
    for (size_t k = 0; k < s.count; k++) free(s.taken[k]);
    WL_FREE(s.taken, s.columns, s.found);
    for (size_t k = 0; status != WL_OK && k < *count; k++) sw_alignment_free(&(*others)[k]);
    if (status != WL_OK) {
        free(*others);
        *others = NULL;
        *count = 0;
    }
    return status;
}
