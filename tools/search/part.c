#include "tools/search/part.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/base/memory.h"
#include "tools/search/answer.h"

/* Parts are ranges of the database first: those are of equal work to the letter, and queries are few and long. Each range finds up to as
   many hits of a query as the whole search, so there are more batches of queries where ranges are more than these. */
enum { RANGES_MOST = 32 };
/* A batch has at least so many letters, where there are as many: on fewer, a GPU spends its time on copies of the database. */
#define LEAST_LETTERS ((uint64_t)1 << 14)

/* A hit as a part keeps it. */
typedef struct {
    int32_t score, strand;
    uint64_t subject;
} part_hit;

/* --- Which part is what ------------------------------------------------------------------------------------------ */

/* A part's queries and subjects: first .. end - 1. Part p of all is number `range` of the `ranges` of its batch. */
typedef struct {
    size_t batch, range, ranges;
    size_t first_query, end_query, first_subject, end_subject;
} rectangle;

/* 0 .. count in `of` shares: where share `i` begins. */
static size_t cut(size_t count, size_t i, size_t of) { return (size_t)((unsigned __int128)count * i / of); }

/* The first sequence of `set` that begins at or after the start of share `i` of all letters. Shares are of nearly equal work, however
   lengths are sorted. */
static size_t cut_letters(const sw_set *set, size_t i, size_t of) {
    if (i == 0 || set->count == 0) return 0;
    if (i == of) return set->count;
    const uint64_t bytes = sw_set_bytes(set), at = set->start[0] + (uint64_t)((unsigned __int128)bytes * i / of);
    size_t low = 0, high = set->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (set->start[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t batches_of(const sw_set *queries, size_t parts) {
    size_t batches = (size_t)(queries->letters / LEAST_LETTERS);
    if (batches > queries->count) batches = queries->count;
    if (batches > (parts - 1) / RANGES_MOST + 1) batches = (parts - 1) / RANGES_MOST + 1;
    return batches > 0 ? batches : 1;
}

/* Batches get parts as evenly as whole numbers can, and queries by the number of their parts. */
static rectangle rectangle_of(const sw_search_request *request, size_t part, size_t parts) {
    const sw_set *queries = &request->queries->set, *database = &request->database->set;
    const size_t batches = batches_of(queries, parts);
    rectangle r = {0};
    while (r.batch + 1 < batches && cut(parts, r.batch + 1, batches) <= part) r.batch++;
    const size_t first = cut(parts, r.batch, batches), end = cut(parts, r.batch + 1, batches);
    r.range = part - first;
    r.ranges = end - first;
    r.first_query = cut_letters(queries, first, parts);
    r.end_query = cut_letters(queries, end, parts);
    r.first_subject = cut_letters(database, r.range, r.ranges);
    r.end_subject = cut_letters(database, r.range + 1, r.ranges);
    return r;
}

/* --- Computing --------------------------------------------------------------------------------------------------- */

typedef struct {
    wl_part_writer *writer;
    size_t query;   // the next one's number
    part_hit *hits; // of that query
    wl_saved_error failure;
} putting;

static void put(void *context, const sw_report *report, const sw_found *found) {
    putting *p = context;
    (void)report;
    const size_t query = p->query++;
    if (p->failure.status != WL_OK || found->count == 0) return;
    if (!WL_GROW(p->hits, 0, found->count)) {
        wl_save_error(&p->failure, 0,
                      wl_fail(WL_NO_MACHINE, "not enough memory for %zu hits of a query", found->count));
        return;
    }
    for (size_t i = 0; i < found->count; i++)
        p->hits[i] = (part_hit){found->hits[i].hit.score, found->hits[i].strand, found->hits[i].hit.subject};
    wl_save_error(&p->failure, 0, wl_part_put(p->writer, query, p->hits, found->count * sizeof *p->hits));
}

static wl_status search_rectangle(const sw_search_request *request, rectangle r, wl_part_writer *writer,
                                  sw_search_summary *summary) {
    putting p = {.writer = writer, .query = r.first_query};
    if (r.first_query == r.end_query || r.first_subject == r.end_subject) return WL_OK;
    sw_owned_set queries = *request->queries;
    queries.set = sw_set_part(&request->queries->set, r.first_query, r.end_query - r.first_query);
    queries.order += r.first_query;
    queries.name += r.first_query;
    queries.comment += r.first_query;
    queries.quality += r.first_query;
    sw_search_request some = *request;
    some.queries = &queries;
    some.first_subject = r.first_subject;
    some.subjects = r.end_subject - r.first_subject;
    /* More alignments of a subject, and filters of alignments, are the merge's; it needs all hits that filters may leave. */
    if (request->least_identity > 0 || request->least_coverage > 0) some.most_hits = request->database->set.count + 1;
    some.most_alignments = 1;
    some.least_identity = some.least_coverage = 0;
    sw_report *report;
    WL_TRY(sw_report_take(put, &p, 0, request->scoring, request->statistics, request->database, &report));
    wl_status status = sw_search(&some, report, writer->stream, summary);
    sw_report_close(report);
    free(p.hits);
    return status == WL_OK ? wl_saved_error_again(&p.failure) : status;
}

wl_status sw_search_parts(const sw_search_request *request, const wl_part_range *range, sw_search_summary *summary) {
    *summary = (sw_search_summary){0};
    wl_status status = WL_OK;
    const size_t end = range->first + range->count;
    for (size_t part = range->first, next; part < end && status == WL_OK; part = next) {
        rectangle r = rectangle_of(request, part, range->parts);
        next = part + r.ranges - r.range < end ? part + r.ranges - r.range : end;
        r.end_subject = rectangle_of(request, next - 1, range->parts).end_subject;
        sw_search_summary one = {0};
        status = search_rectangle(request, r, &range->writers[part - range->first], &one);
        one.queries += summary->queries, one.letters += summary->letters, one.hits += summary->hits;
        one.cells += summary->cells, one.scan_seconds += summary->scan_seconds;
        *summary = one;
    }
    return status;
}

/* --- Merging ----------------------------------------------------------------------------------------------------- */

/* The hits of query `q` in part `part`, to the rows of the batch that are its strands'. */
static wl_status gather(const sw_search_request *request, const wl_part_set *set, size_t part, size_t q,
                        sw_batch *batch) {
    const wl_part_record *record = wl_part_find(&set->items[part], q);
    const size_t rows = batch->scan.queries.count, row = q - batch->first;
    if (record == NULL) return WL_OK;
    if (record->size % sizeof(part_hit) != 0) return wl_part_set_refuse(set, part, q);
    for (size_t i = 0; i < record->size / sizeof(part_hit); i++) {
        part_hit hit;
        memcpy(&hit, record->bytes + i * sizeof hit, sizeof hit);
        const int strand = hit.strand > 0 ? SW_PLUS : SW_MINUS;
        if (hit.subject >= request->database->set.count || !(request->strands & strand))
            return wl_part_set_refuse(set, part, q);
        sw_hits *hits = &batch->scan.hits[strand == SW_PLUS ? row : rows - batch->count + row];
        WL_TRY(sw_hits_add_one(
            hits, (sw_hit){hit.score, sw_search_order(request, (size_t)hit.subject), (size_t)hit.subject}));
    }
    return WL_OK;
}

/* Queries first .. end - 1, whose hits are in the parts first_part .. end_part - 1. */
static wl_status merge_batch(const sw_search_request *request, const wl_part_set *set, size_t first, size_t end,
                             size_t first_part, size_t end_part, sw_report *report, size_t *hits) {
    sw_batch batch;
    WL_TRY(sw_batch_make(request, first, end - first, &batch));
    wl_status status = WL_OK;
    for (size_t q = first; q < end; q++)
        for (size_t part = first_part; part < end_part && status == WL_OK; part++)
            status = gather(request, set, part, q, &batch);
    if (status == WL_OK) status = sw_answers_report(request, &batch, report, hits);
    sw_batch_free(&batch);
    return status;
}

wl_status sw_search_merge(const sw_search_request *request, const wl_part_set *set, sw_report *report, FILE *stream,
                          sw_search_summary *summary) {
    enum { TOGETHER = 256 }; // queries whose hits are in memory at a time
    *summary = (sw_search_summary){0};
    if (request->threads > 0) omp_set_num_threads(request->threads);
    wl_status status = sw_report_begin(report);
    for (size_t part = 0; part < set->count && status == WL_OK;) {
        const rectangle r = rectangle_of(request, part, set->count);
        for (size_t q = r.first_query, end; q < r.end_query && status == WL_OK && !ferror(stream); q = end) {
            end = r.end_query - q < TOGETHER ? r.end_query : q + TOGETHER;
            status = merge_batch(request, set, q, end, part, part + r.ranges, report, &summary->hits);
        }
        part += r.ranges;
    }
    if (status == WL_OK) sw_report_end(report);
    return status;
}

/* --- Which run it is --------------------------------------------------------------------------------------------- */

static uint64_t hash_set(const sw_set *set) {
    const uint64_t bytes = sw_set_bytes(set), chunk = (uint64_t)1 << 20, first = set->count ? set->start[0] : 0;
    uint64_t sum = 0;
    /* A sum does not depend on the order in which threads add; the number of the chunk is in each term. */
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (uint64_t at = 0; at < bytes; at += chunk)
        sum += wl_hash_join(wl_hash_bytes(set->residues + first + at, bytes - at < chunk ? bytes - at : chunk), at);
    const uint64_t lengths = wl_hash_bytes(set->length, set->count * sizeof *set->length);
    return wl_hash_join(wl_hash_join(sum, lengths), set->count);
}

uint64_t sw_search_hash(const sw_search_request *request) {
    const sw_owned_set *queries = request->queries;
    const sw_database *database = request->database;
    const sw_scoring *scoring = request->scoring;
    uint64_t hash = wl_hash_join(hash_set(&queries->set), hash_set(&database->set));
    hash = wl_hash_join(hash, RANGES_MOST); // parts that were cut otherwise are none of this run
    for (size_t q = 0; q < queries->set.count; q++)
        hash = wl_hash_join(hash, wl_hash_join(wl_hash_text(queries->name[q]), wl_hash_text(queries->comment[q])));
    hash = wl_hash_join(hash, wl_hash_words(database->order, database->set.count));
    hash = wl_hash_join(hash, wl_hash_bytes(database->text, database->text_bytes));
    hash = wl_hash_join(hash, wl_hash_bytes(scoring->matrix, sizeof scoring->matrix));
    hash = wl_hash_join(hash, (uint64_t)(uint32_t)scoring->gap_open);
    return wl_hash_join(hash, (uint64_t)(uint32_t)scoring->gap_extend);
}
