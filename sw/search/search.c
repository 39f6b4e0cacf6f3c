#include "sw/search/search.h"

#include <omp.h>
#include <stdlib.h>

#include "harness/base/timings.h"
#include "sw/search/batch.h"

/* Batches under way: while one is aligned and reported, a GPU scans the next.
   On the CPU both would share the cores, and the second one's results would
   only come later. */
enum { UNDER_WAY = 2 };

typedef struct {
    const sw_search_request *request;
    sw_scan *scan;
    double cells; // of the whole search
    sw_batch batches[UNDER_WAY];
    size_t made, reported; // batches: number b is in batches[b % UNDER_WAY]
    size_t next;           // query that is in no batch yet
} search;

static void tick(void *context) {
    const search *s = context;
    sw_scan_progress progress = sw_scan_done(s->scan);
    s->request->progress(s->request->context, s->cells > 0 ? progress.cells / s->cells : 1, progress.seconds);
}

static wl_status make_batch(search *s) {
    size_t count = sw_batch_size(s->request, s->next);
    sw_batch *batch = &s->batches[s->made % UNDER_WAY];
    WL_TRY(sw_batch_make(s->request, s->next, count, batch));
    sw_scan_submit(s->scan, &batch->scan);
    s->next += count;
    s->made++;
    return WL_OK;
}

static wl_status finish_batch(search *s, sw_report *report, sw_search_summary *summary) {
    sw_batch *batch = &s->batches[s->reported % UNDER_WAY];
    WL_TRY(sw_scan_wait(s->scan, &batch->scan, s->request->progress ? tick : NULL, s));
    const double begun = wl_timings_now();
    WL_TRY(sw_batch_report(s->request, batch, report, &summary->hits));
    wl_timings_since(WL_PHASE_ALIGN, begun, 0);
    sw_batch_free(batch);
    s->reported++;
    return WL_OK;
}

wl_status sw_search(const sw_search_request *request, sw_report *report, FILE *stream, sw_search_summary *summary) {
    const sw_set *all = &request->database->set;
    const size_t subjects = request->subjects > 0 ? request->subjects : all->count;
    const sw_scan_setup setup = {.scoring = request->scoring,
                                 .database = sw_set_part(all, request->first_subject, subjects),
                                 .first = request->first_subject,
                                 .order = request->database->order,
                                 .devices = request->devices,
                                 .device_count = request->device_count,
                                 .pattern = request->pattern,
                                 .memory = request->memory,
                                 .most_letters = request->most_letters,
                                 .threads = request->threads};
    search s = {.request = request};
    size_t queries = request->queries->set.count, under_way = request->devices[0].backend == WL_GPU ? UNDER_WAY : 1;
    if (request->most_batches > 0) under_way = request->most_batches < UNDER_WAY ? 1 : UNDER_WAY;
    *summary = (sw_search_summary){0};
    s.cells = (double)request->queries->set.letters * (double)setup.database.letters;
    if (request->strands == (SW_PLUS | SW_MINUS)) s.cells *= 2;
    if (request->threads > 0) omp_set_num_threads(request->threads); // of this thread's alignments
    wl_status status = sw_scan_open(&setup, &s.scan);
    if (status != WL_OK) return status;
    sw_report_begin(report);
    while (status == WL_OK && (stream == NULL || !ferror(stream))) {
        if (s.next < queries && s.made - s.reported < under_way)
            status = make_batch(&s);
        else if (s.made > s.reported)
            status = finish_batch(&s, report, summary);
        else
            break;
    }
    if (status == WL_OK) sw_report_end(report);
    sw_scan_progress done = sw_scan_done(s.scan);
    summary->cells = done.cells;
    summary->scan_seconds = done.seconds;
    sw_scan_describe(s.scan, summary->devices, sizeof summary->devices);
    sw_scan_close(s.scan); // before what its threads may still read is freed
    for (; s.reported < s.made; s.reported++) sw_batch_free(&s.batches[s.reported % UNDER_WAY]);
    return status;
}
