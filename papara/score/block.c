#include "papara/score/block.h"

#include <stdlib.h>
#include <string.h>

/* --- Variants ---------------------------------------------------------------------------------------------------- */

/* A serial variant is a baseline, and a library an opponent: who wants one says so. The registry sorts by name. */
static int takes_part(const wl_variant *variant, const wl_device *device, const char *pattern) {
    if (strcmp(variant->problem, "papara") != 0 || variant->backend != device->backend) return 0;
    if (pattern != NULL) return wl_variant_matches(variant, pattern);
    return variant->launch_slices == NULL && !wl_variant_is_library(variant);
}

wl_status papara_runner_open(const wl_device *device, const char *pattern, papara_runner *runner) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    *runner = (papara_runner){.device = *device, .fill_threads = 1, .most_vectors = SIZE_MAX};
    for (size_t i = count; i-- > 0 && runner->candidate_count < PAPARA_CANDIDATES;)
        if (takes_part(variants[i], device, pattern)) runner->candidates[runner->candidate_count++] = variants[i];
    if (runner->candidate_count > 0) return WL_OK;
    if (pattern)
        return wl_fail(
            WL_BAD_USAGE,
            "option --variant: '%.80s' is no stage of papara for the backend %s; see 'warpladder list papara'", pattern,
            wl_backend_name(device->backend));
    return wl_fail(WL_NO_MACHINE, "%s: this program has no variant of papara for the backend %s", device->name,
                   wl_backend_name(device->backend));
}

void papara_runner_close(papara_runner *runner) {
    free(runner->scores);
    free(runner->site);
    runner->scores = NULL;
    runner->site = NULL;
    runner->scores_room = runner->site_room = 0;
}

/* --- The best ---------------------------------------------------------------------------------------------------- */

papara_best papara_best_none(void) { return (papara_best){PAPARA_INFINITE, PAPARA_INFINITE, UINT32_MAX, UINT32_MAX}; }

static int comes_before(int score, uint32_t vector, int other, uint32_t other_vector) {
    return score < other || (score == other && vector < other_vector);
}

static void add(papara_best *best, int score, uint32_t vector) {
    if (comes_before(score, vector, best->score, best->vector)) {
        best->second_score = best->score;
        best->second_vector = best->vector;
        best->score = score;
        best->vector = vector;
    } else if (comes_before(score, vector, best->second_score, best->second_vector)) {
        best->second_score = score;
        best->second_vector = vector;
    }
}

void papara_best_merge(papara_best *best, const papara_best *more) {
    if (more->vector != UINT32_MAX) add(best, more->score, more->vector);
    if (more->second_vector != UINT32_MAX) add(best, more->second_score, more->second_vector);
}

/* score [input->reads.count][input->vectors] */
static void reduce(const papara_input *input, const int *score, size_t first_vector, papara_best *best) {
    for (size_t r = 0; r < input->reads.count; r++, score += input->vectors)
        for (size_t v = 0; v < input->vectors; v++)
            if (score[v] <= best[r].second_score) add(&best[r], score[v], (uint32_t)(first_vector + v));
}

/* --- Running ----------------------------------------------------------------------------------------------------- */

static wl_status run(papara_runner *runner, const wl_variant *variant, const papara_input *input) {
    size_t pairs = input->reads.count * input->vectors;
    void *state = NULL;
    if (pairs > runner->scores_room) {
        free(runner->scores);
        runner->scores = malloc(pairs * sizeof *runner->scores);
        runner->scores_room = runner->scores ? pairs : 0;
        if (runner->scores == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu scores", pairs);
    }
    wl_status status = variant->prepare(&runner->device, input, &state);
    if (status != WL_OK) return status;
    status = variant->launch(state);
    if (status == WL_OK) status = variant->collect(state, runner->scores, 0);
    variant->release(state);
    return status;
}

/* Why not; NULL: it takes it. */
static const char *objection(const papara_runner *runner, const wl_variant *variant, const papara_input *input) {
    return variant->supports ? variant->supports(&runner->device, input) : NULL;
}

static int takes(const papara_runner *runner, const wl_variant *variant, const papara_input *input) {
    return objection(runner, variant, input) == NULL;
}

/* With one vector only: what a variant refuses then is the reads. */
static papara_input with_one_vector(const papara_input *input) {
    papara_input one = *input;
    one.vectors = 1;
    return one;
}

static papara_input with_shortest_read(const papara_input *input) {
    papara_input one = with_one_vector(input);
    one.reads = papara_reads_part(&input->reads, input->reads.count - 1, 1);
    return one;
}

static wl_status run_any(papara_runner *runner, const papara_input *input, size_t first_vector, papara_best *best);

static wl_status run_vectors_halved(papara_runner *runner, const papara_input *input, size_t first_vector,
                                    papara_best *best) {
    papara_input half = *input;
    half.vectors = input->vectors / 2;
    if (half.vectors < runner->most_vectors) runner->most_vectors = half.vectors;
    wl_status status = run_any(runner, &half, first_vector, best);
    if (status != WL_OK) return status;
    half.site += half.vectors * input->sites;
    first_vector += half.vectors;
    half.vectors = input->vectors - half.vectors;
    return run_any(runner, &half, first_vector, best);
}

static wl_status run_reads_halved(papara_runner *runner, const papara_input *input, size_t first_vector,
                                  papara_best *best) {
    papara_input half = *input;
    size_t reads = input->reads.count / 2;
    half.reads = papara_reads_part(&input->reads, 0, reads);
    wl_status status = run_any(runner, &half, first_vector, best);
    if (status != WL_OK) return status;
    half.reads = papara_reads_part(&input->reads, reads, input->reads.count - reads);
    return run_any(runner, &half, first_vector, best + reads);
}

static wl_status refused(const papara_runner *runner, const papara_input *input) {
    const wl_variant *best = runner->candidates[0];
    papara_input pair = with_one_vector(input);
    const char *reason = objection(runner, best, &pair);
    return wl_fail(WL_NO_MACHINE,
                   "%s: no variant of papara takes a read of %u letters and a vector of %u sites in %.1f MiB of its "
                   "memory; %s: %s",
                   runner->device.name, input->reads.longest, input->sites, (double)runner->device.memory_free / 0x1p20,
                   best->name, reason ? reason : "?");
}

/* What a variant refuses as a whole, being too large for the device or having some reads that are too long, is
   halved as long as it takes any of it: only the reads that it really cannot do go to the stage below. */
static wl_status run_any(papara_runner *runner, const papara_input *input, size_t first_vector, papara_best *best) {
    for (size_t i = 0; i < runner->candidate_count; i++) {
        const wl_variant *variant = runner->candidates[i];
        papara_input one_vector = with_one_vector(input), one_pair = with_shortest_read(input);
        if (takes(runner, variant, input)) {
            wl_status status = run(runner, variant, input);
            /* Memory that was free when the program began may have been taken since. */
            if (status == WL_NO_MACHINE && input->vectors > 1)
                return run_vectors_halved(runner, input, first_vector, best);
            if (status == WL_NO_MACHINE && input->reads.count > 1)
                return run_reads_halved(runner, input, first_vector, best);
            if (status != WL_OK) return status;
            if (runner->used == NULL) runner->used = variant;
            reduce(input, runner->scores, first_vector, best);
            return WL_OK;
        }
        if (input->vectors > 1 && takes(runner, variant, &one_vector))
            return run_vectors_halved(runner, input, first_vector, best);
        if (input->reads.count > 1 && takes(runner, variant, &one_pair))
            return run_reads_halved(runner, input, first_vector, best);
    }
    return refused(runner, input);
}

static wl_status fill(papara_runner *runner, const papara_score_request *request, const papara_block *block) {
    enum { STEP = 8 }; // vectors that a thread writes at a time
    size_t sites = request->sites, needed = block->vectors * sites;
    if (needed > runner->site_room) {
        free(runner->site);
        runner->site = malloc(needed * sizeof *runner->site);
        runner->site_room = runner->site ? needed : 0;
        if (runner->site == NULL)
            return wl_fail(WL_NO_MACHINE, "not enough memory for %zu vectors of %zu sites", block->vectors, sites);
    }
    uint32_t *site = runner->site;
#pragma omp parallel for schedule(dynamic) num_threads(runner->fill_threads)
    for (size_t v = 0; v < block->vectors; v += STEP) {
        size_t count = block->vectors - v < STEP ? block->vectors - v : STEP;
        request->fill(request->context, block->first_vector + v, count, site + v * sites);
    }
    return WL_OK;
}

wl_status papara_runner_run(papara_runner *runner, const papara_score_request *request, const papara_reads *sorted,
                            const papara_block *block, papara_best *best) {
    wl_status status = fill(runner, request, block);
    if (status != WL_OK) return status;
    papara_input input = {.penalties = request->penalties,
                          .states = request->states,
                          .reads = papara_reads_part(sorted, block->first_read, block->reads),
                          .vectors = block->vectors,
                          .sites = request->sites,
                          .site = runner->site};
    memcpy(input.sets, request->sets, sizeof input.sets);
    for (size_t r = 0; r < block->reads; r++) best[r] = papara_best_none();
    return run_any(runner, &input, block->first_vector, best);
}
