#include "sw/search/part.h"

#include <stdlib.h>
#include <string.h>

/* A serial variant is a baseline, and a library is an opponent: neither searches. The registry sorts by name. */
wl_status sw_candidates_find(const wl_device *device, const char *pattern, sw_candidates *candidates) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    candidates->count = 0;
    for (size_t i = count; i-- > 0 && candidates->count < SW_CANDIDATES;) {
        const wl_variant *v = variants[i];
        if (strcmp(v->problem, "sw") != 0 || v->backend != device->backend || v->launch_slices != NULL) continue;
        if (wl_variant_is_library(v) || (pattern && !wl_variant_matches(v, pattern))) continue;
        candidates->items[candidates->count++] = v;
    }
    if (candidates->count > 0) return WL_OK;
    if (pattern)
        return wl_fail(WL_BAD_USAGE,
                       "option --variant: '%.80s' is no stage of sw for the backend %s; see 'warpladder list sw'",
                       pattern, wl_backend_name(device->backend));
    return wl_fail(WL_NO_MACHINE, "%s: this program has no variant of sw for the backend %s", device->name,
                   wl_backend_name(device->backend));
}

void sw_runner_free(sw_runner *runner) {
    free(runner->scores);
    runner->scores = NULL;
    runner->capacity = 0;
}

static wl_status room_for_scores(sw_runner *runner, size_t count) {
    if (count <= runner->capacity) return WL_OK;
    free(runner->scores);
    runner->scores = malloc(count * sizeof *runner->scores);
    runner->capacity = runner->scores ? count : 0;
    return runner->scores ? WL_OK : wl_fail(WL_NO_MACHINE, "not enough memory for the scores of a block: %zu", count);
}

static wl_status run(sw_runner *runner, const wl_variant *variant, const sw_input *input) {
    void *state = NULL;
    wl_status status = room_for_scores(runner, input->queries.count * input->database.count);
    if (status == WL_OK) status = variant->prepare(&runner->device, input, &state);
    if (status != WL_OK) return status;
    status = variant->launch(state);
    if (status == WL_OK) status = variant->collect(state, runner->scores, 0);
    variant->release(state);
    return status;
}

static wl_status reduce(const sw_runner *runner, const sw_input *input, size_t first, const uint64_t *order,
                        sw_hits *hits) {
    size_t subjects = input->database.count;
    wl_status status = WL_OK;
    for (size_t q = 0; q < input->queries.count && status == WL_OK; q++)
        status = sw_hits_add(&hits[q], runner->scores + q * subjects, input->database.length, first, subjects, order);
    return status;
}

/* In two halves, of the queries or of the subjects, whichever are more. */
static wl_status scan_halves(sw_runner *runner, const sw_input *input, size_t first, const uint64_t *order,
                             sw_hits *hits) {
    sw_input half = *input;
    size_t queries = input->queries.count / 2, subjects = input->database.count / 2;
    int by_query = input->queries.count >= input->database.count;
    if (by_query)
        half.queries = sw_set_part(&input->queries, 0, queries);
    else
        half.database = sw_set_part(&input->database, 0, subjects);
    wl_status status = sw_runner_scan(runner, &half, first, order, hits);
    if (status != WL_OK) return status;
    if (by_query)
        half.queries = sw_set_part(&input->queries, queries, input->queries.count - queries);
    else
        half.database = sw_set_part(&input->database, subjects, input->database.count - subjects);
    return sw_runner_scan(runner, &half, by_query ? first : first + subjects, order, by_query ? hits + queries : hits);
}

/* The pair that asks least of a variant. */
static sw_input easiest(const sw_input *input) {
    size_t shortest = 0;
    for (size_t q = 1; q < input->queries.count; q++)
        if (input->queries.length[q] < input->queries.length[shortest]) shortest = q;
    sw_input pair = *input;
    pair.queries = sw_set_part(&input->queries, shortest, 1);
    pair.database = sw_set_part(&input->database, input->database.count - 1, 1);
    return pair;
}

/* An input that a variant refuses as a whole (too large for the device, or some sequences too long for it) is halved
   as long as the variant takes any of it: only the pairs that it really cannot do go to the next variant. */
wl_status sw_runner_scan(sw_runner *runner, const sw_input *input, size_t first, const uint64_t *order, sw_hits *hits) {
    int single = input->queries.count == 1 && input->database.count == 1;
    for (size_t i = 0; i < runner->candidates.count; i++) {
        const wl_variant *variant = runner->candidates.items[i];
        if (variant->supports(&runner->device, input) == NULL) {
            wl_status status = run(runner, variant, input);
            /* Memory that was free when the program began may have been taken since. */
            if (status == WL_NO_MACHINE && !single) return scan_halves(runner, input, first, order, hits);
            if (status != WL_OK) return status;
            if (runner->used == NULL) runner->used = variant;
            return reduce(runner, input, first, order, hits);
        }
        if (single) continue;
        sw_input pair = easiest(input);
        if (variant->supports(&runner->device, &pair) == NULL) return scan_halves(runner, input, first, order, hits);
    }
    const wl_variant *best = runner->candidates.items[0];
    const char *reason = best->supports(&runner->device, input);
    return wl_fail(WL_NO_MACHINE, "%s: no variant of sw takes a query of %u and a subject of %u residues; %s: %s",
                   runner->device.name, input->queries.longest, input->database.longest, best->name,
                   reason ? reason : "?");
}
