#include "papara/score/score.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/cpu.h"
#include "harness/bench/device.h"
#include "harness/base/clock.h"
#include "harness/base/memory.h"
#include "papara/score/block.h"
#include "papara/score/pace.h"

enum { FILL_THREADS = 4, TICKS_A_SECOND = 5 };
#define SITE_BYTES_MOST ((size_t)1 << 30) // of a block's vectors in main memory

typedef struct scoring scoring;

typedef struct {
    scoring *all;
    papara_crew *crew;
    pthread_t thread;
    papara_runner runner;
    papara_best *best; // [best_room], of a block
    size_t best_room;
} worker;

struct scoring {
    const papara_score_request *request;
    papara_sorted_reads sorted;
    papara_best *best; // [reads], the request's
    double begun, total;

    papara_crew crews[WL_DEVICES_MOST];
    size_t crew_count;
    worker *workers;
    size_t worker_count, running;

    pthread_mutex_t lock; // of all below, of best, of crews
    pthread_cond_t changed;
    papara_queue queue;
    double done;      // cells
    wl_status status; // the first failure's
    char error[1024];
};

/* --- Workers ----------------------------------------------------------------------------------------------------- */

static void fail(scoring *s, wl_status status) {
    if (s->status != WL_OK) return;
    s->status = status;
    snprintf(s->error, sizeof s->error, "%s", wl_error());
}

static wl_status work(worker *w, const papara_block *block) {
    scoring *s = w->all;
    if (block->reads > w->best_room) {
        free(w->best);
        w->best = malloc(block->reads * sizeof *w->best);
        w->best_room = w->best ? block->reads : 0;
        if (w->best == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu reads", block->reads);
    }
    return papara_runner_run(&w->runner, s->request, &s->sorted.reads, block, w->best);
}

/* Under the lock. */
static void account(worker *w, const papara_block *block, double begun) {
    scoring *s = w->all;
    double now = wl_now(), cells = papara_block_cells(&s->queue, block);
    for (size_t r = 0; r < block->reads; r++)
        papara_best_merge(&s->best[s->sorted.order[block->first_read + r]], &w->best[r]);
    s->done += cells;
    w->crew->cells += cells;
    w->crew->busy += now - begun;
    w->crew->last = now - s->begun;
    if (w->crew->used == NULL) w->crew->used = w->runner.used;
}

/* Under the lock; as papara_queue_take. */
static int next_block(worker *w, papara_block *block) {
    scoring *s = w->all;
    papara_block_shape shape = w->runner.device.backend == WL_GPU ? PAPARA_WIDE : PAPARA_NARROW;
    double cells = papara_block_wanted(s->crews, s->crew_count, w->crew, s->queue.cells_left);
    return papara_queue_take(&s->queue, shape, cells, w->runner.most_vectors, block);
}

static void *run_worker(void *argument) {
    worker *w = argument;
    scoring *s = w->all;
    if (w->runner.device.backend == WL_CPU) omp_set_num_threads(1);
    wl_status status = wl_device_use(&w->runner.device);
    pthread_mutex_lock(&s->lock);
    while (status == WL_OK && s->status == WL_OK) {
        papara_block block;
        int taken = next_block(w, &block);
        if (taken < 0) status = wl_fail(WL_NO_MACHINE, "not enough memory for the list of blocks");
        if (taken <= 0) break;
        pthread_mutex_unlock(&s->lock);
        double begun = wl_now();
        status = work(w, &block);
        pthread_mutex_lock(&s->lock);
        if (status == WL_OK) account(w, &block, begun);
    }
    if (status != WL_OK) fail(s, status);
    s->running--;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* What a worker's share of its device's memory is, and of the machine's for its block's vectors. */
static wl_status make_worker(scoring *s, papara_crew *crew, size_t workers) {
    const papara_score_request *request = s->request;
    worker *w = &s->workers[s->worker_count];
    *w = (worker){.all = s, .crew = crew};
    wl_status status = papara_runner_open(crew->device, request->pattern, &w->runner);
    if (status != WL_OK) return status;
    wl_device *device = &w->runner.device;
    if (device->backend != WL_CPU && request->memory > 0 && device->memory_free > request->memory)
        device->memory_free = request->memory;
    device->memory_free /= crew->workers;
    if (device->backend == WL_CPU)
        device->multiprocessors = 1;
    else
        w->runner.fill_threads = wl_cpu_threads() < FILL_THREADS ? wl_cpu_threads() : FILL_THREADS;
    size_t bytes = wl_memory_available() / 4 / workers, reads = s->queue.rest[0].reads;
    if (bytes > SITE_BYTES_MOST) bytes = SITE_BYTES_MOST;
    size_t most = papara_vectors_of_a_launch(request, device->backend, device->memory_free, reads);
    size_t by_main_memory = bytes / sizeof(uint32_t) / request->sites;
    if (most > by_main_memory) most = by_main_memory;
    w->runner.most_vectors = most > 0 ? most : 1;
    s->worker_count++;
    return WL_OK;
}

static wl_status make_workers(scoring *s) {
    const papara_score_request *request = s->request;
    size_t workers = 0;
    for (size_t d = 0; d < request->device_count; d++) {
        papara_crew *crew = &s->crews[s->crew_count++];
        *crew =
            (papara_crew){.device = &request->devices[d], .workers = papara_crew_size(request, &request->devices[d])};
        workers += crew->workers;
    }
    s->workers = calloc(workers, sizeof *s->workers);
    if (s->workers == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu threads", workers);
    for (size_t d = 0; d < s->crew_count; d++) {
        wl_status status = wl_device_sleep_in_waits(s->crews[d].device);
        for (size_t i = 0; i < s->crews[d].workers && status == WL_OK; i++)
            status = make_worker(s, &s->crews[d], workers);
        if (status != WL_OK) return status;
    }
    return WL_OK;
}

/* --- The whole --------------------------------------------------------------------------------------------------- */

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Wait for all workers, telling how far they are. */
static void watch(scoring *s) {
    const papara_score_request *request = s->request;
    pthread_mutex_lock(&s->lock);
    while (s->running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 1000000000 / TICKS_A_SECOND;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&s->changed, &s->lock, &until);
        double done = s->done / s->total;
        if (request->progress == NULL || s->running == 0) continue;
        pthread_mutex_unlock(&s->lock);
        request->progress(request->user, done, wl_now() - s->begun);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
}

static wl_status run_all(scoring *s) {
    size_t started = 0;
    s->running = s->worker_count;
    for (; started < s->worker_count; started++)
        if (pthread_create(&s->workers[started].thread, NULL, run_worker, &s->workers[started]) != 0) break;
    if (started < s->worker_count) {
        wl_fail(WL_NO_MACHINE, "cannot start %zu threads", s->worker_count);
        pthread_mutex_lock(&s->lock);
        fail(s, WL_NO_MACHINE);
        s->running -= s->worker_count - started;
        pthread_mutex_unlock(&s->lock);
    }
    watch(s);
    for (size_t i = 0; i < started; i++) pthread_join(s->workers[i].thread, NULL);
    return s->status == WL_OK ? WL_OK : wl_fail(s->status, "%s", s->error);
}

static void describe(const papara_crew *crew, papara_worker_summary *summary) {
    const char *variant = crew->used ? crew->used->name : "idle";
    const char *isa = crew->used && crew->used->instruction_set ? crew->used->instruction_set() : NULL;
    *summary = (papara_worker_summary){.cells = crew->cells, .seconds = crew->last};
    if (crew->device->backend == WL_CPU)
        snprintf(summary->name, sizeof summary->name, "%zu CPU thread%s (%.60s%s%.40s)", crew->workers,
                 crew->workers == 1 ? "" : "s", variant, isa ? ", " : "", isa ? isa : "");
    else
        snprintf(summary->name, sizeof summary->name, "%.80s (%.60s)", crew->device->name, variant);
}

static void summarise(const scoring *s, double processor_begun, papara_score_summary *summary) {
    const papara_score_request *request = s->request;
    *summary = (papara_score_summary){.cells = s->total,
                                      .seconds = wl_now() - s->begun,
                                      .cpu_seconds = processor_time() - processor_begun,
                                      .workers = s->crew_count};
    for (size_t r = 0; r < request->reads.count; r++) {
        double m = request->reads.length[r];
        summary->computed_cells += m * (request->sites - m + 1) * (double)request->vectors;
    }
    for (size_t d = 0; d < s->crew_count; d++) describe(&s->crews[d], &summary->worker[d]);
}

wl_status papara_score(const papara_score_request *request, papara_best *best, papara_score_summary *summary) {
    *summary = (papara_score_summary){0};
    for (size_t r = 0; r < request->reads.count; r++) best[r] = papara_best_none();
    if (request->reads.count == 0 || request->vectors == 0) return WL_OK;
    scoring *s = calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the scoring phase");
    s->request = request;
    s->best = best;
    s->begun = wl_now();
    double processor_begun = processor_time();
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);

    wl_status status = papara_sort_reads(&request->reads, &s->sorted);
    if (status == WL_OK)
        status = papara_queue_make(&s->sorted.reads, request->vectors, request->sites,
                                   papara_reads_of_a_launch(request), &s->queue);
    s->total = s->queue.cells_left;
    if (status == WL_OK) status = make_workers(s);
    if (status == WL_OK) status = run_all(s);
    if (status == WL_OK) summarise(s, processor_begun, summary);

    for (size_t i = 0; i < s->worker_count; i++) {
        papara_runner_close(&s->workers[i].runner);
        free(s->workers[i].best);
    }
    free(s->workers);
    papara_queue_free(&s->queue);
    papara_sorted_reads_free(&s->sorted);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return status;
}
