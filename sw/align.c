/* One alignment with its path, in three steps: the score and where it ends, by the recurrence; where it begins, by an alignment
   backwards from there; and the path between.

   Which of several equally good alignments? BLAST's, as far as that is defined:
   - It ends at the least subject position, then the least query position, that have the score: BLAST reports equal hits of a
     subject in the order of their places in it.
   - It begins at the greatest query position, then the greatest subject position, that reach the score from that end: the
     shortest, as BLAST keeps the first best that it meets.
   - Its gaps stand as near to an anchor as they can, since BLAST extends from there in both directions and prefers
     pairs where it is indifferent: the path runs through the anchor, and from either end towards it a pair comes before a
     query's residue against a gap before a subject's. The anchor is BLAST's: on the diagonal through the first pair, the last
     pair of the best stretch of 11, the first among equals; in a query's stretch of 11 or less, the middle. Where no best
     alignment runs through it, which BLAST cannot know, it is the first pair.
   tests/blast compares the outcome with BLAST's on real proteins. */
#include "sw/align.h"

#include <stdlib.h>
#include <string.h>

#include "sw/align_rows.h"
#include "sw/align_trace.h"
#include "sw/align_with.h"

enum { ANCHOR_WINDOW = 11 };

/* Two sequences, or a stretch of both. */
typedef struct {
    const sw_scoring *scoring;
    const uint8_t *query, *subject;
    uint32_t m, n;
} pair;

/* A place: so many residues of either sequence lie before it. */
typedef struct {
    uint32_t query, subject;
} place;

static uint32_t first_with(const int *H, int value) {
    uint32_t j = 1;
    while (H[j] != value) j++;
    return j;
}

/* The score, and the place behind the last pair. 0: there is no alignment. */
static wl_status find_end(const pair *p, int *score, place *end) {
    sw_rows rows;
    wl_status status = sw_rows_make(p->scoring, p->query, p->m, p->subject, p->n, &rows);
    if (status != WL_OK) return status;
    *score = 0;
    *end = (place){0, 0};
    sw_rows_begin(&rows, p->n, 1);
    for (uint32_t i = 0; i < p->m; i++) {
        int best = sw_rows_next(&rows, i, 0, p->n, 0, 0, NULL);
        if (best == 0 || best < *score) continue;
        uint32_t column = first_with(rows.H, best);
        if (best == *score && column >= end->subject) continue;
        *score = best;
        *end = (place){i + 1, column};
    }
    sw_rows_free(&rows);
    return WL_OK;
}

/* How many residues of either sequence an alignment from their first pair on takes to reach `score`: the fewest of the
   query, then of the subject. WL_CHECK_FAILED when none does. */
static wl_status find_reach(const pair *p, int score, place *reach) {
    sw_rows rows;
    wl_status status = sw_rows_make(p->scoring, p->query, p->m, p->subject, p->n, &rows);
    if (status != WL_OK) return status;
    sw_rows_begin(&rows, p->n, 0);
    int left = -p->scoring->gap_open, best = 0;
    uint32_t i = 0;
    for (; best < score && i < p->m; i++) {
        best = sw_rows_next(&rows, i, 0, p->n, left, SW_NEVER, NULL);
        left = left - p->scoring->gap_extend > SW_NEVER ? left - p->scoring->gap_extend : SW_NEVER;
    }
    if (best == score)
        *reach = (place){i, first_with(rows.H, score)};
    else
        status = wl_fail(WL_CHECK_FAILED,
                         "an alignment of score %d was not found again backwards from its end (%d); "
                         "expected the same score",
                         score, best);
    sw_rows_free(&rows);
    return status;
}

/* The place behind BLAST's anchor. */
static place anchor_of(const pair *p) {
    if (p->m <= ANCHOR_WINDOW) {
        uint32_t half = p->m / 2 < p->n - 1 ? p->m / 2 : p->n - 1;
        return (place){half + 1, half + 1};
    }
    uint32_t diagonal = p->m < p->n ? p->m : p->n, best_at = 0;
    int sum = 0, best = 0;
    for (uint32_t k = 0; k < diagonal; k++) {
        sum += p->scoring->matrix[p->query[k]][p->subject[k]];
        if (k >= ANCHOR_WINDOW) sum -= p->scoring->matrix[p->query[k - ANCHOR_WINDOW]][p->subject[k - ANCHOR_WINDOW]];
        if (k >= ANCHOR_WINDOW - 1 && sum > best) {
            best = sum;
            best_at = k;
        }
    }
    return (place){best_at + 1, best_at + 1};
}

static void reverse(void *text, size_t length) {
    char *t = text;
    for (size_t i = 0; i < length / 2; i++) {
        char c = t[i];
        t[i] = t[length - 1 - i];
        t[length - 1 - i] = c;
    }
}

static uint8_t *reversed(const uint8_t *residues, uint32_t length) {
    uint8_t *copy = malloc((size_t)length + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, residues, length);
    reverse(copy, length);
    return copy;
}

/* The path through the place `anchor`: backwards from there to the first pair, and on to the last. path [m + n + 1]. */
static wl_status trace_through(const pair *p, place anchor, size_t direct, char *path, int *score) {
    uint8_t *query = reversed(p->query, anchor.query), *subject = reversed(p->subject, anchor.subject);
    wl_status status = query && subject ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory for an alignment");
    int before = 0, behind = 0;
    if (status == WL_OK)
        status = sw_trace(p->scoring, query, anchor.query, subject, anchor.subject, direct, path, &before);
    if (status == WL_OK) {
        size_t length = strlen(path);
        reverse(path, length);
        status = sw_trace(p->scoring, p->query + anchor.query, p->m - anchor.query, p->subject + anchor.subject,
                          p->n - anchor.subject, direct, path + length, &behind);
    }
    *score = before + behind;
    free(query);
    free(subject);
    return status;
}

/* What the path scores, column by column, and what BLAST counts along it. */
static int count(const pair *p, const char *path, sw_alignment *a) {
    const uint8_t *q = p->query, *s = p->subject;
    int score = 0;
    char last = 'M';
    for (const char *step = path; *step; last = *step++) {
        a->columns++;
        if (*step == 'M') {
            int value = p->scoring->matrix[*q][*s];
            a->identities += *q == *s;
            a->mismatches += *q != *s;
            a->positives += *q == *s || value > 0;
            score += value;
        } else {
            a->gap_residues++;
            a->gap_openings += *step != last;
            score -= *step != last ? p->scoring->gap_open : p->scoring->gap_extend;
        }
        q += *step != 'D';
        s += *step != 'I';
    }
    return q == p->query + p->m && s == p->subject + p->n ? score : -1;
}

static wl_status find_path(const pair *p, size_t direct, sw_alignment *a) {
    a->operations = malloc((size_t)p->m + p->n + 1);
    if (a->operations == NULL)
        return wl_fail(WL_NO_MACHINE, "no memory for an alignment of %u and %u letters", p->m, p->n);
    int score;
    wl_status status = trace_through(p, anchor_of(p), direct, a->operations, &score);
    if (status == WL_OK && score != a->score) status = trace_through(p, (place){1, 1}, direct, a->operations, &score);
    if (status == WL_OK && (score = count(p, a->operations, a)) != a->score)
        status = wl_fail(WL_CHECK_FAILED, "the path of an alignment scores %d; expected %d as the recurrence", score,
                         a->score);
    if (status == WL_OK) {
        char *shorter = realloc(a->operations, (size_t)a->columns + 1);
        if (shorter) a->operations = shorter;
    }
    return status;
}

wl_status sw_align_with(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                        size_t direct, sw_alignment *alignment) {
    const pair whole = {scoring, query, subject, m, n};
    sw_alignment a = {0};
    place end, reach = {0, 0};
    wl_status status = find_end(&whole, &a.score, &end);
    if (status != WL_OK) return status;
    if (a.score == 0) {
        a.operations = calloc(1, 1);
        if (a.operations == NULL) return wl_fail(WL_NO_MACHINE, "no memory for an alignment");
        *alignment = a;
        return WL_OK;
    }
    uint8_t *backward_query = reversed(query, end.query), *backward_subject = reversed(subject, end.subject);
    if (backward_query && backward_subject) {
        const pair backward = {scoring, backward_query, backward_subject, end.query, end.subject};
        status = find_reach(&backward, a.score, &reach);
    } else {
        status = wl_fail(WL_NO_MACHINE, "no memory to align sequences of %u and %u letters", m, n);
    }
    free(backward_query);
    free(backward_subject);
    if (status != WL_OK) return status;
    a.query_first = end.query - reach.query;
    a.query_last = end.query - 1;
    a.subject_first = end.subject - reach.subject;
    a.subject_last = end.subject - 1;
    const pair aligned = {scoring, query + a.query_first, subject + a.subject_first, reach.query, reach.subject};
    status = find_path(&aligned, direct, &a);
    if (status == WL_OK)
        *alignment = a;
    else
        free(a.operations);
    return status;
}

wl_status sw_align(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                   sw_alignment *alignment) {
    return sw_align_with(scoring, query, m, subject, n, SW_TRACE_CELLS, alignment);
}

void sw_alignment_free(sw_alignment *alignment) {
    free(alignment->operations);
    alignment->operations = NULL;
}
