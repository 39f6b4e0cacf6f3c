#include "tools/align_reads/align.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/cpu.h"
#include "harness/base/timings.h"
#include "harness/bench/device.h"
#include "harness/base/clock.h"
#include "harness/base/memory.h"
#include "tools/align_reads/tree/ancestors.h"
#include "tools/align_reads/bad_reads.h"
#include "tools/align_reads/strand.h"
#include "tools/align_reads/trace.h"

/* --- The scoring phase ------------------------------------------------------------------------------------------- */

static void tell_scoring(void *user, double done, double seconds) {
    const papara_align_request *request = user;
    request->progress(request->user, "scoring", done, seconds);
}

static papara_score_request scoring_of(const papara_align_request *request, const papara_ancestors *ancestors) {
    const papara_data *data = request->data;
    papara_score_request scoring = {.penalties = request->penalties,
                                    .states = papara_states(data->alphabet),
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
    return scoring;
}

/* --- The alignment phase ----------------------------------------------------------------------------------------- */

typedef struct {
    const papara_alignment *request;
    papara_input input; // its penalties, sets and sites
    double begun;
    size_t done; // reads
    int failed;
    wl_saved_error failure;
} aligning;

/* site [sites] and own [longest read]: the thread's memory for a vector, and for columns that the caller does not need. */
static wl_status align_one(const aligning *a, size_t r, uint32_t *site, int32_t *own, int32_t *columns) {
    const papara_score_request *scored = a->request->scored;
    const papara_best *best = &a->request->best[r];
    const uint8_t *codes = scored->reads.codes + scored->reads.start[r];
    const uint32_t length = scored->reads.length[r];
    int32_t *column = columns ? columns + scored->reads.start[r] : own;
    int found;
    scored->fill(scored->context, best->vector, 1, site);
    WL_TRY(papara_trace(&a->input, site, codes, length, best->score, column, &found));
    int64_t cost = found == best->score ? papara_alignment_cost(&a->input, site, codes, length, column) : -1;
    if (found == best->score && cost == best->score) return WL_OK;
    if (cost == PAPARA_NO_MEMORY)
        return wl_fail(WL_NO_MACHINE, "not enough memory for the alignment of a read of %u letters", length);
    char name[96];
    if (a->request->sequences)
        snprintf(name, sizeof name, "'%.80s'", a->request->sequences->items[r].name);
    else
        snprintf(name, sizeof name, "%zu", r);
    return wl_fail(WL_CHECK_FAILED,
                   "read %s: the scoring phase found score %d on edge %u, the alignment phase %d, and its alignment "
                   "costs %lld; expected the same",
                   name, best->score, best->vector, found, (long long)cost);
}

static void tell_aligning(const aligning *a, size_t done) {
    const papara_alignment *request = a->request;
    if (request->progress == NULL) return;
    request->progress(request->user, "aligning", (double)done / (double)request->scored->reads.count,
                      wl_now() - a->begun);
}

wl_status papara_align_scored(const papara_alignment *request, int32_t *column) {
    const papara_score_request *scored = request->scored;
    aligning all = {.request = request, .begun = wl_now()}, *a = &all;
    a->input = (papara_input){.penalties = scored->penalties,
                              .states = scored->states,
                              .reads = scored->reads,
                              .vectors = scored->vectors,
                              .sites = scored->sites};
    memcpy(a->input.sets, scored->sets, sizeof a->input.sets);
#pragma omp parallel num_threads(request->threads > 0 ? request->threads : wl_cpu_threads())
    {
        uint32_t *site = malloc(scored->sites * sizeof *site);
        int32_t *own = malloc(((size_t)scored->reads.longest + 1) * sizeof *own);
#pragma omp for schedule(dynamic)
        for (size_t r = 0; r < scored->reads.count; r++) {
            int failed;
            size_t done;
#pragma omp atomic read
            failed = a->failed;
            if (failed) continue;
            const wl_status status = site && own ? align_one(a, r, site, own, column)
                                                 : wl_fail(WL_NO_MACHINE, "not enough memory for a vector");
#pragma omp atomic capture
            done = ++a->done;
            if (omp_get_thread_num() == 0) tell_aligning(a, done);
            if (status == WL_OK) continue;
            wl_save_error(&a->failure, r, status);
#pragma omp atomic write
            a->failed = 1;
        }
        WL_FREE(site, own);
    }
    return wl_saved_error_again(&a->failure);
}

static void count_insertions(const papara_data *data, size_t first, size_t end, papara_aligned *aligned) {
    aligned->inserted = aligned->astray = (papara_oddity){0};
    for (size_t r = first; r < end; r++) {
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

/* --- Both -------------------------------------------------------------------------------------------------------- */

wl_status papara_align(const papara_align_request *request, papara_aligned *aligned) {
    const papara_data *data = request->data;
    papara_ancestors *own = NULL;
    *aligned = (papara_aligned){0};
    if (!WL_ALLOCATE(WL_ARRAY(aligned->best, data->reads.count), WL_ARRAY(aligned->column, data->letters),
                     WL_ZEROS(aligned->turned, data->reads.count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for the columns of %llu letters",
                       (unsigned long long)data->letters);
    wl_status status = data->ancestors ? WL_OK : papara_data_ancestors(data, request->threads, &own);
    papara_score_request scoring = scoring_of(request, data->ancestors ? data->ancestors : own);
    if (status == WL_OK) status = papara_score_strands(request, &scoring, aligned);
    size_t first, end;
    papara_align_range(request, &first, &end);
    scoring.reads = papara_align_reads(request);
    const wl_sequences named = {.items = data->sequences.items + first, .count = end - first};
    const papara_alignment alignment = {.scored = &scoring,
                                        .best = aligned->best + first,
                                        .sequences = &named,
                                        .threads = request->threads,
                                        .progress = request->progress,
                                        .user = request->user};
    const double begun = wl_now();
    if (status == WL_OK) status = papara_align_scored(&alignment, aligned->column);
    aligned->alignment_seconds = wl_now() - begun;
    wl_timings_add(WL_PHASE_ALIGN, aligned->alignment_seconds, 0);
    if (status == WL_OK) count_insertions(data, first, end, aligned);
    papara_ancestors_free(own);
    if (status != WL_OK) papara_aligned_free(aligned);
    return status;
}

void papara_aligned_free(papara_aligned *aligned) {
    WL_FREE(aligned->best, aligned->column, aligned->turned);
    *aligned = (papara_aligned){0};
}

wl_status papara_aligned_limit(papara_data *data, papara_aligned *aligned, double most) {
    const size_t count = data->reads.count;
    uint8_t *reason;
    int *score;
    if (!WL_ALLOCATE(WL_ZEROS(reason, count), WL_ARRAY(score, count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu reads", count);
    size_t kept = 0;
    for (size_t r = 0; r < count; r++) {
        score[r] = aligned->best[r].score;
        if (score[r] > most * data->length[r]) reason[r] = PAPARA_LEFT_SCORE;
        if (reason[r] != PAPARA_LEFT_NOT && aligned->turned[r]) papara_turn(data, r);
        if (reason[r] != PAPARA_LEFT_NOT) continue;
        aligned->best[kept] = aligned->best[r];
        aligned->turned[kept++] = aligned->turned[r];
    }
    const wl_status status = papara_leave_out(data, reason, score);
    if (status == WL_OK) count_insertions(data, 0, data->reads.count, aligned);
    WL_FREE(reason, score);
    return status;
}
