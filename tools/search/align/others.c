/* Further alignments of a pair of sequences.

   Each is the best that has no pair of residues of those before it, and takes three passes, as the best one does: to its end, backwards
   from there to its beginning, and between the two to its path.

   One that lies within a reported one is not reported, but its pairs are barred as well. Repeats have hundreds of those, so it is not
   looked for where that can be avoided. Whatever may still be reported reaches out of the largest reported one, its box. So its part
   outside, and every continuation of that towards the other end, scores more than 0. Alignments of that kind are found in the time that
   their own cells take (sw_find_from), both those that begin outside and those that end there. If the best of them scores less than is
   reported, nothing is left.

   Otherwise the best of them is reported next, on one condition: no alignment that shares a pair with it scores more, or as much and ends
   before. Those within the box that score more can be taken before it or after it, with the same result. If the condition is not sure,
   the best of all is taken. */
#include <stdlib.h>

#include "harness/base/memory.h"
#include "tools/search/align/one_way.h"
#include "tools/search/align/trace.h"

typedef struct {
    sw_one_way forwards;                        // all of both
    uint8_t *reversed_query, *reversed_subject; // [m], [n]
    sw_path *taken;                             // [count]
    sw_alignment *found;                        // [count], without paths: what later ones may lie within
    size_t count, largest;                      // largest: of those that are reported, the one with the largest box
} search;

typedef enum { NONE, SURE, UNSURE } verdict;

static double box_of(const sw_alignment *a) {
    return (double)(a->query_last + 1 - a->query_first) * (a->subject_last + 1 - a->subject_first);
}

/* From a place on, forwards; or the first `rows` and `columns`, backwards. */
static sw_one_way from(const search *s, uint32_t query, uint32_t subject) {
    sw_one_way way = s->forwards;
    way.query += query;
    way.subject += subject;
    way.m -= query;
    way.n -= subject;
    way.barred = (sw_barred){s->taken, s->count, query, subject, 0};
    return way;
}

static sw_one_way back_from(const search *s, uint32_t rows, uint32_t columns) {
    const sw_one_way *all = &s->forwards;
    return (sw_one_way){.scoring = all->scoring,
                        .query = s->reversed_query + (all->m - rows),
                        .subject = s->reversed_subject + (all->n - columns),
                        .m = rows,
                        .n = columns,
                        .barred = {s->taken, s->count, rows - 1, columns - 1, 1}};
}

static int is_within(const sw_alignment *a, const sw_alignment *better) {
    return a->query_first >= better->query_first && a->query_last <= better->query_last &&
           a->subject_first >= better->subject_first && a->subject_last <= better->subject_last;
}

static int is_within_any(const search *s, const sw_alignment *a) {
    for (size_t k = 0; k < s->count; k++)
        if (is_within(a, &s->found[k])) return 1;
    return 0;
}

static wl_status find_path(const search *s, sw_alignment *a) {
    const uint32_t m = a->query_last + 1 - a->query_first, n = a->subject_last + 1 - a->subject_first;
    const sw_one_way way = from(s, a->query_first, a->subject_first);
    int score;
    a->operations = malloc((size_t)m + n + 1);
    wl_status status =
        a->operations ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory for an alignment of %u and %u letters", m, n);
    if (status == WL_OK)
        status =
            sw_trace(way.scoring, way.query, m, way.subject, n, SW_TRACE_CELLS, &way.barred, a->operations, &score);
    if (status == WL_OK && sw_alignment_count(way.scoring, way.query, way.subject, a) != a->score)
        status =
            wl_fail(WL_CHECK_FAILED, "the path of a further alignment does not score %d, as its end does", a->score);
    if (status != WL_OK) sw_alignment_free(a);
    return status;
}

/* An alignment of this score that ends after so many residues and takes so many, without its path. */
static sw_alignment ends_after(int score, uint32_t query, uint32_t subject, uint32_t rows, uint32_t columns) {
    return (sw_alignment){.score = score,
                          .query_first = query - rows,
                          .query_last = query - 1,
                          .subject_first = subject - columns,
                          .subject_last = subject - 1};
}

/* The alignment of this score that ends after so many residues, without its path; score 0: there is none, or a better one. */
static wl_status find_begin(const search *s, int score, uint32_t query, uint32_t subject, sw_alignment *a) {
    const sw_one_way back = back_from(s, query, subject);
    uint32_t rows, columns;
    WL_TRY(sw_reach(&back, score, &rows, &columns));
    *a = ends_after(rows > 0 ? score : 0, query, subject, rows, columns);
    return WL_OK;
}

static wl_status find_by_lanes(const sw_one_way *way, sw_which_end end, int score, sw_pair_best *best) {
    const sw_pair pair = {.scoring = way->scoring,
                          .query = way->query,
                          .subject = way->subject,
                          .m = way->m,
                          .n = way->n,
                          .score = score,
                          .end = end,
                          .threads = sw_align_threads(),
                          .barred = &way->barred};
    return sw_pair_find(&pair, best);
}

/* The best of all; its score is 0 if it is less than `least`. Backwards, no alignment with its score begins elsewhere, or there would
   be an end before the one that was found. */
static wl_status find_best(const search *s, int least, sw_alignment *a) {
    const sw_one_way all = from(s, 0, 0);
    sw_pair_best end, begin;
    *a = (sw_alignment){0};
    WL_TRY(find_by_lanes(&all, SW_LEAST_SUBJECT, 0, &end));
    if (end.score < least || end.score < 1) return WL_OK;
    const sw_one_way back = back_from(s, end.query, end.subject);
    WL_TRY(find_by_lanes(&back, SW_LEAST_QUERY, end.score, &begin));
    if (begin.score != end.score)
        return wl_fail(WL_CHECK_FAILED,
                       "a further alignment of score %d is not found backwards (%d); expected the same score",
                       end.score, begin.score);
    *a = ends_after(end.score, end.query, end.subject, begin.query, begin.subject);
    return find_path(s, a);
}

/* Whether the alignment, the best one that reaches out of the box, of several the one that ends first, is the next one of those. */
static wl_status check_exit(const search *s, sw_alignment *a, verdict *is) {
    const sw_one_way all = from(s, 0, 0);
    sw_cells through;
    *is = UNSURE;
    if (a->score == 0 || is_within_any(s, a)) return WL_OK;
    WL_TRY(find_path(s, a));
    const wl_status status = sw_find_through(&all, a, &through);
    if (status == WL_OK && through.score == a->score && through.query == a->query_last + 1 &&
        through.subject == a->subject_last + 1)
        *is = SURE;
    else
        sw_alignment_free(a);
    return status;
}

/* NONE: nothing that is left can be reported. SURE: *a is next. */
static wl_status find_exit(const search *s, int least, sw_alignment *a, verdict *is) {
    const sw_alignment *box = &s->found[s->largest];
    const uint32_t m = s->forwards.m, n = s->forwards.n;
    const sw_one_way all = from(s, 0, 0), back = back_from(s, m, n);
    sw_cells end, begin;
    WL_TRY(sw_find_from(&all, box->query_first, box->subject_first, &end));
    WL_TRY(sw_find_from(&back, m - 1 - box->query_last, n - 1 - box->subject_last, &begin));
    const uint32_t query_first = m - begin.query, subject_first = n - begin.subject;
    const int score = end.score > begin.score ? end.score : begin.score;
    *is = score < least || score < 1 ? NONE : UNSURE;
    if (*is == NONE || (begin.score == score && begin.count > 1)) return WL_OK;
    if (end.score < score) {
        const sw_one_way on = from(s, query_first, subject_first);
        uint32_t rows, columns;
        WL_TRY(sw_reach(&on, score, &rows, &columns));
        if (rows == 0) return WL_OK;
        end.query = query_first + rows;
        end.subject = subject_first + columns;
    }
    WL_TRY(find_begin(s, score, end.query, end.subject, a));
    if (begin.score == score && (a->query_first != query_first || a->subject_first != subject_first)) return WL_OK;
    return check_exit(s, a, is);
}

/* Bars its pairs. Its ranges are kept, its path is not. */
static wl_status take(search *s, const sw_alignment *a) {
    const uint32_t rows = a->query_last + 1 - a->query_first;
    uint32_t *column = calloc(rows, sizeof *column);
    if (!column || !WL_GROW(s->taken, s->count, 1) || !WL_GROW(s->found, s->count, 1)) {
        free(column);
        return wl_fail(WL_NO_MACHINE, "no memory for %zu alignments of a pair", s->count + 1);
    }
    uint32_t q = 0, t = a->subject_first;
    for (const char *step = a->operations; *step; step++) {
        if (*step == 'M') column[q] = t + 1;
        q += *step != 'D';
        t += *step != 'I';
    }
    s->taken[s->count] = (sw_path){a->query_first, rows, column};
    s->found[s->count++] = *a;
    return WL_OK;
}

/* Adds it to the others, if it is to be reported. */
static wl_status keep(search *s, sw_alignment *a, int reports, sw_alignment **others, size_t *count) {
    WL_TRY(take(s, a));
    if (!reports) return WL_OK;
    if (box_of(a) > box_of(&s->found[s->largest])) s->largest = s->count - 1;
    if (!WL_GROW(*others, *count, 1))
        return wl_fail(WL_NO_MACHINE, "no memory for %zu alignments of a pair", *count + 1);
    (*others)[(*count)++] = *a;
    *a = (sw_alignment){0};
    return WL_OK;
}

/* Looking for what reaches out of the box takes about as long as finding several alignments by all lanes. So where it was in vain, some that
   are not reported are taken first, each time twice as many. */
static wl_status find_all(search *s, int least, size_t most, sw_alignment **others, size_t *count) {
    enum { LONGEST_WAIT = 16 };
    const double cells = (double)s->forwards.m * s->forwards.n;
    size_t hidden = 0,
           wait = 1; // alignments within others since the last look, and how many there are to be before the next
    while (*count < most) {
        sw_alignment a = {0};
        verdict is = UNSURE;
        if (hidden >= wait || (hidden == 0 && 2 * box_of(&s->found[s->largest]) > cells)) {
            WL_TRY(find_exit(s, least, &a, &is));
            if (hidden > 0 && wait < LONGEST_WAIT) wait *= 2;
            hidden = 0;
        }
        if (is == NONE) return WL_OK;
        if (is == UNSURE) WL_TRY(find_best(s, least, &a));
        if (a.score == 0) return WL_OK;
        const int reports = !is_within_any(s, &a);
        hidden = reports ? 0 : hidden + 1;
        if (reports) wait = 1;
        const wl_status status = keep(s, &a, reports, others, count);
        sw_alignment_free(&a);
        WL_TRY(status);
    }
    return WL_OK;
}

wl_status sw_align_others(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject,
                          uint32_t n, const sw_alignment *first, int least, size_t most, sw_alignment **others,
                          size_t *count) {
    search s = {.forwards = {.scoring = scoring, .query = query, .subject = subject, .m = m, .n = n},
                .reversed_query = sw_reversed(query, m),
                .reversed_subject = sw_reversed(subject, n)};
    *others = NULL;
    *count = 0;
    wl_status status = s.reversed_query && s.reversed_subject
                           ? take(&s, first)
                           : wl_fail(WL_NO_MACHINE, "no memory to align sequences of %u and %u letters", m, n);
    if (status == WL_OK) status = find_all(&s, least, most, others, count);
    for (size_t k = 0; k < s.count; k++) free(s.taken[k].column);
    WL_FREE(s.taken, s.found, s.reversed_query, s.reversed_subject);
    for (size_t k = 0; status != WL_OK && k < *count; k++) sw_alignment_free(&(*others)[k]);
    if (status != WL_OK) {
        free(*others);
        *others = NULL;
        *count = 0;
    }
    return status;
}
