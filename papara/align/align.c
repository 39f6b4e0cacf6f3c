#include "papara/align/align.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/base/cpu.h"
#include "harness/bench/device.h"
#include "harness/base/clock.h"
#include "papara/tree/ancestors.h"
#include "papara/align/trace.h"

/* --- The scoring phase ------------------------------------------------------------------------------------------- */

static void tell_scoring(void *user, double done, double seconds) {
    const papara_align_request *request = user;
    request->progress(request->user, "scoring", done, seconds);
}

static wl_status score(const papara_align_request *request, const papara_ancestors *ancestors,
                       papara_aligned *aligned) {
    const papara_data *data = request->data;
    papara_score_request scoring = {.penalties = request->penalties,
                                    .states = papara_states(data->alphabet),
                                    .reads = data->reads,
                                    .vectors = data->tree.edges,
                                    .sites = (uint32_t)data->reference.columns,
                                    .fill = papara_ancestors_fill,
                                    .context = ancestors,
                                    .devices = request->devices,
                                    .device_count = request->device_count,
                                    .pattern = request->pattern,
                                    .memory = request->memory,
                                    .threads = request->threads,
                                    .most_reads = request->most_reads,
                                    .progress = request->progress ? tell_scoring : NULL,
                                    .user = (void *)request};
    papara_sets(data->alphabet, scoring.sets);
    return papara_score(&scoring, aligned->best, &aligned->scoring);
}

/* --- The alignment phase ----------------------------------------------------------------------------------------- */

typedef struct {
    const papara_align_request *request;
    const papara_ancestors *ancestors;
    papara_input input; // its penalties, sets and sites
    papara_aligned *aligned;
    double begun;
    size_t done; // reads
    wl_status status;
    char error[1024];
} aligning;

/* site [sites]: the thread's memory for a vector. */
static wl_status align_one(const aligning *a, size_t r, uint32_t *site) {
    const papara_data *data = a->request->data;
    const papara_best *best = &a->aligned->best[r];
    const uint8_t *codes = data->codes + data->start[r];
    int32_t *column = a->aligned->column + data->start[r];
    int found;
    papara_ancestors_fill(a->ancestors, best->vector, 1, site);
    wl_status status = papara_trace(&a->input, site, codes, data->length[r], column, &found);
    if (status != WL_OK) return status;
    int64_t cost = papara_alignment_cost(&a->input, site, codes, data->length[r], column);
    if (found == best->score && cost == best->score) return WL_OK;
    return wl_fail(
        WL_CHECK_FAILED,
        "read '%.80s': the scoring phase found score %d on edge %u, the alignment phase %d, and its alignment "
        "costs %lld; expected the same",
        data->sequences.items[r].name, best->score, best->vector, found, (long long)cost);
}

static void tell_aligning(const aligning *a, size_t done) {
    const papara_align_request *request = a->request;
    if (request->progress == NULL) return;
    request->progress(request->user, "aligning", (double)done / (double)request->data->reads.count,
                      wl_now() - a->begun);
}

static void align_all(aligning *a, int threads) {
    size_t reads = a->request->data->reads.count;
#pragma omp parallel num_threads(threads)
    {
        uint32_t *site = malloc(a->input.sites * sizeof *site);
#pragma omp for schedule(dynamic)
        for (size_t r = 0; r < reads; r++) {
            wl_status so_far, status;
            size_t done;
#pragma omp atomic read
            so_far = a->status;
            if (so_far != WL_OK) continue;
            status = site ? align_one(a, r, site) : wl_fail(WL_NO_MACHINE, "not enough memory for a vector");
#pragma omp atomic capture
            done = ++a->done;
            if (omp_get_thread_num() == 0) tell_aligning(a, done);
            if (status == WL_OK) continue;
#pragma omp critical
            if (a->status == WL_OK) {
                snprintf(a->error, sizeof a->error, "%s", wl_error());
#pragma omp atomic write
                a->status = status;
            }
        }
        free(site);
    }
}

static void count_insertions(const papara_data *data, papara_aligned *aligned) {
    for (size_t r = 0; r < data->reads.count; r++) {
        const int32_t *column = aligned->column + data->start[r];
        uint64_t inserted = 0;
        for (uint32_t j = 0; j < data->length[r]; j++) inserted += column[j] < 0;
        if (inserted == 0) continue;
        papara_oddity *odd[] = {&aligned->inserted, &aligned->astray};
        for (int i = 0; i < 1 + (inserted == data->length[r]); i++) {
            if (odd[i]->count++ == 0) odd[i]->first = data->sequences.items[r].name;
            odd[i]->letters += inserted;
        }
    }
}

static wl_status align(const papara_align_request *request, const papara_ancestors *ancestors,
                       papara_aligned *aligned) {
    const papara_data *data = request->data;
    aligning a = {.request = request, .ancestors = ancestors, .aligned = aligned, .begun = wl_now()};
    a.input = (papara_input){.penalties = request->penalties,
                             .states = papara_states(data->alphabet),
                             .reads = data->reads,
                             .vectors = data->tree.edges,
                             .sites = (uint32_t)data->reference.columns};
    papara_sets(data->alphabet, a.input.sets);
    align_all(&a, request->threads > 0 ? request->threads : wl_cpu_threads());
    if (a.status != WL_OK) return wl_fail(a.status, "%s", a.error);
    aligned->alignment_seconds = wl_now() - a.begun;
    count_insertions(data, aligned);
    return WL_OK;
}

/* --- Both -------------------------------------------------------------------------------------------------------- */

wl_status papara_align(const papara_align_request *request, papara_aligned *aligned) {
    const papara_data *data = request->data;
    *aligned = (papara_aligned){.best = malloc(data->reads.count * sizeof *aligned->best),
                                .column = malloc(data->reads.letters * sizeof *aligned->column)};
    papara_ancestors *ancestors = NULL;
    wl_status status = aligned->best && aligned->column
                           ? WL_OK
                           : wl_fail(WL_NO_MACHINE, "not enough memory for the columns of %llu letters",
                                     (unsigned long long)data->reads.letters);
    if (status == WL_OK)
        status = papara_ancestors_make(&data->tree, data->alphabet, data->row, (uint32_t)data->reference.columns,
                                       request->threads, &ancestors);
    if (status == WL_OK) status = score(request, ancestors, aligned);
    if (status == WL_OK) status = align(request, ancestors, aligned);
    papara_ancestors_free(ancestors);
    if (status != WL_OK) papara_aligned_free(aligned);
    return status;
}

void papara_aligned_free(papara_aligned *aligned) {
    free(aligned->best);
    free(aligned->column);
    *aligned = (papara_aligned){0};
}
