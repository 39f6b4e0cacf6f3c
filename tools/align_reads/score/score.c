#include "tools/align_reads/score/score.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/clock.h"
#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "harness/bench/device.h"
#include "tools/align_reads/score/block.h"

enum { FILL_THREADS = 4 };
#define SITE_BYTES_MOST ((size_t)1 << 30) // of a block's vectors in main memory
#define GPU_CELLS_MOST 4e12           // of the smallest block with all reads of a launch: a second or two on an H200
#define LONGEST_ON_CPU 0.5            // seconds per block, so that progress is seen
#define SCORES_MOST ((size_t)1 << 25) // per block: the device sends 128 MB

/* How fast the workers of a device are. */
typedef struct {
    const wl_device *device;
    size_t workers;
    double cells, busy; // done, and the sum of the workers' seconds for it
    double last;        // seconds from the begin to the end of the last block
} device_pace;

typedef struct {
    const papara_score_request *request;
    papara_sorted_reads sorted;
    papara_best *best; // [reads], the request's
    double begun, total;
    wl_pool *pool;
    size_t workers;

    device_pace paces[WL_DEVICES_MOST]; // [request->device_count]; the pool's lock protects this and everything below
    papara_queue queue;
    double done; // cells
} scoring;

/* --- How large blocks are ---------------------------------------------------------------------------------------- */

/* How long a block should take, if there is a choice: a share of the time for all remaining work. So blocks are large at first, and all
   workers finish together. But not so short that its overhead counts, and the first one, before a rate is known, not long. */
static const struct {
    double rate;                   // assumed until one is measured: cells per second of a GPU or a CPU thread
    double share, shortest, first; // seconds
} expected[WL_BACKENDS] = {
    [WL_CPU] = {5e9, 0.25, 0.02, 0.1},
    [WL_GPU] = {5e11, 0.5, 0.2, 0.5},
    [WL_SIM] = {5e5, 0.25, 0.2, 0.2},
};

/* Cells per second of one worker. */
static double rate_of(const device_pace *pace) {
    if (pace->busy > 0 && pace->cells > 0) return pace->cells / pace->busy;
    double rate = expected[pace->device->backend].rate;
    return pace->device->backend == WL_GPU ? rate / (double)pace->workers : rate;
}

/* Cells of the next block for a worker of `pace`, out of cells_left that are not taken. paces [count]: all devices. */
static double block_wanted(const device_pace *paces, size_t count, const device_pace *pace, double cells_left) {
    wl_backend backend = pace->device->backend;
    double rates = 0;
    for (size_t i = 0; i < count; i++) rates += rate_of(&paces[i]) * (double)paces[i].workers;
    double seconds = expected[backend].share * cells_left / rates;
    if (pace->cells == 0 && seconds > expected[backend].first) seconds = expected[backend].first;
    if (backend == WL_CPU && seconds > LONGEST_ON_CPU) seconds = LONGEST_ON_CPU;
    if (seconds < expected[backend].shortest) seconds = expected[backend].shortest;
    return seconds * rate_of(pace);
}

/* Reads per launch, at least 1: all, unless a GPU's block with few vectors would then take too long or too much memory. */
static size_t reads_of_a_launch(const papara_score_request *request) {
    const size_t count = request->reads.count, step = PAPARA_WIDE_STEP;
    const double letters = (double)request->reads.letters / (double)count;
    size_t most = count;
    for (size_t d = 0; d < request->device_count; d++) {
        const wl_device *device = &request->devices[d];
        if (device->backend != WL_GPU) continue;
        size_t memory = device->memory_free;
        if (request->memory > 0 && memory > request->memory) memory = request->memory;
        double by_cells = GPU_CELLS_MOST / ((double)step * request->sites * letters);
        double by_memory =
            (double)memory / (double)wl_pool_workers(device) / 4 / ((double)step * sizeof(int) + letters);
        double reads = by_cells < by_memory ? by_cells : by_memory;
        if (reads < (double)most) most = (size_t)reads;
    }
    if (request->most_reads > 0 && most > request->most_reads) most = request->most_reads;
    if (most > SCORES_MOST / step) most = SCORES_MOST / step;
    return most > 0 ? most : 1;
}

/* Vectors per block with this many reads per launch, at least 1. `memory`: what the worker may use of the device. A variant may need
   more than vectors and scores. It then refuses, and the block is halved. */
static size_t vectors_of_a_launch(const papara_score_request *request, wl_backend backend, size_t memory,
                                  size_t reads) {
    if (backend == WL_CPU) return PAPARA_NARROW_VECTORS;
    size_t by_scores = SCORES_MOST / reads, by_memory = memory / 4 / sizeof(uint32_t) / request->sites;
    size_t most = by_scores < by_memory ? by_scores : by_memory;
    if (most > PAPARA_WIDE_STEP) most -= most % PAPARA_WIDE_STEP;
    return most > 0 ? most : 1;
}

/* --- Workers ----------------------------------------------------------------------------------------------------- */

/* A worker's share of the machine's memory for its block's vectors. */
static wl_status begin(void *job, wl_worker *worker) {
    const scoring *s = job;
    const papara_score_request *request = s->request;
    papara_room *room = worker->own;
    const wl_device *device = &worker->device;
    int cores = wl_cpu_threads();
    room->fill_threads = device->backend == WL_CPU ? 1 : cores < FILL_THREADS ? cores : FILL_THREADS;
    size_t bytes = wl_memory_available() / 4 / s->workers, reads = s->queue.rest[0].reads;
    if (bytes > SITE_BYTES_MOST) bytes = SITE_BYTES_MOST;
    size_t most = vectors_of_a_launch(request, device->backend, device->memory_free, reads);
    size_t by_main_memory = bytes / sizeof(uint32_t) / request->sites;
    if (most > by_main_memory) most = by_main_memory;
    room->most_vectors = most > 0 ? most : 1;
    return WL_OK;
}

static void end(void *job, wl_worker *worker) {
    (void)job;
    papara_room_free(worker->own);
}

static int next_block(void *job, wl_worker *worker, void *unit) {
    scoring *s = job;
    const papara_room *room = worker->own;
    papara_block_shape shape = worker->device.backend == WL_GPU ? PAPARA_WIDE : PAPARA_NARROW;
    double cells = block_wanted(s->paces, s->request->device_count, &s->paces[worker->place], s->queue.cells_left);
    int taken = papara_queue_take(&s->queue, shape, cells, room->most_vectors, unit);
    if (taken < 0) wl_fail(WL_NO_MACHINE, "not enough memory for the list of blocks");
    return taken;
}

static wl_status work(void *job, wl_worker *worker, const void *unit) {
    const scoring *s = job;
    return papara_block_run(worker, s->request, &s->sorted.reads, unit);
}

static void finish(void *job, wl_worker *worker, const void *unit, double seconds) {
    scoring *s = job;
    const papara_block *block = unit;
    const papara_room *room = worker->own;
    device_pace *pace = &s->paces[worker->place];
    double cells = papara_block_cells(&s->queue, block);
    for (size_t r = 0; r < block->reads; r++)
        papara_best_merge(&s->best[s->sorted.order[block->first_read + r]], &room->best[r]);
    s->done += cells;
    pace->cells += cells;
    pace->busy += seconds;
    pace->last = wl_now() - s->begun;
}

static void tick(void *context) {
    scoring *s = context;
    wl_pool_lock(s->pool);
    double done = s->done / s->total;
    wl_pool_unlock(s->pool);
    s->request->progress(s->request->user, done, wl_now() - s->begun);
}

/* --- The whole --------------------------------------------------------------------------------------------------- */

static wl_status open_pool(scoring *s) {
    const papara_score_request *request = s->request;
    wl_pool_setup setup = {.problem = "papara",
                           .devices = request->devices,
                           .device_count = request->device_count,
                           .pattern = request->pattern,
                           .memory = request->memory,
                           .job = s,
                           .own_bytes = sizeof(papara_room),
                           .task_bytes = sizeof(papara_block),
                           .begin = begin,
                           .end = end,
                           .next = next_block,
                           .work = work,
                           .finish = finish};
    for (size_t d = 0; d < request->device_count; d++) {
        const wl_device *device = &request->devices[d];
        s->paces[d] = (device_pace){.device = device, .workers = wl_pool_workers(device)};
        if (device->backend == WL_CPU) {
            int threads = request->threads > 0 ? request->threads : device->multiprocessors;
            s->paces[d].workers = setup.cpu_workers = threads > 0 ? (size_t)threads : 1;
        }
        s->workers += s->paces[d].workers;
    }
    return wl_pool_open(&setup, &s->pool);
}

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void describe(const device_pace *pace, const wl_variant *used, papara_worker_summary *summary) {
    const char *variant = used ? used->name : "idle";
    const char *isa = used && used->instruction_set ? used->instruction_set() : NULL;
    *summary = (papara_worker_summary){.cells = pace->cells, .seconds = pace->last};
    if (pace->device->backend == WL_CPU)
        snprintf(summary->name, sizeof summary->name, "%zu CPU thread%s (%.60s%s%.40s)", pace->workers,
                 pace->workers == 1 ? "" : "s", variant, isa ? ", " : "", isa ? isa : "");
    else
        snprintf(summary->name, sizeof summary->name, "%.80s (%.60s)", pace->device->name, variant);
}

static void summarise(const scoring *s, double processor_begun, papara_score_summary *summary) {
    const papara_score_request *request = s->request;
    *summary = (papara_score_summary){.cells = s->total,
                                      .seconds = wl_now() - s->begun,
                                      .cpu_seconds = processor_time() - processor_begun,
                                      .workers = request->device_count};
    for (size_t r = 0; r < request->reads.count; r++) {
        double m = request->reads.length[r];
        summary->computed_cells += m * (request->sites - m + 1) * (double)request->vectors;
    }
    for (size_t d = 0; d < request->device_count; d++)
        describe(&s->paces[d], wl_pool_used(s->pool, d), &summary->worker[d]);
}

wl_status papara_score(const papara_score_request *request, papara_best *best, papara_score_summary *summary) {
    *summary = (papara_score_summary){0};
    for (size_t r = 0; r < request->reads.count; r++) best[r] = papara_best_none();
    if (request->reads.count == 0 || request->vectors == 0) return WL_OK;
    scoring s = {.request = request, .best = best, .begun = wl_now()};
    double processor_begun = processor_time();
    wl_status status = papara_sort_reads(&request->reads, &s.sorted);
    if (status == WL_OK)
        status =
            papara_queue_make(&s.sorted.reads, request->vectors, request->sites, reads_of_a_launch(request), &s.queue);
    s.total = s.queue.cells_left;
    if (status == WL_OK) status = open_pool(&s);
    if (status == WL_OK) status = wl_pool_wait(s.pool, NULL, NULL, request->progress ? tick : NULL, &s);
    if (status == WL_OK) summarise(&s, processor_begun, summary);
    wl_pool_close(s.pool);
    papara_queue_free(&s.queue);
    papara_sorted_reads_free(&s.sorted);
    return status;
}
