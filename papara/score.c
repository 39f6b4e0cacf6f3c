#include "papara/score.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/device.h"
#include "harness/timer.h"
#include "io/memory.h"
#include "papara/score_block.h"

enum {
    GPU_WORKERS = 2, // host threads a GPU: one lays out and copies a block while the other's is computed
    FILL_THREADS = 4,
    TICKS_A_SECOND = 5,
};
#define SCORES_MOST ((size_t)1 << 25)     // of a block: 128 MB come back from the device
#define SITE_BYTES_MOST ((size_t)1 << 30) // of a block's vectors in main memory
#define GPU_CELLS_MOST 4e12               // of the smallest block with all reads of a launch: a second of an H200

/* How long a block should take, where there is a choice: a share of what the whole rest will, so that blocks are large where
   nothing is at stake and all finish together; not so short that beginning and end of a block count; and the
   first one, before a rate has been measured, not long. */
static const struct {
    double rate;                   // that is assumed until one is measured, cells a second and device or CPU thread
    double share, shortest, first; // seconds
} pace[WL_BACKENDS] = {
    [WL_CPU] = {5e9, 0.25, 0.02, 0.1},
    [WL_GPU] = {5e11, 0.5, 0.2, 0.5},
    [WL_SIM] = {5e5, 0.25, 0.2, 0.2},
};
#define LONGEST_ON_CPU 0.5 // seconds of a block, so that progress is seen

/* A device, or all of the CPU's threads. */
typedef struct {
    const wl_device *device;
    size_t workers;
    double cells, busy;     // done, and its workers' seconds for them, added up
    double last;            // seconds from the beginning until its last block was done
    const wl_variant *used; // the first that ran
} site_of_work;

typedef struct scoring scoring;

typedef struct {
    scoring *all;
    site_of_work *at;
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

    site_of_work sites_of_work[WL_DEVICES_MOST];
    size_t site_count;
    worker *workers;
    size_t worker_count, running;

    pthread_mutex_t lock; // of all below, of best, of sites_of_work
    pthread_cond_t changed;
    papara_queue queue;
    double done;      // cells
    wl_status status; // the first failure's
    char error[1024];
};

/* --- Which block is next ----------------------------------------------------------------------------------------- */

/* Cells a second of one of its workers. */
static double rate_of(const site_of_work *at) {
    if (at->busy > 0 && at->cells > 0) return at->cells / at->busy;
    double rate = pace[at->device->backend].rate;
    return at->device->backend == WL_GPU ? rate / (double)at->workers : rate;
}

static double cells_wanted(const scoring *s, const site_of_work *at) {
    wl_backend backend = at->device->backend;
    double rates = 0;
    for (size_t i = 0; i < s->site_count; i++)
        rates += rate_of(&s->sites_of_work[i]) * (double)s->sites_of_work[i].workers;
    double seconds = pace[backend].share * s->queue.cells_left / rates;
    if (at->cells == 0 && seconds > pace[backend].first) seconds = pace[backend].first;
    if (backend == WL_CPU && seconds > LONGEST_ON_CPU) seconds = LONGEST_ON_CPU;
    if (seconds < pace[backend].shortest) seconds = pace[backend].shortest;
    return seconds * rate_of(at);
}

/* Under the lock; as papara_queue_take. */
static int next_block(worker *w, papara_block *block) {
    scoring *s = w->all;
    papara_block_shape shape = w->runner.device.backend == WL_GPU ? PAPARA_WIDE : PAPARA_NARROW;
    return papara_queue_take(&s->queue, shape, cells_wanted(s, w->at), w->runner.most_vectors, block);
}

/* Reads of a launch: so many that a GPU's block with few vectors is neither too long nor too large for its memory. */
static size_t reads_of_a_launch(const papara_score_request *request) {
    size_t count = request->reads.count, most = count;
    for (size_t d = 0; d < request->device_count; d++) {
        const wl_device *device = &request->devices[d];
        if (device->backend != WL_GPU) continue;
        size_t memory = device->memory_free, step = PAPARA_WIDE_STEP;
        if (request->memory > 0 && memory > request->memory) memory = request->memory;
        double letters = (double)request->reads.letters / (double)count;
        double by_cells = GPU_CELLS_MOST / ((double)step * request->sites * letters);
        double by_memory = (double)memory / GPU_WORKERS / 4 / ((double)step * sizeof(int) + letters);
        double reads = by_cells < by_memory ? by_cells : by_memory;
        if (reads < (double)most) most = reads < 1 ? 1 : (size_t)reads;
    }
    if (request->most_reads > 0 && most > request->most_reads) most = request->most_reads;
    if (most > SCORES_MOST / PAPARA_WIDE_STEP) most = SCORES_MOST / PAPARA_WIDE_STEP;
    return most > 0 ? most : 1;
}

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
    w->at->cells += cells;
    w->at->busy += now - begun;
    w->at->last = now - s->begun;
    if (w->at->used == NULL) w->at->used = w->runner.used;
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

static size_t workers_on(const papara_score_request *request, const wl_device *device) {
    if (device->backend == WL_GPU) return GPU_WORKERS;
    if (device->backend == WL_SIM) return 1;
    int threads = request->threads > 0 ? request->threads : device->multiprocessors;
    return threads > 0 ? (size_t)threads : 1;
}

/* What a worker's share of its device's memory is, and of the machine's for its block's vectors. */
static wl_status make_worker(scoring *s, site_of_work *at, size_t workers) {
    const papara_score_request *request = s->request;
    worker *w = &s->workers[s->worker_count];
    *w = (worker){.all = s, .at = at};
    wl_status status = papara_runner_open(at->device, request->pattern, &w->runner);
    if (status != WL_OK) return status;
    wl_device *device = &w->runner.device;
    if (device->backend == WL_GPU && request->memory > 0 && device->memory_free > request->memory)
        device->memory_free = request->memory;
    device->memory_free /= at->workers;
    size_t main_memory = wl_memory_available() / 4 / workers;
    size_t bytes = main_memory < SITE_BYTES_MOST ? main_memory : SITE_BYTES_MOST;
    w->runner.most_vectors = bytes / sizeof(uint32_t) / request->sites;
    if (device->backend == WL_CPU) {
        device->multiprocessors = 1;
    } else {
        size_t by_scores = SCORES_MOST / s->queue.rest[0].reads, by_memory = device->memory_free / 4 / request->sites;
        if (w->runner.most_vectors > by_scores) w->runner.most_vectors = by_scores;
        if (w->runner.most_vectors > by_memory) w->runner.most_vectors = by_memory;
        w->runner.fill_threads = wl_cpu_threads() < FILL_THREADS ? wl_cpu_threads() : FILL_THREADS;
    }
    if (w->runner.most_vectors == 0) w->runner.most_vectors = 1;
    s->worker_count++;
    return WL_OK;
}

static wl_status make_workers(scoring *s) {
    const papara_score_request *request = s->request;
    size_t workers = 0;
    for (size_t d = 0; d < request->device_count; d++) {
        site_of_work *at = &s->sites_of_work[s->site_count++];
        *at = (site_of_work){.device = &request->devices[d], .workers = workers_on(request, &request->devices[d])};
        workers += at->workers;
    }
    s->workers = calloc(workers, sizeof *s->workers);
    if (s->workers == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu threads", workers);
    for (size_t d = 0; d < s->site_count; d++) {
        wl_status status = wl_device_sleep_in_waits(s->sites_of_work[d].device);
        for (size_t i = 0; i < s->sites_of_work[d].workers && status == WL_OK; i++)
            status = make_worker(s, &s->sites_of_work[d], workers);
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

static void describe(const site_of_work *at, papara_worker_summary *summary) {
    const char *variant = at->used ? at->used->name : "idle";
    const char *isa = at->used && at->used->instruction_set ? at->used->instruction_set() : NULL;
    *summary = (papara_worker_summary){.cells = at->cells, .seconds = at->last};
    if (at->device->backend == WL_CPU)
        snprintf(summary->name, sizeof summary->name, "%zu CPU thread%s (%.60s%s%.40s)", at->workers,
                 at->workers == 1 ? "" : "s", variant, isa ? ", " : "", isa ? isa : "");
    else
        snprintf(summary->name, sizeof summary->name, "%.80s (%.60s)", at->device->name, variant);
}

static void summarise(const scoring *s, double processor_begun, papara_score_summary *summary) {
    const papara_score_request *request = s->request;
    *summary = (papara_score_summary){.cells = s->total,
                                      .seconds = wl_now() - s->begun,
                                      .cpu_seconds = processor_time() - processor_begun,
                                      .workers = s->site_count};
    for (size_t r = 0; r < request->reads.count; r++) {
        double m = request->reads.length[r];
        summary->computed_cells += m * (request->sites - m + 1) * (double)request->vectors;
    }
    for (size_t d = 0; d < s->site_count; d++) describe(&s->sites_of_work[d], &summary->worker[d]);
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
        status = papara_queue_make(&s->sorted.reads, request->vectors, request->sites, reads_of_a_launch(request),
                                   &s->queue);
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
