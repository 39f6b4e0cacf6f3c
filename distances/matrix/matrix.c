#include "distances/matrix/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distances/matrix/internal.h"
#include "distances/real/real.h"
#include "harness/base/clock.h"
#include "harness/bench/crew.h"

typedef struct {
    const distances_request *request;
    distances_matrix *matrix;
    distances_plan plan;
    wl_crew *crew;
    double begun, total; // pairs that this run has to do

    size_t next;         // tiles before this one are taken or were there; under the crew's lock, as all below
    size_t resumed;      // were there
    double done;         // pairs
    double real_seconds; // of real.c
    double frequency[4]; // of the bases, where the model asks for them
} computing;

/* --- A tile ------------------------------------------------------------------------------------------------------ */

/* result [2][rows][columns] */
static wl_status compute_sums(const computing *c, wl_worker *worker, const distances_tile *tile) {
    const distances_data *data = c->request->data;
    size_t stride = (size_t)(data->planes + 1) * data->words;
    distances_input input = {.sum = c->plan.stored == DISTANCES_STORED_STEPS ? DISTANCES_STEPS : DISTANCES_DIFFERENT,
                             .planes = data->planes,
                             .sites = data->sites,
                             .words = data->words,
                             .complete = data->complete,
                             .symmetric = distances_on_diagonal(tile),
                             .rows = {tile->rows, data->bits + stride * tile->row},
                             .columns = {tile->columns, data->bits + stride * tile->column}};
    if (distances_model_counts(c->plan.stored) > 0)
        return distances_model_tile(worker, &input, c->plan.stored, c->frequency, c->matrix->threads, worker->own);
    return distances_tile_run(worker, &input, worker->own);
}

static wl_status compute_reals(const computing *c, wl_worker *worker, const distances_tile *tile) {
    int squares = c->plan.stored == DISTANCES_STORED_SQUARES;
    double *distance = worker->own;
    uint32_t *compared = (uint32_t *)(distance + tile->rows * tile->columns);
    return distances_real_tile(c->request->data, squares ? DISTANCES_REAL_SQUARES : DISTANCES_REAL_MAGNITUDES,
                               tile->row, tile->rows, tile->column, tile->columns, c->matrix->threads, distance,
                               compared);
}

static wl_status keep(const distances_matrix *matrix, size_t number, const distances_tile *tile,
                      const unsigned char *result) {
    size_t pairs = tile->rows * tile->columns, bytes = distances_stored_bytes(matrix->stored) * pairs;
    size_t compared_bytes = matrix->keep_compared ? sizeof(uint32_t) * pairs : 0;
    if (matrix->share && matrix->share->writer)
        return wl_part_put(matrix->share->writer, number, result, bytes + compared_bytes);
    if (matrix->store) return distances_store_put(matrix->store, number, result, bytes, result + bytes, compared_bytes);
    memcpy(matrix->memory + number * matrix->tile_bytes, result, bytes + compared_bytes);
    return WL_OK;
}

/* A tile that another process has computed. */
static wl_status fetch(const distances_matrix *matrix, size_t number, const distances_tile *tile) {
    const wl_part_set *set = matrix->share->set;
    const size_t part = matrix->owner[number],
                 pair = distances_stored_bytes(matrix->stored) + (matrix->keep_compared ? sizeof(uint32_t) : 0);
    const wl_part_record *record;
    WL_TRY(wl_part_set_record(set, part, number, &record));
    if (record->size != tile->rows * tile->columns * pair) return wl_part_set_refuse(set, part, number);
    return keep(matrix, number, tile, record->bytes);
}

/* --- Workers ----------------------------------------------------------------------------------------------------- */

/* In the store, or another part's. */
static int is_there(const distances_matrix *matrix, size_t number) {
    if (matrix->share && matrix->share->writer && matrix->owner[number] != matrix->share->part) return 1;
    return matrix->store && distances_store_has(matrix->store, number);
}

/* A unit is a tile's number. */
static int next_tile(void *job, wl_worker *worker, void *unit) {
    (void)worker;
    computing *c = job;
    size_t tiles = distances_tiles(&c->matrix->grid);
    while (c->next < tiles && is_there(c->matrix, c->next)) c->next++;
    if (c->next == tiles) return 0;
    *(size_t *)unit = c->next++;
    return 1;
}

static int fetches(const computing *c) { return c->request->share && c->request->share->set; }
static int by_variants(const computing *c) { return !fetches(c) && distances_by_variants(c->plan.stored); }

static wl_status work(void *job, wl_worker *worker, const void *unit) {
    const computing *c = job;
    const size_t number = *(const size_t *)unit;
    distances_tile tile = distances_tile_numbered(&c->matrix->grid, number);
    if (fetches(c)) return fetch(c->matrix, number, &tile);
    wl_status status = by_variants(c) ? compute_sums(c, worker, &tile) : compute_reals(c, worker, &tile);
    return status == WL_OK ? keep(c->matrix, number, &tile, worker->own) : status;
}

static void finish(void *job, wl_worker *worker, const void *unit, double seconds) {
    (void)worker;
    computing *c = job;
    distances_tile tile = distances_tile_numbered(&c->matrix->grid, *(const size_t *)unit);
    c->done += distances_tile_pairs(&tile);
    if (!by_variants(c)) c->real_seconds += seconds;
}

static void tick(void *context) {
    computing *c = context;
    wl_crew_lock(c->crew);
    double done = c->total > 0 ? c->done / c->total : 1;
    wl_crew_unlock(c->crew);
    c->request->progress(c->request->user, done, wl_now() - c->begun);
}

static wl_status run_all(computing *c) {
    const distances_request *request = c->request;
    const wl_crew_setup setup = {.problem = by_variants(c) ? "distances" : NULL, // real.c is no variant
                                 .devices = request->devices,
                                 .device_count = request->device_count,
                                 .pattern = request->pattern,
                                 .memory = request->device_memory,
                                 .threads = c->matrix->threads,
                                 .times_kernels = 1,
                                 .job = c,
                                 .own_bytes = (distances_model_counts(c->plan.stored) > 0
                                                   ? distances_model_bytes(c->plan.stored)
                                                   : distances_stored_bytes(c->plan.stored) + sizeof(uint32_t)) *
                                              c->plan.side * c->plan.side,
                                 .unit_bytes = sizeof(size_t),
                                 .next = next_tile,
                                 .work = work,
                                 .finish = finish};
    WL_TRY(wl_crew_open(&setup, &c->crew));
    wl_status status = wl_crew_wait(c->crew, NULL, NULL, request->progress ? tick : NULL, c);
    if (c->matrix->store == NULL) return status;
    /* After a failure as well: what has been computed need not be computed again. */
    char error[1024];
    snprintf(error, sizeof error, "%s", wl_error());
    wl_status flushed = distances_store_flush(c->matrix->store);
    return status == WL_OK ? flushed : wl_fail(status, "%s", error);
}

/* --- The whole --------------------------------------------------------------------------------------------------- */

static void count_tiles(computing *c) {
    const distances_grid *grid = &c->matrix->grid;
    for (size_t i = 0; i < distances_tiles(grid); i++) {
        distances_tile tile = distances_tile_numbered(grid, i);
        if (is_there(c->matrix, i))
            c->resumed++;
        else
            c->total += distances_tile_pairs(&tile);
    }
}

static void summarise(const computing *c, distances_summary *summary) {
    *summary = (distances_summary){.comparisons = c->done * (double)c->matrix->sites,
                                   .seconds = wl_now() - c->begun,
                                   .tiles = distances_tiles(&c->matrix->grid),
                                   .resumed = c->resumed,
                                   .on_disk = c->matrix->store != NULL};
    if (by_variants(c)) {
        summary->kernel_seconds = wl_crew_kernel_seconds(c->crew);
        wl_crew_describe(c->crew, summary->devices, sizeof summary->devices);
    } else {
        summary->kernel_seconds = c->real_seconds;
        snprintf(summary->devices, sizeof summary->devices, "%d CPU thread%s (%s)", c->matrix->threads,
                 c->matrix->threads == 1 ? "" : "s", distances_real_instruction_set());
    }
}

wl_status distances_compute(const distances_request *request, distances_matrix **matrix, distances_summary *summary) {
    *summary = (distances_summary){0};
    distances_stored stored;
    WL_TRY(distances_stored_for(request->data, request->measure, &stored));
    distances_matrix *made = calloc(1, sizeof *made);
    if (made == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a matrix");
    computing c = {.request = request, .matrix = made, .begun = wl_now(), .plan = distances_plan_make(request, stored)};
    wl_status status = distances_matrix_make(request, &c.plan, made);
    if (status == WL_OK) count_tiles(&c);
    if (stored == DISTANCES_STORED_TN93) distances_base_frequencies(request->data, made->threads, c.frequency);
    if (status == WL_OK) status = run_all(&c);
    if (status == WL_OK) summarise(&c, summary);
    wl_crew_close(c.crew);
    if (status == WL_OK)
        *matrix = made;
    else
        distances_matrix_close(made, 0);
    return status;
}
