/* From the hits of a batch to its report: strands merged, alignments computed
 * on all cores, queries reported in order. */
#include <stdlib.h>

#include "harness/base/memory.h"

#include "tools/search/answer.h"
#include "tools/search/batch.h"

/* Alignments in memory at a time, or one query's if those are more: enough to
 * keep all cores busy. */
enum { ALIGNED_TOGETHER = 4096 };

/* --- What is reported of a query --- */

typedef struct {
    sw_hit hit;
    int strand;
} stranded;

static int by_subject(const void *left, const void *right) {
    const stranded *a = left, *b = right;
    if (a->hit.order != b->hit.order) return a->hit.order < b->hit.order ? -1 : 1;
    if (a->hit.score != b->hit.score) return a->hit.score > b->hit.score ? -1 : 1;
    return b->strand - a->strand; // of equal strands the plus strand
}

static int by_rank(const void *left, const void *right) {
    const stranded *a = left, *b = right;
    if (a->hit.score != b->hit.score) return a->hit.score > b->hit.score ? -1 : 1;
    return a->hit.order < b->hit.order ? -1 : a->hit.order > b->hit.order;
}

/* The hits of all strands, each subject once, best first: [*count], at most
   `most`. Each strand's list holds its best `most`, so the best `most` of all
   are in one or the other. */
static void merge(stranded *all, size_t most, size_t *count) {
    size_t kept = 0;
    qsort(all, *count, sizeof *all, by_subject);
    for (size_t i = 0; i < *count; i++)
        if (i == 0 || all[i].hit.order != all[i - 1].hit.order) all[kept++] = all[i];
    qsort(all, kept, sizeof *all, by_rank);
    *count = kept < most ? kept : most;
}

static wl_status make_answer(const sw_search_request *request, const sw_batch *batch, size_t q, sw_answer *a) {
    size_t most = 0, count = 0;
    for (size_t row = q; row < batch->scan.queries.count; row += batch->count) most += batch->scan.hits[row].count;
    stranded *all; // [most]
    *a = (sw_answer){.query = batch->first + q};
    if (!WL_ALLOCATE(WL_ARRAY(all, most), WL_ARRAY(a->subject, most), WL_ARRAY(a->score, most),
                     WL_ARRAY(a->strand, most), WL_ZEROS(a->alignments, most)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu hits of a query", most);
    for (size_t row = q; row < batch->scan.queries.count; row += batch->count) {
        const sw_hits *hits = &batch->scan.hits[row];
        int strand = row >= batch->count || !(request->strands & SW_PLUS) ? -1 : 1;
        for (size_t i = 0; i < hits->count; i++) all[count++] = (stranded){hits->items[i], strand};
    }
    merge(all, sw_search_refines(request) ? SIZE_MAX : request->most_hits, &count);
    for (size_t i = 0; i < count; i++) {
        a->subject[i] = all[i].hit.subject;
        a->score[i] = all[i].hit.score;
        a->strand[i] = (int8_t)all[i].strand;
    }
    a->count = count;
    free(all);
    return WL_OK;
}

/* --- Alignments --- */

/* The codes of query `q` of the request, or of its reverse complement. */
static const uint8_t *residues(const sw_search_request *request, const sw_batch *batch, size_t q, int strand) {
    if (strand > 0) return request->queries->set.residues + request->queries->set.start[q];
    const sw_set *rows = &batch->scan.queries;
    return rows->residues + rows->start[rows->count - batch->count + q - batch->first];
}

static wl_status align_one(const sw_search_request *request, const sw_batch *batch, sw_answer *a, size_t i) {
    const sw_set *queries = &request->queries->set, *subjects = &request->database->set;
    size_t q = a->query, s = a->subject[i];
    sw_alignment *alignment = &a->alignments[i];
    wl_status status = sw_align(request->scoring, residues(request, batch, q, a->strand[i]), queries->length[q],
                                subjects->residues + subjects->start[s], subjects->length[s], alignment);
    if (status != WL_OK || alignment->score == a->score[i]) return status;
    return wl_fail(WL_CHECK_FAILED,
                   "query '%.80s', subject '%.80s': the scan found score %d, the "
                   "alignment %d; expected equal",
                   request->queries->name[q], sw_database_name(request->database, s), a->score[i], alignment->score);
}

/* All hits of `count` answers, on all cores. Of several failures the first
 * one's line. */
static wl_status align_all(const sw_search_request *request, const sw_batch *batch, sw_answer *answers, size_t count) {
    size_t total = 0;
    size_t *ends = malloc((count + 1) * sizeof *ends); // [count]: hits up to and with this answer
    wl_kept first = {0};
    if (ends == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the alignments");
    for (size_t a = 0; a < count; a++) ends[a] = total += answers[a].count;
#pragma omp parallel for schedule(dynamic)
    for (size_t k = 0; k < total; k++) {
        size_t low = 0, high = count - 1; // the answer that hit k is in
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (ends[middle] > k)
                high = middle;
            else
                low = middle + 1;
        }
        size_t i = k - (ends[low] - answers[low].count);
        wl_keep(&first, k, align_one(request, batch, &answers[low], i));
    }
    free(ends);
    return wl_kept_again(&first);
}

static wl_status refine(const sw_search_request *request, const sw_batch *batch, sw_answer *a) {
    const size_t q = a->query - batch->first;
    return sw_answer_refine(request, &batch->space[q], residues(request, batch, a->query, 1),
                            request->strands & SW_MINUS ? residues(request, batch, a->query, -1) : NULL,
                            batch->scan.hits[q].least, a);
}

/* --- Reporting --- */

static void report_answer(const sw_search_request *request, const sw_batch *batch, const sw_answer *a,
                          sw_report *report) {
    const sw_owned_set *queries = request->queries;
    size_t q = a->query;
    sw_found found = {.name = queries->name[q],
                      .comment = queries->comment[q],
                      .residues = residues(request, batch, q, 1),
                      .length = queries->set.length[q],
                      .space = batch->space[q - batch->first],
                      .statistics = &batch->statistics[q - batch->first],
                      .count = a->count,
                      .subject = a->subject,
                      .score = a->score,
                      .alignments = sw_report_aligns(report) ? a->alignments : NULL};
    if (request->strands & SW_MINUS) {
        found.reverse = residues(request, batch, q, -1);
        found.strand = a->strand;
    }
    sw_report_query(report, &found);
}

wl_status sw_batch_report(const sw_search_request *request, sw_batch *batch, sw_report *report, size_t *hits) {
    sw_answer *answers = calloc(batch->count, sizeof *answers); // [batch->count]
    if (answers == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the hits of %zu queries", batch->count);
    wl_status status = WL_OK;
    for (size_t first = 0, end = 0; first < batch->count && status == WL_OK; first = end) {
        size_t total = 0, reported = 0;
        while (end < batch->count && total < ALIGNED_TOGETHER && status == WL_OK) {
            status = make_answer(request, batch, end, &answers[end]);
            total += answers[end++].count;
        }
        if (status == WL_OK && (sw_report_aligns(report) || sw_search_refines(request)))
            status = align_all(request, batch, answers + first, end - first);
        for (size_t a = first; a < end; a++) {
            if (status == WL_OK && sw_search_refines(request)) status = refine(request, batch, &answers[a]);
            reported += answers[a].count;
            if (status == WL_OK) report_answer(request, batch, &answers[a], report);
            sw_answer_free(&answers[a]);
        }
        *hits += reported;
    }
    free(answers);
    return status;
}
