#include "distances/matrix/matrix.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "distances/matrix/internal.h"
#include "distances/matrix/part.h"
#include "distances/real/real.h"
#include "harness/bench/device.h"
#include "harness/base/clock.h"

enum { TICKS_A_SECOND = 5 };

typedef struct computing computing;

typedef struct {
    computing *all;
    size_t device; // its place in the request
    pthread_t thread;
    distances_runner runner;
    void *result; // [2][side][side], as variants or real.c write it: a tile
} worker;

struct computing {
    const distances_request *request;
    distances_matrix *matrix;
    distances_plan plan;
    worker *workers; // [worker_count]
    size_t worker_count, running;
    pthread_mutex_t launching[WL_DEVICES_MOST];
    double begun, total; // pairs that this run has to do

    pthread_mutex_t lock; // of all below
    pthread_cond_t changed;
    size_t next;    // tiles before this one are taken or were there
    size_t resumed; // were there
    double done;    // pairs
    const wl_variant *used[WL_DEVICES_MOST];
    wl_status status; // the first failure's
    char error[1024];
};

/* --- A tile ------------------------------------------------------------------------------------------------------ */

/* result [2][rows][columns] */
static wl_status compute_sums(worker *w, const distances_tile *tile) {
    const distances_data *data = w->all->request->data;
    size_t stride = (size_t)(data->planes + 1) * data->words;
    distances_input input = {
        .sum = w->all->plan.stored == DISTANCES_STORED_STEPS ? DISTANCES_STEPS : DISTANCES_DIFFERENT,
        .planes = data->planes,
        .sites = data->sites,
        .words = data->words,
        .complete = data->complete,
        .symmetric = distances_on_diagonal(tile),
        .rows = {tile->rows, data->bits + stride * tile->row},
        .columns = {tile->columns, data->bits + stride * tile->column}};
    return distances_runner_run(&w->runner, &input, w->result);
}

static wl_status compute_reals(worker *w, const distances_tile *tile) {
    int squares = w->all->plan.stored == DISTANCES_STORED_SQUARES;
    double *distance = w->result;
    uint32_t *compared = (uint32_t *)(distance + tile->rows * tile->columns);
    double begun = wl_now();
    wl_status status = distances_real_tile(
        w->all->request->data, squares ? DISTANCES_REAL_SQUARES : DISTANCES_REAL_MAGNITUDES, tile->row, tile->rows,
        tile->column, tile->columns, w->all->matrix->threads, distance, compared);
    w->runner.kernel_seconds += wl_now() - begun;
    return status;
}

static wl_status keep(const worker *w, size_t number, const distances_tile *tile) {
    const distances_matrix *matrix = w->all->matrix;
    size_t pairs = tile->rows * tile->columns, bytes = distances_stored_bytes(matrix->stored) * pairs;
    size_t compared_bytes = matrix->keep_compared ? sizeof(uint32_t) * pairs : 0;
    const unsigned char *result = w->result;
    if (matrix->store) return distances_store_put(matrix->store, number, result, bytes, result + bytes, compared_bytes);
    memcpy(matrix->memory + number * matrix->tile_bytes, result, bytes + compared_bytes);
    return WL_OK;
}

static wl_status work(worker *w, size_t number, const distances_tile *tile) {
    int by_variants = distances_stored_bytes(w->all->plan.stored) == sizeof(uint32_t);
    wl_status status = by_variants ? compute_sums(w, tile) : compute_reals(w, tile);
    return status == WL_OK ? keep(w, number, tile) : status;
}

/* --- Workers ----------------------------------------------------------------------------------------------------- */

static void fail(computing *c, wl_status status) {
    if (c->status != WL_OK) return;
    c->status = status;
    snprintf(c->error, sizeof c->error, "%s", wl_error());
}

static int is_there(const distances_matrix *matrix, size_t number) {
    return matrix->store && distances_store_has(matrix->store, number);
}

static void *run_worker(void *argument) {
    worker *w = argument;
    computing *c = w->all;
    omp_set_num_threads(c->matrix->threads);
    wl_status status = wl_device_use(&w->runner.device);
    size_t tiles = distances_tiles(&c->matrix->grid);
    pthread_mutex_lock(&c->lock);
    while (status == WL_OK && c->status == WL_OK) {
        while (c->next < tiles && is_there(c->matrix, c->next)) c->next++;
        if (c->next == tiles) break;
        size_t number = c->next++;
        distances_tile tile = distances_tile_numbered(&c->matrix->grid, number);
        pthread_mutex_unlock(&c->lock);
        status = work(w, number, &tile);
        pthread_mutex_lock(&c->lock);
        if (status == WL_OK) c->done += distances_tile_pairs(&tile);
        if (c->used[w->device] == NULL) c->used[w->device] = w->runner.used;
    }
    if (status != WL_OK) fail(c, status);
    c->running--;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static wl_status make_worker(computing *c, size_t device, size_t of_device) {
    const distances_request *request = c->request;
    worker *w = &c->workers[c->worker_count];
    *w = (worker){.all = c, .device = device};
    size_t bytes = (distances_stored_bytes(c->plan.stored) + sizeof(uint32_t)) * c->plan.side * c->plan.side;
    w->result = malloc(bytes);
    c->worker_count++;
    if (w->result == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a tile of %zu instances", c->plan.side);
    if (of_device == 0) return WL_OK; // real.c is no variant
    wl_status status = distances_runner_open(&request->devices[device], request->pattern, &w->runner);
    wl_device *of = &w->runner.device;
    if (of->backend != WL_CPU && request->device_memory > 0 && of->memory_free > request->device_memory)
        of->memory_free = request->device_memory;
    of->memory_free /= of_device;
    if (of->backend == WL_CPU) of->multiprocessors = c->matrix->threads;
    if (of_device > 1) w->runner.launching = &c->launching[device];
    return status;
}

static wl_status make_workers(computing *c) {
    const distances_request *request = c->request;
    c->workers = calloc(c->plan.workers, sizeof *c->workers);
    if (c->workers == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu threads", c->plan.workers);
    if (distances_stored_bytes(c->plan.stored) == sizeof(double)) return make_worker(c, 0, 0);
    for (size_t d = 0; d < request->device_count; d++) {
        size_t workers = request->devices[d].backend == WL_GPU ? DISTANCES_GPU_WORKERS : 1;
        wl_status status = wl_device_sleep_in_waits(&request->devices[d]);
        for (size_t i = 0; i < workers && status == WL_OK; i++) status = make_worker(c, d, workers);
        if (status != WL_OK) return status;
    }
    return WL_OK;
}

/* Wait for all workers, telling how far they are. */
static void watch(computing *c) {
    const distances_request *request = c->request;
    pthread_mutex_lock(&c->lock);
    while (c->running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 1000000000 / TICKS_A_SECOND;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&c->changed, &c->lock, &until);
        double done = c->total > 0 ? c->done / c->total : 1;
        if (request->progress == NULL || c->running == 0) continue;
        pthread_mutex_unlock(&c->lock);
        request->progress(request->user, done, wl_now() - c->begun);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

static wl_status run_all(computing *c) {
    size_t started = 0;
    c->running = c->worker_count;
    for (; started < c->worker_count; started++)
        if (pthread_create(&c->workers[started].thread, NULL, run_worker, &c->workers[started]) != 0) break;
    if (started < c->worker_count) {
        wl_fail(WL_NO_MACHINE, "cannot start %zu threads", c->worker_count);
        pthread_mutex_lock(&c->lock);
        fail(c, WL_NO_MACHINE);
        c->running -= c->worker_count - started;
        pthread_mutex_unlock(&c->lock);
    }
    watch(c);
    for (size_t i = 0; i < started; i++) pthread_join(c->workers[i].thread, NULL);
    /* After a failure as well: what has been computed need not be computed again. */
    wl_status status = c->matrix->store ? distances_store_flush(c->matrix->store) : WL_OK;
    if (c->status == WL_OK) return status;
    return wl_fail(c->status, "%s", c->error);
}

/* --- The whole --------------------------------------------------------------------------------------------------- */

static void describe(const computing *c, char *text, size_t size) {
    const wl_device *devices = c->request->devices;
    size_t count = c->request->device_count, used = 0, alike;
    *text = 0;
    if (distances_stored_bytes(c->plan.stored) == sizeof(double)) {
        snprintf(text, size, "%d CPU thread%s (%s)", c->matrix->threads, c->matrix->threads == 1 ? "" : "s",
                 distances_real_instruction_set());
        return;
    }
    for (size_t d = 0; d < count && used < size; d += alike) {
        char times[32] = "";
        for (alike = 1; d + alike < count; alike++)
            if (strcmp(devices[d + alike].name, devices[d].name) != 0 || c->used[d + alike] != c->used[d]) break;
        if (alike > 1) snprintf(times, sizeof times, "%zu x ", alike);
        used += (size_t)snprintf(text + used, size - used, "%s%s%s (%s)", used ? ", " : "", times, devices[d].name,
                                 c->used[d] ? c->used[d]->name : "idle");
    }
}

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
    for (size_t i = 0; i < c->worker_count; i++) summary->kernel_seconds += c->workers[i].runner.kernel_seconds;
    describe(c, summary->devices, sizeof summary->devices);
}

static void open_locks(computing *c) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (size_t d = 0; d < WL_DEVICES_MOST; d++) pthread_mutex_init(&c->launching[d], NULL);
}

static void close_all(computing *c) {
    for (size_t i = 0; i < c->worker_count; i++) free(c->workers[i].result);
    free(c->workers);
    for (size_t d = 0; d < WL_DEVICES_MOST; d++) pthread_mutex_destroy(&c->launching[d]);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

wl_status distances_compute(const distances_request *request, distances_matrix **matrix, distances_summary *summary) {
    *summary = (distances_summary){0};
    distances_stored stored;
    wl_status status = distances_stored_for(request->data, request->measure, &stored);
    if (status != WL_OK) return status;
    computing *c = calloc(1, sizeof *c);
    distances_matrix *made = calloc(1, sizeof *made);
    if (c == NULL || made == NULL) {
        free(c);
        free(made);
        return wl_fail(WL_NO_MACHINE, "not enough memory for a matrix");
    }
    c->request = request;
    c->matrix = made;
    c->begun = wl_now();
    open_locks(c);
    c->plan = distances_plan_make(request, stored);
    status = distances_matrix_make(request, &c->plan, made);
    if (status == WL_OK) count_tiles(c);
    if (status == WL_OK) status = make_workers(c);
    if (status == WL_OK) status = run_all(c);
    if (status == WL_OK) summarise(c, summary);
    close_all(c);
    if (status == WL_OK)
        *matrix = made;
    else
        distances_matrix_close(made, 0);
    return status;
}
