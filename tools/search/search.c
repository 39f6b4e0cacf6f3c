#include "tools/search/search.h"

#include <omp.h>
#include <stdlib.h>

#include "harness/base/timings.h"
#include "tools/search/answer.h"

/* Batches under way: while one is aligned and reported, a GPU scans the next.
   On the CPU both would share the cores, and the second one's results would
   only come later. */
enum { UNDER_WAY = 2 };

/* A batch, and the queries of its own that it has if they arrived. */
typedef struct {
    sw_search_request request; // the search's, of those queries
    sw_owned_set queries;
    sw_batch batch;
} one_batch;

typedef struct {
    const sw_search_request *request;
    sw_search_summary *summary;
    sw_scan *scan;
    FILE *stream;
    double cells; // of the whole search
    one_batch batches[UNDER_WAY];
    size_t made, reported; // batches: number b is in batches[b % UNDER_WAY]
    size_t next;           // query that is in no batch yet
    int ended;             // no more queries arrive
} search;

static void tick(void *context) {
    const search *s = context;
    sw_scan_progress progress = sw_scan_done(s->scan);
    s->request->progress(s->request->context, s->cells > 0 ? progress.cells / s->cells : 1, progress.seconds);
}

static size_t under_way(const search *s) { return s->made - s->reported; }

/* The next queries, which one->request gets, from number *first on; *count 0: none are there yet. */
static wl_status take_queries(search *s, one_batch *one, size_t *first, size_t *count) {
    one->request = *s->request;
    one->queries = (sw_owned_set){0};
    if (s->request->incoming == NULL) {
        *first = s->next;
        *count = sw_batch_size(s->request, s->next);
        s->next += *count;
        return WL_OK;
    }
    const int waits = under_way(s) == 0;
    WL_TRY(sw_incoming_take(s->request->incoming, waits, sw_batch_most(s->request), sw_batch_enough(s->request),
                            &one->queries));
    one->request.queries = &one->queries;
    *first = 0;
    *count = one->queries.set.count;
    s->ended = waits && *count == 0;
    return WL_OK;
}

static wl_status make_batch(search *s, size_t *count) {
    one_batch *one = &s->batches[s->made % UNDER_WAY];
    size_t first;
    WL_TRY(take_queries(s, one, &first, count));
    if (*count == 0) return WL_OK;
    const wl_status status = sw_batch_make(&one->request, first, *count, &one->batch);
    if (status != WL_OK) {
        sw_owned_set_free(&one->queries);
        return status;
    }
    s->summary->queries += *count;
    for (size_t q = 0; q < *count; q++) s->summary->letters += one->request.queries->set.length[first + q];
    sw_scan_submit(s->scan, &one->batch.scan);
    s->made++;
    return WL_OK;
}

static void free_batch(search *s) {
    one_batch *one = &s->batches[s->reported++ % UNDER_WAY];
    sw_batch_free(&one->batch);
    sw_owned_set_free(&one->queries);
}

static wl_status finish_batch(search *s, sw_report *report) {
    one_batch *one = &s->batches[s->reported % UNDER_WAY];
    WL_TRY(sw_scan_wait(s->scan, &one->batch.scan, s->request->progress && s->cells > 0 ? tick : NULL, s));
    const double begun = wl_timings_now();
    WL_TRY(sw_answers_report(&one->request, &one->batch, report, &s->summary->hits));
    if (s->request->incoming && s->stream) fflush(s->stream); // somebody waits for it
    wl_timings_since(WL_PHASE_ALIGN, begun, 0);
    free_batch(s);
    return WL_OK;
}

static int has_queries(const search *s) {
    return s->request->incoming ? !s->ended : s->next < s->request->queries->set.count;
}

/* Make a batch if there may be one more, or else report the oldest. */
static wl_status go_on(search *s, size_t most_under_way, sw_report *report) {
    size_t count = 0;
    if (has_queries(s) && under_way(s) < most_under_way) WL_TRY(make_batch(s, &count));
    return count == 0 && under_way(s) > 0 ? finish_batch(s, report) : WL_OK;
}

static wl_status order_subjects(const sw_search_request *request, uint64_t **order) {
    const size_t count = request->database->set.count;
    if (!request->ranks_as_blast) return WL_OK;
    if ((*order = malloc(count * sizeof **order)) == NULL)
        return wl_fail(WL_NO_MACHINE, "not enough memory for the order of %zu sequences", count);
    for (size_t s = 0; s < count; s++) (*order)[s] = sw_search_order(request, s);
    return WL_OK;
}

wl_status sw_search(const sw_search_request *request, sw_report *report, FILE *stream, sw_search_summary *summary) {
    const sw_set *all = &request->database->set;
    const size_t subjects = request->subjects > 0 ? request->subjects : all->count;
    uint64_t *order = NULL; // if it is not the database's
    WL_TRY(order_subjects(request, &order));
    const sw_scan_setup setup = {.scoring = request->scoring,
                                 .database = sw_set_part(all, request->first_subject, subjects),
                                 .first = request->first_subject,
                                 .order = order ? order : request->database->order,
                                 .devices = request->devices,
                                 .device_count = request->device_count,
                                 .pattern = request->pattern,
                                 .memory = request->memory,
                                 .most_letters = request->most_letters,
                                 .threads = request->threads};
    search s = {.request = request, .summary = summary, .stream = stream};
    size_t most_under_way = request->devices[0].backend == WL_GPU ? UNDER_WAY : 1;
    if (request->most_batches > 0) most_under_way = request->most_batches < UNDER_WAY ? 1 : UNDER_WAY;
    *summary = (sw_search_summary){0};
    if (request->incoming == NULL) s.cells = (double)request->queries->set.letters * (double)setup.database.letters;
    if (request->strands == (SW_PLUS | SW_MINUS)) s.cells *= 2;
    if (request->threads > 0) omp_set_num_threads(request->threads); // of this thread's alignments
    wl_status status = sw_scan_open(&setup, &s.scan);
    if (status != WL_OK) {
        free(order);
        return status;
    }
    if (has_queries(&s))
        status = go_on(&s, most_under_way, report); // makes a batch, prints nothing: input may be broken
    if (status == WL_OK) status = sw_report_begin(report);
    while (status == WL_OK && (stream == NULL || !ferror(stream)) && (has_queries(&s) || under_way(&s) > 0))
        status = go_on(&s, most_under_way, report);
    if (status == WL_OK) sw_report_end(report);
    sw_scan_progress done = sw_scan_done(s.scan);
    summary->cells = done.cells;
    summary->scan_seconds = done.seconds;
    sw_scan_describe(s.scan, summary->devices, sizeof summary->devices);
    sw_scan_close(s.scan); // before what its threads may still read is freed
    while (under_way(&s) > 0) free_batch(&s);
    free(order);
    return status;
}
