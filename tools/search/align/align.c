/* One alignment with its path, in three steps: the score and where it ends, by the recurrence; where it begins, by an
   alignment backwards from there; and the path between.

   Which of several equally good alignments? BLAST's, as far as that is defined:
   - It ends at the least subject position, then the least query position, that have the score: BLAST reports equal
     hits of a subject in the order of their places in it.
   - It begins at the greatest query position, then the greatest subject position, that reach the score from that end:
     the shortest, as BLAST keeps the first best that it meets.
   - Its gaps stand as near to an anchor as they can, since BLAST extends from there in both directions and prefers
     pairs where it is indifferent: from either end towards the anchor a pair comes before a query's residue against a
     gap, and that before a subject's; a gap goes on rather than open again. The anchor is the middle of the best
     window of 11 pairs in the best stretch of pairs without a gap, the first among equals. Stretch and window are
     looked for along the path that results when the anchor is the first pair.
   What is left to chance is where BLAST finds its anchor: among other stretches, when its words missed the best or it
   is outside of the shortest alignment. tests/blast compares the outcome with BLAST's on real proteins. */
#include "tools/search/align/align.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "tools/search/align/trace.h"
#include "sw/core/pair.h"

enum { ANCHOR_WINDOW = 11 };

typedef sw_pair pair; // two sequences, or a stretch of both

/* A place: so many residues of either sequence lie before it. */
typedef struct {
    uint32_t query, subject;
} place;

int sw_align_threads(void) { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

/* The score, and the place after the last pair. 0: there is no alignment. */
static wl_status find(pair whole, sw_which_end which, int *score, place *found) {
    sw_pair_best best;
    whole.end = which;
    whole.threads = sw_align_threads();
    WL_TRY(sw_pair_find(&whole, &best));
    *score = best.score;
    *found = (place){best.query, best.subject};
    return WL_OK;
}

/* How many residues of either sequence an alignment from their first pair on takes to reach `score`: the fewest of the
   query, then of the subject. All alignments with that score begin at the first pair, or there would be an end before the one that was
   found; so any best alignment is looked for. WL_CHECK_FAILED when none has the score. */
static wl_status find_reach(const pair *p, int score, place *reach) {
    pair known = *p;
    int reached;
    known.score = score;
    WL_TRY(find(known, SW_LEAST_QUERY, &reached, reach));
    if (reached == score) return WL_OK;
    return wl_fail(WL_CHECK_FAILED,
                   "an alignment of score %d was not found again backwards from its end (%d); expected the same score",
                   score, reached);
}

/* A stretch of pairs without a gap: `length` of them from the place `at`, in column `column` of the path. */
typedef struct {
    place at;
    uint32_t column, length;
    int score;
} stretch;

/* The best part of a block of pairs. */
static stretch best_part(const pair *p, stretch block) {
    stretch best = block;
    best.score = 0;
    uint32_t begin = 0;
    int sum = 0;
    for (uint32_t k = 0; k < block.length; k++) {
        sum += p->scoring->matrix[p->query[block.at.query + k]][p->subject[block.at.subject + k]];
        if (sum <= 0) {
            sum = 0;
            begin = k + 1;
        } else if (sum > best.score) {
            best =
                (stretch){{block.at.query + begin, block.at.subject + begin}, block.column + begin, k + 1 - begin, sum};
        }
    }
    return best;
}

/* The best stretch without a gap along the path, the first among equals. */
static stretch best_stretch(const pair *p, const char *path) {
    stretch best = {.score = 0}, block = {.score = 0};
    for (uint32_t column = 0; path[column];) {
        block.column = column;
        block.length = (uint32_t)strspn(path + column, "M");
        stretch part = best_part(p, block);
        if (part.score > best.score) best = part;
        block.at.query += block.length;
        block.at.subject += block.length;
        column += block.length;
        for (; path[column] && path[column] != 'M'; column++)
            *(path[column] == 'I' ? &block.at.query : &block.at.subject) += 1;
    }
    return best;
}

/* How many of a stretch's pairs lie before the anchor: to the middle of its best window. */
static uint32_t pairs_before_anchor(const pair *p, const stretch *s) {
    if (s->length <= ANCHOR_WINDOW) return s->length / 2;
    int sum = 0, best = 0;
    uint32_t best_end = 0;
    for (uint32_t k = 0; k < s->length; k++) {
        const uint8_t *query = p->query + s->at.query + k, *subject = p->subject + s->at.subject + k;
        sum += p->scoring->matrix[*query][*subject];
        if (k >= ANCHOR_WINDOW) sum -= p->scoring->matrix[*(query - ANCHOR_WINDOW)][*(subject - ANCHOR_WINDOW)];
        if (k == ANCHOR_WINDOW - 1 || (k >= ANCHOR_WINDOW && sum > best)) {
            best = sum;
            best_end = k;
        }
    }
    return best > 0 ? best_end - ANCHOR_WINDOW / 2 : 0;
}

static void reverse(void *text, size_t length) {
    char *t = text;
    for (size_t i = 0; i < length / 2; i++) {
        char c = t[i];
        t[i] = t[length - 1 - i];
        t[length - 1 - i] = c;
    }
}

uint8_t *sw_reversed(const uint8_t *residues, uint32_t length) {
    uint8_t *copy = malloc((size_t)length + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, residues, length);
    reverse(copy, length);
    return copy;
}

/* Replace the path's part up to and with the anchor by one traced backwards from there. */
static wl_status trace_back_from(const pair *p, place anchor, uint32_t column, size_t direct, char *path) {
    uint8_t *query = sw_reversed(p->query, anchor.query + 1), *subject = sw_reversed(p->subject, anchor.subject + 1);
    char *part = malloc((size_t)anchor.query + anchor.subject + 3);
    wl_status status = query && subject && part ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory for an alignment");
    int score;
    if (status == WL_OK)
        status = sw_trace(p->scoring, query, anchor.query + 1, subject, anchor.subject + 1, direct, NULL, part, &score);
    if (status == WL_OK) {
        size_t length = strlen(part);
        reverse(part, length);
        memmove(path + length, path + column + 1, strlen(path + column + 1) + 1); // another length where equals differ
        memcpy(path, part, length);
    }
    WL_FREE(part, query, subject);
    return status;
}

int sw_alignment_count(const sw_scoring *scoring, const uint8_t *query, const uint8_t *subject, sw_alignment *a) {
    const uint8_t *q = query, *s = subject;
    int score = 0;
    char last = 'M';
    for (const char *step = a->operations; *step; last = *step++) {
        a->columns++;
        if (*step == 'M') {
            int value = scoring->matrix[*q][*s];
            a->identities += *q == *s;
            a->mismatches += *q != *s;
            a->positives += *q == *s || value > 0;
            score += value;
        } else {
            a->gap_residues++;
            a->gap_openings += *step != last;
            score -= *step != last ? scoring->gap_open : scoring->gap_extend;
        }
        q += *step != 'D';
        s += *step != 'I';
    }
    const uint32_t m = a->query_last + 1 - a->query_first, n = a->subject_last + 1 - a->subject_first;
    return q == query + m && s == subject + n ? score : -1;
}

static wl_status find_path(const pair *p, size_t direct, sw_alignment *a) {
    a->operations = malloc((size_t)p->m + p->n + 1);
    if (a->operations == NULL)
        return wl_fail(WL_NO_MACHINE, "no memory for an alignment of %u and %u letters", p->m, p->n);
    int score;
    wl_status status = sw_trace(p->scoring, p->query, p->m, p->subject, p->n, direct, NULL, a->operations, &score);
    if (status == WL_OK) {
        stretch s = best_stretch(p, a->operations);
        uint32_t before = pairs_before_anchor(p, &s);
        place anchor = {s.at.query + before, s.at.subject + before};
        if (strspn(a->operations, "M") < s.column + before) // else it would be pairs again, where equals come first
            status = trace_back_from(p, anchor, s.column + before, direct, a->operations);
    }
    if (status == WL_OK && (score = sw_alignment_count(p->scoring, p->query, p->subject, a)) != a->score)
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
    const pair whole = {.scoring = scoring, .query = query, .subject = subject, .m = m, .n = n};
    sw_alignment a = {0};
    place end, reach = {0, 0};
    wl_status status = find(whole, SW_LEAST_SUBJECT, &a.score, &end);
    if (status != WL_OK) return status;
    if (a.score == 0) {
        a.operations = calloc(1, 1);
        if (a.operations == NULL) return wl_fail(WL_NO_MACHINE, "no memory for an alignment");
        *alignment = a;
        return WL_OK;
    }
    uint8_t *backward_query = sw_reversed(query, end.query), *backward_subject = sw_reversed(subject, end.subject);
    if (backward_query && backward_subject) {
        const pair backward = {
            .scoring = scoring, .query = backward_query, .subject = backward_subject, .m = end.query, .n = end.subject};
        status = find_reach(&backward, a.score, &reach);
    } else {
        status = wl_fail(WL_NO_MACHINE, "no memory to align sequences of %u and %u letters", m, n);
    }
    WL_FREE(backward_query, backward_subject);
    if (status != WL_OK) return status;
    a.query_first = end.query - reach.query;
    a.query_last = end.query - 1;
    a.subject_first = end.subject - reach.subject;
    a.subject_last = end.subject - 1;
    const pair aligned = {.scoring = scoring,
                          .query = query + a.query_first,
                          .subject = subject + a.subject_first,
                          .m = reach.query,
                          .n = reach.subject};
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
