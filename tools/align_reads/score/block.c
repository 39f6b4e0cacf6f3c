#include "tools/align_reads/score/block.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

/* --- Room -------------------------------------------------------------------------------------------------------- */

void papara_room_free(papara_room *room) { WL_FREE(room->scores, room->site, room->best); }

/* Makes room for `count` items of `bytes` at *items, where there is room for *room. Old items are lost. */
static wl_status make_room(void *items, size_t *room, size_t count, size_t bytes) {
    void **at = items;
    if (count <= *room) return WL_OK;
    free(*at);
    *at = malloc(count * bytes);
    *room = *at ? count : 0;
    return *at ? WL_OK : wl_fail(WL_NO_MACHINE, "not enough memory for a block: %zu numbers", count);
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

static wl_status run(wl_worker *worker, const wl_variant *variant, const papara_input *input) {
    papara_room *room = worker->own;
    wl_status status =
        make_room(&room->scores, &room->scores_room, input->reads.count * input->vectors, sizeof *room->scores);
    return status == WL_OK ? wl_worker_run(worker, variant, input, room->scores) : status;
}

/* With only one vector: if a variant refuses this, it refuses the reads. */
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

static wl_status run_any(wl_worker *worker, const papara_input *input, size_t first_vector, papara_best *best);

static wl_status run_vectors_halved(wl_worker *worker, const papara_input *input, size_t first_vector,
                                    papara_best *best) {
    papara_input half = *input;
    half.vectors = input->vectors / 2;
    papara_room *room = worker->own;
    if (half.vectors < room->most_vectors) room->most_vectors = half.vectors;
    WL_TRY(run_any(worker, &half, first_vector, best));
    half.site += half.vectors * input->sites;
    first_vector += half.vectors;
    half.vectors = input->vectors - half.vectors;
    return run_any(worker, &half, first_vector, best);
}

static wl_status run_reads_halved(wl_worker *worker, const papara_input *input, size_t first_vector,
                                  papara_best *best) {
    papara_input half = *input;
    size_t reads = input->reads.count / 2;
    half.reads = papara_reads_part(&input->reads, 0, reads);
    WL_TRY(run_any(worker, &half, first_vector, best));
    half.reads = papara_reads_part(&input->reads, reads, input->reads.count - reads);
    return run_any(worker, &half, first_vector, best + reads);
}

static wl_status refused(const wl_worker *worker, const papara_input *input) {
    papara_input pair = with_one_vector(input);
    return wl_fail(WL_NO_MACHINE,
                   "%s: no variant of papara takes a read of %u letters and a vector of %u sites in %.1f MiB of its "
                   "memory; %s: %s",
                   worker->device.name, input->reads.longest, input->sites, (double)worker->device.memory_free / 0x1p20,
                   worker->candidates.items[0]->name, wl_worker_objection(worker, &pair));
}

/* If a variant refuses a block (too large for the device, or some reads too long), the block is halved, as long as the variant takes any
   of it. Only reads that it cannot take at all go to the stage below. */
static wl_status run_any(wl_worker *worker, const papara_input *input, size_t first_vector, papara_best *best) {
    enum { WHOLE, ONE_VECTOR, ONE_PAIR, NOTHING };
    const papara_input one_vector = with_one_vector(input), one_pair = with_shortest_read(input);
    const void *const inputs[] = {input, input->vectors > 1 ? &one_vector : NULL,
                                  input->reads.count > 1 ? &one_pair : NULL};
    const wl_variant *variant;
    size_t taken = wl_worker_choose(worker, inputs, NOTHING, &variant);
    if (taken == NOTHING) return refused(worker, input);
    /* Memory that was free when the program began may be taken by now. */
    wl_status status = taken == WHOLE ? run(worker, variant, input) : WL_NO_MACHINE;
    if (status == WL_NO_MACHINE && input->vectors > 1 && taken != ONE_PAIR)
        return run_vectors_halved(worker, input, first_vector, best);
    if (status == WL_NO_MACHINE && input->reads.count > 1) return run_reads_halved(worker, input, first_vector, best);
    const papara_room *room = worker->own;
    if (status == WL_OK) reduce(input, room->scores, first_vector, best);
    return status;
}

static wl_status fill(papara_room *room, const papara_score_request *request, const papara_block *block) {
    enum { STEP = 8 }; // vectors that a thread writes at a time
    size_t sites = request->sites;
    WL_TRY(make_room(&room->site, &room->site_room, block->vectors * sites, sizeof *room->site));
    uint32_t *site = room->site;
#pragma omp parallel for schedule(dynamic) num_threads(room->fill_threads)
    for (size_t v = 0; v < block->vectors; v += STEP) {
        size_t count = block->vectors - v < STEP ? block->vectors - v : STEP;
        request->fill(request->context, block->first_vector + v, count, site + v * sites);
    }
    return WL_OK;
}

wl_status papara_block_run(wl_worker *worker, const papara_score_request *request, const papara_reads *sorted,
                           const papara_block *block) {
    papara_room *room = worker->own;
    wl_status status = make_room(&room->best, &room->best_room, block->reads, sizeof *room->best);
    if (status == WL_OK) status = fill(room, request, block);
    if (status != WL_OK) return status;
    papara_input input = {.penalties = request->penalties,
                          .states = request->states,
                          .reads = papara_reads_part(sorted, block->first_read, block->reads),
                          .vectors = block->vectors,
                          .sites = request->sites,
                          .site = room->site};
    memcpy(input.sets, request->sets, sizeof input.sets);
    for (size_t r = 0; r < block->reads; r++) room->best[r] = papara_best_none();
    return run_any(worker, &input, block->first_vector, room->best);
}
