/* Several alignments of a subject, and filters by identity and coverage. */
#include "tools/search/answer.h"

#include <stdlib.h>

#include "harness/base/memory.h"

void sw_answer_free(sw_answer *a) {
    for (size_t i = 0; a->alignments && i < a->count; i++) sw_alignment_free(&a->alignments[i]);
    WL_FREE(a->subject, a->score, a->strand, a->alignments);
    *a = (sw_answer){0};
}

typedef struct {
    sw_alignment alignment;
    int strand;
    size_t found; // the how manieth of its subject: earlier ones come first among equals
} stranded;

/* A subject's alignments. */
typedef struct {
    size_t subject;
    uint64_t order;
    stranded *items; // [count]
    size_t count;
} group;

typedef struct {
    const sw_search_request *request;
    const sw_space *space;
    const uint8_t *plus, *minus;
    uint32_t length; // of the query
    int least;
} refiner;

static wl_status add(group *g, const sw_alignment *alignment, int strand) {
    stranded *more = realloc(g->items, (g->count + 1) * sizeof *more);
    if (more == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu alignments of a subject", g->count + 1);
    g->items = more;
    more[g->count] = (stranded){*alignment, strand, g->count};
    g->count++;
    return WL_OK;
}

static void group_free(group *g) {
    for (size_t i = 0; i < g->count; i++) sw_alignment_free(&g->items[i].alignment);
    free(g->items);
    *g = (group){0};
}

static int is_wanted(const refiner *r, uint32_t subject_length, const sw_alignment *a) {
    const sw_search_request *q = r->request;
    if (a->score < r->least) return 0;
    if (q->statistics->by_pair && sw_evalue(q->statistics, r->space, subject_length, a->score) > q->evalue) return 0;
    if (100.0 * a->identities < q->least_identity * a->columns) return 0;
    return 100.0 * (a->query_last + 1 - a->query_first) >= q->least_coverage * r->length;
}

static int by_score(const void *left, const void *right) {
    const stranded *a = left, *b = right;
    if (a->alignment.score != b->alignment.score) return a->alignment.score > b->alignment.score ? -1 : 1;
    return a->found < b->found ? -1 : a->found > b->found;
}

/* A strand's alignments after `first`, which is in the group. */
static wl_status add_others(const refiner *r, group *g, const sw_alignment *first, int strand) {
    const sw_set *set = &r->request->database->set;
    sw_alignment *others;
    size_t count;
    WL_TRY(sw_align_others(r->request->scoring, strand > 0 ? r->plus : r->minus, r->length,
                           set->residues + set->start[g->subject], set->length[g->subject], first, r->least,
                           r->request->most_alignments - 1, &others, &count));
    wl_status status = WL_OK;
    for (size_t i = 0; i < count; i++) {
        if (status == WL_OK) status = add(g, &others[i], strand);
        if (status != WL_OK) sw_alignment_free(&others[i]);
    }
    free(others);
    return status;
}

static wl_status add_strand(const refiner *r, group *g, int strand) {
    const sw_set *set = &r->request->database->set;
    sw_alignment best;
    WL_TRY(sw_align(r->request->scoring, strand > 0 ? r->plus : r->minus, r->length,
                    set->residues + set->start[g->subject], set->length[g->subject], &best));
    if (best.score < r->least || best.score < 1) {
        sw_alignment_free(&best);
        return WL_OK;
    }
    const wl_status status = add(g, &best, strand);
    if (status != WL_OK) sw_alignment_free(&best);
    return status == WL_OK ? add_others(r, g, &best, strand) : status;
}

/* g has the subject's best alignment. */
static wl_status complete(const refiner *r, group *g) {
    if (r->request->most_alignments > 1) {
        const sw_alignment first = g->items[0].alignment;
        const int strand = g->items[0].strand;
        WL_TRY(add_others(r, g, &first, strand));
        if (r->minus && (r->request->strands & (strand > 0 ? SW_MINUS : SW_PLUS))) WL_TRY(add_strand(r, g, -strand));
    }
    const uint32_t length = r->request->database->set.length[g->subject];
    size_t kept = 0;
    const size_t most = r->request->most_alignments > 1 ? r->request->most_alignments : 1;
    qsort(g->items, g->count, sizeof *g->items, by_score);
    for (size_t i = 0; i < g->count; i++) {
        if (kept < most && is_wanted(r, length, &g->items[i].alignment))
            g->items[kept++] = g->items[i];
        else
            sw_alignment_free(&g->items[i].alignment);
    }
    g->count = kept;
    return WL_OK;
}

static int by_best(const void *left, const void *right) {
    const group *a = left, *b = right;
    if (a->count == 0 || b->count == 0) return (a->count == 0) - (b->count == 0);
    const int x = a->items[0].alignment.score, y = b->items[0].alignment.score;
    if (x != y) return x > y ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static wl_status complete_all(const refiner *r, group *groups, size_t count) {
    wl_kept first = {0};
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < count; i++) wl_keep(&first, i, complete(r, &groups[i]));
    return wl_kept_again(&first);
}

/* The alignments of the first groups as an answer; they are its own then. */
static wl_status flatten(group *groups, size_t count, sw_answer *a) {
    size_t total = 0, at = 0;
    for (size_t g = 0; g < count; g++) total += groups[g].count;
    sw_answer made = {.query = a->query, .count = total};
    if (!WL_ALLOCATE(WL_ARRAY(made.subject, total), WL_ARRAY(made.score, total), WL_ARRAY(made.strand, total),
                     WL_ZEROS(made.alignments, total)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu hits of a query", total);
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < groups[g].count; i++, at++) {
            made.subject[at] = groups[g].subject;
            made.score[at] = groups[g].items[i].alignment.score;
            made.strand[at] = (int8_t)groups[g].items[i].strand;
            made.alignments[at] = groups[g].items[i].alignment;
            groups[g].items[i].alignment = (sw_alignment){0};
        }
    sw_answer_free(a);
    *a = made;
    return WL_OK;
}

wl_status sw_answer_refine(const sw_search_request *request, const sw_space *space, const uint8_t *plus,
                           const uint8_t *minus, int least, sw_answer *a) {
    const refiner r = {.request = request,
                       .space = space,
                       .plus = plus,
                       .minus = minus,
                       .length = request->queries->set.length[a->query],
                       .least = least};
    group *groups = calloc(a->count + 1, sizeof *groups);
    if (groups == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu hits of a query", a->count);
    wl_status status = WL_OK;
    for (size_t i = 0; i < a->count && status == WL_OK; i++) {
        groups[i] = (group){.subject = a->subject[i], .order = request->database->order[a->subject[i]]};
        status = add(&groups[i], &a->alignments[i], a->strand[i]);
        if (status == WL_OK) a->alignments[i] = (sw_alignment){0};
    }
    if (status == WL_OK) status = complete_all(&r, groups, a->count);
    const size_t count = a->count; /* flatten changes it */
    if (status == WL_OK) {
        size_t kept = 0;
        qsort(groups, count, sizeof *groups, by_best);
        while (kept < count && kept < request->most_hits && groups[kept].count > 0) kept++;
        status = flatten(groups, kept, a);
    }
    for (size_t i = 0; i < count; i++) group_free(&groups[i]);
    free(groups);
    return status;
}
