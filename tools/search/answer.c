#include "tools/search/answer.h"

#include <stdlib.h>

#include "harness/base/memory.h"

/* Alignments in memory at a time, or one query's if those are more: enough to
 * keep all cores busy. */
enum { ALIGNED_TOGETHER = 4096 };

typedef struct {
    sw_aligned *items; // [count]
    size_t count;
} list;

/* What is reported of one query. */
typedef struct {
    const sw_search_request *request;
    const sw_batch *batch;
    size_t query; // of the batch's
    list hits;
} answer;

/* The item is the list's then, or freed. */
static wl_status add(list *to, const sw_aligned *item) {
    if (WL_GROW(to->items, to->count, 1)) {
        to->items[to->count++] = *item;
        return WL_OK;
    }
    sw_alignment alignment = item->alignment;
    sw_alignment_free(&alignment);
    return wl_fail(WL_NO_MACHINE, "not enough memory for %zu hits of a query", to->count + 1);
}

static void list_free(list *l) {
    for (size_t i = 0; i < l->count; i++) sw_alignment_free(&l->items[i].alignment);
    free(l->items);
    *l = (list){0};
}

static size_t number(const answer *a) { return a->batch->first + a->query; }
static uint32_t length(const answer *a) { return a->request->queries->set.length[number(a)]; }

/* The codes of the query, or of its reverse complement. */
static const uint8_t *residues(const answer *a, int strand) {
    const sw_set *queries = &a->request->queries->set, *rows = &a->batch->scan.queries;
    if (strand > 0) return queries->residues + queries->start[number(a)];
    return rows->residues + rows->start[rows->count - a->batch->count + a->query];
}

/* --- The hits of all strands ------------------------------------------------------------------------------------- */

static int by_rank(const void *left, const void *right) {
    const sw_aligned *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->hit.score != b->hit.score) return a->hit.score > b->hit.score ? -1 : 1;
    return a->hit.order < b->hit.order ? -1 : a->hit.order > b->hit.order;
}

static int by_subject(const void *left, const void *right) {
    const sw_aligned *a = left, *b = right;
    if (a->hit.order != b->hit.order) return a->hit.order < b->hit.order ? -1 : 1;
    if (a->hit.score != b->hit.score) return a->hit.score > b->hit.score ? -1 : 1;
    return b->strand - a->strand; // of equal strands the plus strand
}

/* BLAST takes E-values below 1e-180 as equal. */
static double rank_of(const answer *a, const sw_aligned *item) {
    const sw_search_request *q = a->request;
    if (!q->ranks_as_blast || !q->statistics->known) return 0;
    const double evalue = sw_evalue(&a->batch->statistics[a->query], &a->batch->space[a->query],
                                    q->database->set.length[item->hit.subject], item->hit.score);
    return evalue < 1e-180 ? 0 : evalue;
}

/* Each subject once, best first, at most `most` of them. Each strand's list holds its best `most`, so the best `most` of
   all are in one or the other. */
static wl_status merge(answer *a, size_t most) {
    const sw_set *rows = &a->batch->scan.queries;
    list *all = &a->hits;
    for (size_t row = a->query; row < rows->count; row += a->batch->count) {
        const sw_hits *hits = &a->batch->scan.hits[row];
        const int strand = row >= a->batch->count || !(a->request->strands & SW_PLUS) ? -1 : 1;
        for (size_t i = 0; i < hits->count; i++)
            WL_TRY(add(all, &(sw_aligned){.hit = hits->items[i], .strand = strand}));
    }
    size_t kept = 0;
    if (all->count > 0) qsort(all->items, all->count, sizeof *all->items, by_subject);
    for (size_t i = 0; i < all->count; i++)
        if (kept == 0 || all->items[i].hit.order != all->items[kept - 1].hit.order) all->items[kept++] = all->items[i];
    for (size_t i = 0; i < kept; i++) all->items[i].rank = rank_of(a, &all->items[i]);
    if (kept > 0) qsort(all->items, kept, sizeof *all->items, by_rank);
    all->count = kept < most ? kept : most;
    return WL_OK;
}

/* --- Alignments -------------------------------------------------------------------------------------------------- */

static wl_status align(const answer *a, sw_aligned *item) {
    const sw_set *subjects = &a->request->database->set;
    const size_t s = item->hit.subject;
    return sw_align(a->request->scoring, residues(a, item->strand), length(a), subjects->residues + subjects->start[s],
                    subjects->length[s], &item->alignment);
}

static wl_status align_and_check(const answer *a, sw_aligned *item) {
    const wl_status status = align(a, item);
    if (status != WL_OK || item->alignment.score == item->hit.score) return status;
    return wl_fail(WL_CHECK_FAILED,
                   "query '%.80s', subject '%.80s': the scan found score %d, the "
                   "alignment %d; expected equal",
                   a->request->queries->name[number(a)], sw_database_name(a->request->database, item->hit.subject),
                   item->hit.score, item->alignment.score);
}

/* All hits of `count` answers, on all cores. Of several failures the first
 * one's line. */
static wl_status align_all(const answer *answers, size_t count, size_t total) {
    struct {
        const answer *a;
        sw_aligned *item;
    } *tasks = malloc((total + 1) * sizeof *tasks); // [total]
    if (tasks == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the alignments");
    for (size_t k = 0, n = 0; k < count; k++)
        for (size_t i = 0; i < answers[k].hits.count; i++, n++) {
            tasks[n].a = &answers[k];
            tasks[n].item = &answers[k].hits.items[i];
        }
    wl_saved_error first = {0};
#pragma omp parallel for schedule(dynamic) if (total > 1)
    for (size_t n = 0; n < total; n++) wl_save_error(&first, n, align_and_check(tasks[n].a, tasks[n].item));
    free(tasks);
    return wl_saved_error_again(&first);
}

/* --- Several alignments of a subject, and filters by identity and coverage --------------------------------------- */

/* Whether the request asks for more than each subject's best alignment, or for some of these only. */
static int refines(const sw_search_request *request) {
    return request->least_identity > 0 || request->least_coverage > 0 || request->most_alignments > 1;
}

static int is_wanted(const answer *a, const sw_aligned *item) {
    const sw_search_request *q = a->request;
    const sw_alignment *found = &item->alignment;
    if (found->score < a->batch->scan.hits[a->query].least) return 0;
    if (q->statistics->by_pair && sw_evalue(q->statistics, &a->batch->space[a->query],
                                            q->database->set.length[item->hit.subject], found->score) > q->evalue)
        return 0;
    if (100.0 * found->identities < q->least_identity * found->columns) return 0;
    return 100.0 * (found->query_last + 1 - found->query_first) >= q->least_coverage * length(a);
}

/* A strand's alignments after its best one, which is the last of the subject's by now. */
static wl_status add_others(const answer *a, list *subject) {
    const sw_set *set = &a->request->database->set;
    const sw_aligned best = subject->items[subject->count - 1];
    const size_t s = best.hit.subject;
    sw_alignment *others;
    size_t count;
    WL_TRY(sw_align_others(a->request->scoring, residues(a, best.strand), length(a), set->residues + set->start[s],
                           set->length[s], &best.alignment, a->batch->scan.hits[a->query].least,
                           a->request->most_alignments - 1, &others, &count));
    wl_status status = WL_OK;
    for (size_t i = 0; i < count; i++) {
        const sw_aligned other = {{others[i].score, best.hit.order, s}, best.strand, others[i], best.rank};
        if (status == WL_OK)
            status = add(subject, &other);
        else
            sw_alignment_free(&others[i]);
    }
    free(others);
    return status;
}

static wl_status add_strand(const answer *a, list *subject, int strand) {
    sw_aligned best = {.hit = subject->items[0].hit, .strand = strand, .rank = subject->items[0].rank};
    WL_TRY(align(a, &best));
    best.hit.score = best.alignment.score;
    if (best.hit.score < a->batch->scan.hits[a->query].least || best.hit.score < 1) {
        sw_alignment_free(&best.alignment);
        return WL_OK;
    }
    WL_TRY(add(subject, &best));
    return add_others(a, subject);
}

/* Best first, and among equals those that were found earlier. */
static void sort(list *subject) {
    sw_aligned *items = subject->items;
    for (size_t i = 1; i < subject->count; i++) {
        const sw_aligned item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].hit.score < item.hit.score; at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

/* All wanted alignments of a subject, of which `best` is the best one. */
static wl_status complete(const answer *a, const sw_aligned *best, list *subject) {
    const int reverse = best->strand > 0 ? SW_MINUS : SW_PLUS;
    WL_TRY(add(subject, best));
    if (a->request->most_alignments > 1) {
        WL_TRY(add_others(a, subject));
        if (a->request->strands & reverse) WL_TRY(add_strand(a, subject, -best->strand));
    }
    const size_t most = a->request->most_alignments > 1 ? a->request->most_alignments : 1;
    size_t kept = 0;
    sort(subject);
    for (size_t i = 0; i < subject->count; i++)
        if (kept < most && is_wanted(a, &subject->items[i]))
            subject->items[kept++] = subject->items[i];
        else
            sw_alignment_free(&subject->items[i].alignment);
    subject->count = kept;
    return WL_OK;
}

static int by_best(const void *left, const void *right) {
    const list *a = left, *b = right;
    if (a->count == 0 || b->count == 0) return (a->count == 0) - (b->count == 0);
    return by_rank(a->items, b->items);
}

/* From the best alignment of each subject to the best most_hits subjects with all that is wanted of them. */
static wl_status refine(answer *a) {
    const size_t count = a->hits.count;
    list *subjects = calloc(count + 1, sizeof *subjects);
    if (subjects == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu hits of a query", count);
    wl_saved_error first = {0};
#pragma omp parallel for schedule(dynamic) if (count > 1) // else the threads align the one pair
    for (size_t i = 0; i < count; i++) wl_save_error(&first, i, complete(a, &a->hits.items[i], &subjects[i]));
    a->hits.count = 0; // the subjects' lists have them now
    wl_status status = wl_saved_error_again(&first);
    qsort(subjects, count, sizeof *subjects, by_best);
    for (size_t s = 0; s < count; s++) {
        for (size_t i = 0; i < subjects[s].count && s < a->request->most_hits && status == WL_OK; i++) {
            status = add(&a->hits, &subjects[s].items[i]);
            subjects[s].items[i].alignment = (sw_alignment){0};
        }
        list_free(&subjects[s]);
    }
    free(subjects);
    return status;
}

/* --- Reporting --------------------------------------------------------------------------------------------------- */

static void report_one(const answer *a, sw_report *report) {
    const sw_owned_set *queries = a->request->queries;
    const sw_found found = {.name = queries->name[number(a)],
                            .comment = queries->comment[number(a)],
                            .quality = queries->quality[number(a)],
                            .residues = residues(a, 1),
                            .length = length(a),
                            .reverse = a->request->strands & SW_MINUS ? residues(a, -1) : NULL,
                            .space = a->batch->space[a->query],
                            .statistics = &a->batch->statistics[a->query],
                            .hits = a->hits.items,
                            .count = a->hits.count,
                            .aligned = sw_report_aligns(report)};
    sw_report_query(report, &found);
}

/* `count` answers with `total` hits. */
static wl_status finish(answer *answers, size_t count, size_t total, sw_report *report, size_t *hits) {
    const int more = refines(answers->request);
    if (more || sw_report_aligns(report)) WL_TRY(align_all(answers, count, total));
    for (size_t k = 0; k < count; k++) {
        if (more) WL_TRY(refine(&answers[k]));
        *hits += answers[k].hits.count;
        report_one(&answers[k], report);
        list_free(&answers[k].hits);
    }
    return WL_OK;
}

wl_status sw_answers_report(const sw_search_request *request, const sw_batch *batch, sw_report *report, size_t *hits) {
    answer *answers = malloc((batch->count + 1) * sizeof *answers); // [batch->count]
    if (answers == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the hits of %zu queries", batch->count);
    wl_status status = WL_OK;
    for (size_t first = 0, end = 0; first < batch->count && status == WL_OK; first = end) {
        size_t total = 0;
        while (end < batch->count && total < ALIGNED_TOGETHER && status == WL_OK) {
            answers[end] = (answer){.request = request, .batch = batch, .query = end};
            status = merge(&answers[end], refines(request) ? SIZE_MAX : request->most_hits);
            total += answers[end++].hits.count;
        }
        if (status == WL_OK) status = finish(answers + first, end - first, total, report, hits);
        for (size_t k = first; k < end; k++) list_free(&answers[k].hits);
    }
    free(answers);
    return status;
}
