#include "sw/search/scan.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/bench/device.h"
#include "harness/base/clock.h"
#include "sw/search/part.h"

enum {
    GPU_WORKERS = 2, // host threads a GPU: one lays out and copies a block while the other's is computed
    TICKS_A_SECOND = 5,
};
#define WORKERS_MOST (GPU_WORKERS * WL_DEVICES_MOST)
#define SCORES_MOST ((size_t)1 << 25) // of a block: 128 MB come back from the device
/* Cells of a block, where there is a choice: half a second of an H200's work for one device alone, since every block has an
   end at which not all of the device is busy (nine blocks instead of one cost 7 %). Where several devices should
   finish together it is the last blocks that count, and smaller ones pay. */
#define LEAST_CELLS_ALONE 4e12
#define LEAST_CELLS_TOGETHER 5e11
/* For each of a CPU's cores: a few seconds of work, so that progress is seen, and enough letters to fill lanes with. */
#define CELLS_A_CORE 2e10
#define LETTERS_A_CORE (1 << 18)

typedef struct {
    sw_scan *scan;
    pthread_t thread;
    size_t device; // its place in setup.devices
    sw_runner runner;
    const wl_variant *used; // runner.used, for others to read
} worker;

struct sw_scan {
    sw_scan_setup setup;
    worker workers[WORKERS_MOST];
    size_t worker_count;

    pthread_mutex_t lock; // of everything below, and of worker.used
    pthread_cond_t work, finished;
    sw_scan_batch *oldest, *newest; // batches not yet complete
    int closing;
    double cells, seconds, busy_since;
    wl_status status; // the first failure's
    char error[1024];
};

/* --- Which block is next ----------------------------------------------------------------------------------------- */

/* Bytes from subject `first` to subject `end`, which may be the count. */
static uint64_t bytes_between(const sw_set *set, size_t first, size_t end) {
    uint64_t stop = end == set->count ? set->start[end - 1] + sw_pitch(set->length[end - 1]) : set->start[end];
    return stop - set->start[first];
}

/* How many subjects to take, from the first not yet given. A share of what is left, so that the blocks are large
   where nothing is at stake and small at the end, when all devices should finish together; and no more than the
   device's memory and the scores' allow. What it needs beside the sequences a variant knows better: it may refuse,
   and the block is halved. */
static size_t block_size(const worker *w, const sw_scan_batch *batch) {
    const sw_scan *scan = w->scan;
    const sw_set *database = &scan->setup.database;
    size_t first = batch->given, most = database->count - first, queries = batch->queries.count;
    size_t share = scan->worker_count > 1 ? scan->worker_count : 4;
    uint64_t bytes = bytes_between(database, first, database->count) / share;
    int on_cpu = w->runner.device.backend == WL_CPU;
    double cores = on_cpu && w->runner.device.multiprocessors > 1 ? w->runner.device.multiprocessors : 1;
    double cells = on_cpu                          ? CELLS_A_CORE * cores
                   : scan->setup.device_count == 1 ? LEAST_CELLS_ALONE
                                                   : LEAST_CELLS_TOGETHER;
    uint64_t least = (uint64_t)(cells / (double)batch->queries.letters);
    if (on_cpu && least < LETTERS_A_CORE * cores) least = (uint64_t)(LETTERS_A_CORE * cores);
    if (bytes < least || on_cpu) bytes = least; /* nothing finishes beside a CPU */
    if (bytes > w->runner.device.memory_free / 4) bytes = w->runner.device.memory_free / 4;
    if (scan->setup.most_letters > 0 && bytes > scan->setup.most_letters) bytes = scan->setup.most_letters;
    if (most > SCORES_MOST / queries) most = SCORES_MOST / queries;
    if (most > w->runner.device.memory_free / 4 / sizeof(int) / queries)
        most = w->runner.device.memory_free / 4 / sizeof(int) / queries;
    if (most < 1) most = 1;
    size_t low = 1, high = most; // the largest count within `bytes`, at least 1
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (bytes_between(database, first, first + middle) <= bytes)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The next block, under the lock; 0: there is none. */
static size_t next_block(const worker *w, sw_scan_batch **batch, size_t *first) {
    sw_scan *scan = w->scan;
    for (sw_scan_batch *b = scan->oldest; b != NULL; b = b->next) {
        if (b->given == scan->setup.database.count) continue;
        size_t count = block_size(w, b);
        *batch = b;
        *first = b->given;
        b->given += count;
        return count;
    }
    return 0;
}

/* --- Threads ----------------------------------------------------------------------------------------------------- */

static void fail(sw_scan *scan, wl_status status) {
    if (scan->status == WL_OK) {
        scan->status = status;
        snprintf(scan->error, sizeof scan->error, "%s", wl_error());
    }
    pthread_cond_broadcast(&scan->finished);
}

/* Batches are done in the order they came, or nearly: one that is done early waits for those before it. */
static void retire(sw_scan *scan) {
    while (scan->oldest && scan->oldest->done == scan->setup.database.count) {
        scan->oldest = scan->oldest->next;
        if (scan->oldest == NULL) scan->newest = NULL;
    }
    if (scan->oldest == NULL) scan->seconds += wl_now() - scan->busy_since;
    pthread_cond_broadcast(&scan->finished);
}

static void *run(void *argument) {
    worker *w = argument;
    sw_scan *scan = w->scan;
    if (scan->setup.threads > 0) omp_set_num_threads(scan->setup.threads);
    wl_status status = wl_device_use(&w->runner.device);
    pthread_mutex_lock(&scan->lock);
    if (status != WL_OK) fail(scan, status);
    while (!scan->closing && scan->status == WL_OK) {
        sw_scan_batch *batch;
        size_t first, count = next_block(w, &batch, &first);
        if (count == 0) {
            pthread_cond_wait(&scan->work, &scan->lock);
            continue;
        }
        pthread_mutex_unlock(&scan->lock);
        sw_input input = {*scan->setup.scoring, batch->queries, sw_set_part(&scan->setup.database, first, count)};
        status = sw_runner_scan(&w->runner, &input, first, scan->setup.order, batch->hits);
        pthread_mutex_lock(&scan->lock);
        w->used = w->runner.used;
        batch->done += count;
        scan->cells += (double)input.queries.letters * (double)input.database.letters;
        if (status != WL_OK) fail(scan, status);
        if (status == WL_OK && batch->done == scan->setup.database.count) retire(scan);
    }
    pthread_mutex_unlock(&scan->lock);
    sw_runner_free(&w->runner);
    return NULL;
}

/* --- Opening and closing ----------------------------------------------------------------------------------------- */

static wl_status start(sw_scan *scan, size_t place) {
    const wl_device *device = &scan->setup.devices[place];
    size_t workers = device->backend == WL_GPU ? GPU_WORKERS : 1, memory = device->memory_free;
    if (scan->setup.memory > 0 && memory > scan->setup.memory) memory = scan->setup.memory;
    for (size_t i = 0; i < workers; i++) {
        worker *w = &scan->workers[scan->worker_count];
        *w = (worker){.scan = scan, .device = place, .runner = {.device = *device}};
        w->runner.device.memory_free = memory / workers;
        if (device->backend == WL_CPU && scan->setup.threads > 0)
            w->runner.device.multiprocessors = scan->setup.threads;
        wl_status status = sw_candidates_find(device, scan->setup.pattern, &w->runner.candidates);
        if (status != WL_OK) return status;
        if (pthread_create(&w->thread, NULL, run, w) != 0) return wl_fail(WL_NO_MACHINE, "cannot start a thread");
        scan->worker_count++;
    }
    return WL_OK;
}

wl_status sw_scan_open(const sw_scan_setup *setup, sw_scan **result) {
    sw_scan *scan = calloc(1, sizeof *scan);
    if (scan == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a search");
    scan->setup = *setup;
    pthread_mutex_init(&scan->lock, NULL);
    pthread_cond_init(&scan->work, NULL);
    pthread_cond_init(&scan->finished, NULL);
    wl_status status = WL_OK;
    for (size_t d = 0; d < setup->device_count && status == WL_OK; d++) status = start(scan, d);
    if (status == WL_OK)
        *result = scan;
    else
        sw_scan_close(scan);
    return status;
}

void sw_scan_close(sw_scan *scan) {
    if (scan == NULL) return;
    pthread_mutex_lock(&scan->lock);
    scan->closing = 1;
    pthread_cond_broadcast(&scan->work);
    pthread_mutex_unlock(&scan->lock);
    for (size_t i = 0; i < scan->worker_count; i++) pthread_join(scan->workers[i].thread, NULL);
    pthread_cond_destroy(&scan->finished);
    pthread_cond_destroy(&scan->work);
    pthread_mutex_destroy(&scan->lock);
    free(scan);
}

/* --- Batches ----------------------------------------------------------------------------------------------------- */

void sw_scan_submit(sw_scan *scan, sw_scan_batch *batch) {
    batch->next = NULL;
    batch->given = batch->done = 0;
    pthread_mutex_lock(&scan->lock);
    if (scan->newest)
        scan->newest->next = batch;
    else
        scan->oldest = batch;
    if (scan->newest == NULL) scan->busy_since = wl_now();
    scan->newest = batch;
    pthread_cond_broadcast(&scan->work);
    pthread_mutex_unlock(&scan->lock);
}

wl_status sw_scan_wait(sw_scan *scan, const sw_scan_batch *batch, void (*tick)(void *context), void *context) {
    pthread_mutex_lock(&scan->lock);
    while (scan->status == WL_OK && batch->done < scan->setup.database.count) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 1000000000 / TICKS_A_SECOND;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&scan->finished, &scan->lock, &until);
        if (tick == NULL) continue;
        pthread_mutex_unlock(&scan->lock);
        tick(context);
        pthread_mutex_lock(&scan->lock);
    }
    wl_status status = scan->status;
    if (status != WL_OK) wl_fail(status, "%s", scan->error);
    pthread_mutex_unlock(&scan->lock);
    return status;
}

sw_scan_progress sw_scan_done(sw_scan *scan) {
    pthread_mutex_lock(&scan->lock);
    sw_scan_progress progress = {scan->cells, scan->seconds};
    if (scan->oldest) progress.seconds += wl_now() - scan->busy_since;
    pthread_mutex_unlock(&scan->lock);
    return progress;
}

static const wl_variant *used_by(const sw_scan *scan, size_t device) {
    for (size_t i = 0; i < scan->worker_count; i++)
        if (scan->workers[i].device == device && scan->workers[i].used) return scan->workers[i].used;
    return NULL;
}

void sw_scan_describe(sw_scan *scan, char *text, size_t size) {
    const wl_device *devices = scan->setup.devices;
    size_t count = scan->setup.device_count, used = 0, alike;
    *text = 0;
    pthread_mutex_lock(&scan->lock);
    for (size_t d = 0; d < count && used < size; d += alike) {
        const wl_variant *variant = used_by(scan, d);
        char times[32] = "";
        for (alike = 1; d + alike < count; alike++)
            if (strcmp(devices[d + alike].name, devices[d].name) != 0 || used_by(scan, d + alike) != variant) break;
        if (alike > 1) snprintf(times, sizeof times, "%zu x ", alike);
        used += (size_t)snprintf(text + used, size - used, "%s%s%s (%s)", used ? ", " : "", times, devices[d].name,
                                 variant ? variant->name : "idle");
    }
    pthread_mutex_unlock(&scan->lock);
}
