#include "tools/distances/matrix/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/distances/matrix/internal.h"
#include "tools/distances/real/real.h"
#include "harness/base/clock.h"
#include "harness/base/timings.h"
#include "harness/bench/pool.h"
#include "harness/bench/device.h"
#include "harness/base/memory.h"

struct distances_computing {
    const distances_request *request;
    distances_matrix *matrix;
    distances_plan plan;
    wl_pool *pool;
    wl_resident *resident;  // [request->device_count]: all instances, where a device has the room
    double begun, total;    // pairs that this run has to do
    unsigned char *is_done; // [tiles]
    size_t wanted;          // of distances_compute_until: tiles

    size_t passed;       // of a ring: tiles before this one are no longer read
    size_t whole;        // all tiles before this one are there
    double ended;        // when the last tile so far was done
    size_t next;         // tiles before this one are taken or were there; under the pool's lock, as all below
    size_t resumed;      // were there
    double done;         // pairs
    double real_seconds; // of real.c
    double frequency[4]; // of the bases, where the model asks for them
    distances_summary summary;
};
typedef distances_computing computing;

/* --- Instances that stay on a device ------------------------------------------------------------------------------ */

/* A tile needs two stretches of the instances, each of which other tiles need, too. */
static wl_resident *resident_of(const computing *c, const wl_worker *worker) {
    const int stays = distances_stays(c->request->data, worker->device.memory_free * wl_pool_workers(&worker->device));
    return worker->device.backend != WL_CPU && stays ? &c->resident[worker->place] : NULL;
}

static wl_status make_residents(computing *c) {
    c->resident = calloc(c->request->device_count + 1, sizeof *c->resident);
    if (c->resident == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a list of devices");
    for (size_t d = 0; d < c->request->device_count; d++) pthread_mutex_init(&c->resident[d].lock, NULL);
    return WL_OK;
}

/* When the pool is closed. */
static void free_residents(computing *c) {
    for (size_t d = 0; c->resident && d < c->request->device_count; d++) {
        wl_resident *resident = &c->resident[d];
        if (resident->memory != NULL && wl_device_use(&c->request->devices[d]) == WL_OK)
            resident->release(resident->memory);
        pthread_mutex_destroy(&resident->lock);
    }
    free(c->resident);
    c->resident = NULL;
}

/* --- A tile ------------------------------------------------------------------------------------------------------ */

/* result [2][rows][columns]; the second part may be left out where the matrix does not keep it. */
static wl_status compute_sums(const computing *c, wl_worker *worker, const distances_tile *tile, void *result) {
    const distances_data *data = c->request->data;
    size_t stride = (size_t)(data->planes + 1) * data->words;
    distances_input input = {.sum = c->plan.stored == DISTANCES_STORED_STEPS ? DISTANCES_STEPS : DISTANCES_DIFFERENT,
                             .planes = data->planes,
                             .sites = data->sites,
                             .words = data->words,
                             .complete = data->complete,
                             .distance_only = !c->matrix->keep_compared && distances_model_counts(c->plan.stored) == 0,
                             .symmetric = distances_on_diagonal(tile),
                             .rows = {tile->rows, data->bits + stride * tile->row},
                             .columns = {tile->columns, data->bits + stride * tile->column},
                             .resident = resident_of(c, worker),
                             .all = {data->count, data->bits}};
    if (distances_model_counts(c->plan.stored) > 0)
        return distances_model_tile(worker, &input, c->plan.stored, c->frequency, c->matrix->threads, result);
    return distances_tile_run(worker, &input, result);
}

static wl_status compute_reals(const computing *c, wl_worker *worker, const distances_tile *tile) {
    const distances_real_sum sum = c->plan.stored == DISTANCES_STORED_SQUARES      ? DISTANCES_REAL_SQUARES
                                   : c->plan.stored == DISTANCES_STORED_MAGNITUDES ? DISTANCES_REAL_MAGNITUDES
                                                                                   : DISTANCES_REAL_UNEQUAL;
    double *distance = worker->own;
    uint32_t *compared = (uint32_t *)(distance + tile->rows * tile->columns);
    return distances_real_tile(c->request->data, sum, tile->row, tile->rows, tile->column, tile->columns,
                               c->matrix->threads, distance, compared);
}

static wl_status keep(const distances_matrix *matrix, size_t number, const distances_tile *tile,
                      const unsigned char *result) {
    size_t pairs = tile->rows * tile->columns, bytes = distances_stored_bytes(matrix->stored) * pairs;
    size_t compared_bytes = matrix->keep_compared ? sizeof(uint32_t) * pairs : 0;
    const wl_part_range *range = matrix->share ? matrix->share->range : NULL;
    if (range)
        return wl_part_put(&range->writers[matrix->owner[number] - range->first], number, result,
                           bytes + compared_bytes);
    if (matrix->store) return distances_store_put(matrix->store, number, result, bytes, result + bytes, compared_bytes);
    memcpy(distances_tile_memory(matrix, number), result, bytes + compared_bytes);
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
    const wl_part_range *range = matrix->share ? matrix->share->range : NULL;
    if (range && (matrix->owner[number] < range->first || matrix->owner[number] >= range->first + range->count))
        return 1;
    return matrix->store && distances_store_has(matrix->store, number);
}

/* A unit is a tile's number. */
static int next_tile(void *job, wl_worker *worker, void *unit) {
    (void)worker;
    computing *c = job;
    size_t tiles = distances_tiles(&c->matrix->grid);
    while (c->next < tiles && is_there(c->matrix, c->next)) c->next++;
    if (c->next == tiles || (c->matrix->ring > 0 && c->next >= c->passed + c->matrix->ring)) return 0;
    *(size_t *)unit = c->next++;
    return 1;
}

static int fetches(const computing *c) { return c->request->share && c->request->share->set; }
static int by_variants(const computing *c) { return !fetches(c) && distances_by_variants(c->plan.stored); }

/* Variants' sums go to the matrix in memory at once: a tile there has the parts of a result that are kept. */
static void *place_for(const computing *c, const wl_worker *worker, size_t number) {
    const int sums = by_variants(c) && distances_model_counts(c->plan.stored) == 0;
    return sums && c->matrix->memory ? distances_tile_memory(c->matrix, number) : worker->own;
}

static wl_status work(void *job, wl_worker *worker, const void *unit) {
    const computing *c = job;
    const size_t number = *(const size_t *)unit;
    distances_tile tile = distances_tile_numbered(&c->matrix->grid, number);
    if (fetches(c)) return fetch(c->matrix, number, &tile);
    void *result = place_for(c, worker, number);
    wl_status status = by_variants(c) ? compute_sums(c, worker, &tile, result) : compute_reals(c, worker, &tile);
    const double begun = wl_timings_now();
    if (status == WL_OK && result == worker->own) status = keep(c->matrix, number, &tile, result);
    wl_timings_since(WL_PHASE_COPY_BACK, begun, 0);
    return status;
}

/* Under the pool's lock. */
static void move_whole(computing *c) {
    const size_t tiles = distances_tiles(&c->matrix->grid);
    while (c->whole < tiles && c->is_done[c->whole]) c->whole++;
}

static void finish(void *job, wl_worker *worker, const void *unit, double seconds) {
    (void)worker;
    computing *c = job;
    distances_tile tile = distances_tile_numbered(&c->matrix->grid, *(const size_t *)unit);
    c->done += distances_tile_pairs(&c->matrix->grid, &tile);
    c->ended = wl_now();
    c->is_done[*(const size_t *)unit] = 1;
    move_whole(c);
    if (!by_variants(c)) c->real_seconds += seconds;
}

static void tick(void *context) {
    computing *c = context;
    wl_pool_lock(c->pool);
    double done = c->total > 0 ? c->done / c->total : 1;
    wl_pool_unlock(c->pool);
    c->request->progress(c->request->user, done, wl_now() - c->begun);
}

static wl_status start(computing *c) {
    const distances_request *request = c->request;
    const wl_pool_setup setup = {.problem = by_variants(c) ? "distances" : NULL, // real.c is no variant
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
                                              c->plan.grid.side * c->plan.grid.wide,
                                 .task_bytes = sizeof(size_t),
                                 .next = next_tile,
                                 .work = work,
                                 .finish = finish};
    return wl_pool_open(&setup, &c->pool);
}

static wl_status wait_for_all(computing *c) {
    const distances_request *request = c->request;
    wl_status status = wl_pool_wait(c->pool, NULL, NULL, request->progress ? tick : NULL, c);
    if (c->matrix->store == NULL) return status;
    /* After a failure as well: what has been computed need not be computed again. */
    wl_saved_error first = {0};
    wl_save_error(&first, 0, status);
    wl_save_error(&first, 1, distances_store_flush(c->matrix->store));
    return wl_saved_error_again(&first);
}

static int is_whole(const void *what) {
    const computing *c = what;
    return c->whole >= c->wanted;
}

wl_status distances_compute_until(distances_matrix *matrix, size_t row) {
    computing *c = matrix->computing;
    if (c->pool == NULL) return WL_OK;
    wl_pool_lock(c->pool);
    c->passed = distances_tile_number(&matrix->grid, row, distances_tile_first(&matrix->grid, row));
    if (matrix->ring > 0) wl_pool_wake(c->pool);
    wl_pool_unlock(c->pool);
    c->wanted = distances_tile_number(&matrix->grid, row, matrix->grid.across - 1) + 1;
    return wl_pool_wait(c->pool, is_whole, c, c->request->progress ? tick : NULL, c);
}

/* --- The whole --------------------------------------------------------------------------------------------------- */

static void count_tiles(computing *c) {
    const distances_grid *grid = &c->matrix->grid;
    for (size_t i = 0; i < distances_tiles(grid); i++) {
        distances_tile tile = distances_tile_numbered(grid, i);
        c->is_done[i] = (unsigned char)is_there(c->matrix, i);
        if (c->is_done[i])
            c->resumed++;
        else
            c->total += distances_tile_pairs(grid, &tile);
    }
}

static void summarise(const computing *c, distances_summary *summary) {
    *summary = (distances_summary){.comparisons = c->done * (double)c->matrix->sites,
                                   .seconds = c->ended - c->begun,
                                   .tiles = distances_tiles(&c->matrix->grid),
                                   .resumed = c->resumed,
                                   .on_disk = c->matrix->store != NULL};
    if (by_variants(c)) {
        summary->kernel_seconds = wl_pool_kernel_seconds(c->pool);
        wl_pool_describe(c->pool, summary->devices, sizeof summary->devices);
    } else {
        summary->kernel_seconds = c->real_seconds;
        snprintf(summary->devices, sizeof summary->devices, "%d CPU thread%s (%s)", c->matrix->threads,
                 c->matrix->threads == 1 ? "" : "s", distances_real_instruction_set());
    }
}

static int waits(const computing *c) {
    int on_cpu = !by_variants(c);
    for (size_t d = 0; d < c->request->device_count; d++) on_cpu |= c->request->devices[d].backend == WL_CPU;
    return (on_cpu && c->matrix->ring == 0) || c->matrix->memory == NULL;
}

void distances_compute_drop(distances_matrix *matrix) {
    computing *c = matrix->computing;
    if (c == NULL) return;
    wl_pool_close(c->pool);
    free_residents(c);
    WL_FREE(c->is_done, c);
    matrix->computing = NULL;
}

/* All is computed: what the workers held is free for whoever writes the matrix. */
static wl_status end(computing *c) {
    WL_TRY(wait_for_all(c));
    summarise(c, &c->summary);
    wl_pool_close(c->pool);
    c->pool = NULL;
    free_residents(c);
    return WL_OK;
}

static wl_status begin(computing *c, distances_stored stored) {
    distances_matrix *made = c->matrix;
    WL_TRY(distances_matrix_make(c->request, &c->plan, made));
    c->is_done = calloc(distances_tiles(&made->grid) + 1, 1);
    if (c->is_done == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the list of tiles");
    count_tiles(c);
    move_whole(c);
    if (stored == DISTANCES_STORED_TN93) distances_base_frequencies(c->request->data, made->threads, c->frequency);
    WL_TRY(make_residents(c));
    WL_TRY(start(c));
    return waits(c) ? end(c) : WL_OK;
}

wl_status distances_compute_begin(const distances_request *request, distances_matrix **matrix) {
    distances_stored stored;
    WL_TRY(distances_stored_for(request->data, request->measure, &stored));
    distances_matrix *made = calloc(1, sizeof *made);
    computing *c = calloc(1, sizeof *c);
    if (made == NULL || c == NULL) {
        WL_FREE(made, c);
        return wl_fail(WL_NO_MACHINE, "not enough memory for a matrix");
    }
    *c = (computing){.request = request, .begun = wl_now(), .plan = distances_plan_make(request, stored)};
    c->matrix = made;
    c->ended = c->begun;
    const wl_status status = begin(c, stored);
    made->computing = c; // which matrix_make has not kept
    if (status == WL_OK)
        *matrix = made;
    else
        distances_matrix_close(made, 0);
    return status;
}

wl_status distances_compute_so_far(distances_matrix *matrix) {
    if (matrix->computing->pool == NULL) return WL_OK;
    matrix->computing->wanted = 0;
    return wl_pool_wait(matrix->computing->pool, is_whole, matrix->computing, NULL, NULL);
}

wl_status distances_compute_end(distances_matrix *matrix, distances_summary *summary) {
    computing *c = matrix->computing;
    const wl_status status = c->pool ? end(c) : WL_OK;
    *summary = c->summary;
    distances_compute_drop(matrix);
    return status;
}

wl_status distances_compute(const distances_request *request, distances_matrix **matrix, distances_summary *summary) {
    *summary = (distances_summary){0};
    WL_TRY(distances_compute_begin(request, matrix));
    const wl_status status = distances_compute_end(*matrix, summary);
    if (status == WL_OK) return WL_OK;
    distances_matrix_close(*matrix, 0);
    *matrix = NULL;
    return status;
}
