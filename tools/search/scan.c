#include "tools/search/scan.h"

#include <stdlib.h>

#include "harness/base/clock.h"
#include "harness/bench/pool.h"
#include "harness/bench/device.h"

#define SCORES_MOST ((size_t)1 << 25) // of a block: 128 MB come back from the device
/* Cells of a block, where there is a choice. For one device alone, that is half a second of an H200's work: at the end of every block,
   part of the device is idle (nine blocks instead of one cost 7 %). Several devices should finish together. Then the last blocks matter
   most, and smaller ones pay off. */
#define LEAST_CELLS_ALONE 4e12
#define LEAST_CELLS_TOGETHER 5e11
/* For each of a CPU's cores: a few seconds of work, so that progress is seen, and enough letters to fill lanes with. */
#define CELLS_A_CORE 2e10
#define LETTERS_A_CORE (1 << 18)

struct sw_scan {
    sw_scan_setup setup;
    size_t workers;
    wl_resident *resident;          // [setup.device_count]
    wl_pool *pool;                  // its lock is held by whoever uses what is below
    sw_scan_batch *oldest, *newest; // batches not yet complete
    double cells, seconds, busy_since;
};

typedef struct {
    sw_scan_batch *batch;
    size_t first, count; // subjects
} block;

/* A worker's own. */
typedef struct {
    int *scores; // [capacity]
    size_t capacity;
} room;

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
static size_t block_size(const sw_scan *scan, const wl_device *device, const sw_scan_batch *batch) {
    const sw_set *database = &scan->setup.database;
    size_t first = batch->given, most = database->count - first, queries = batch->queries.count;
    size_t share = scan->workers > 1 ? scan->workers : 4;
    uint64_t bytes = bytes_between(database, first, database->count) / share;
    int on_cpu = device->backend == WL_CPU;
    double cores = on_cpu && device->multiprocessors > 1 ? device->multiprocessors : 1;
    double cells = on_cpu                          ? CELLS_A_CORE * cores
                   : scan->setup.device_count == 1 ? LEAST_CELLS_ALONE
                                                   : LEAST_CELLS_TOGETHER;
    uint64_t least = (uint64_t)(cells / (double)batch->queries.letters);
    if (on_cpu && least < LETTERS_A_CORE * cores) least = (uint64_t)(LETTERS_A_CORE * cores);
    if (bytes < least || on_cpu) bytes = least; // nothing finishes beside a CPU
    if (bytes > device->memory_free / 4) bytes = device->memory_free / 4;
    if (scan->setup.most_letters > 0 && bytes > scan->setup.most_letters) bytes = scan->setup.most_letters;
    if (most > SCORES_MOST / queries) most = SCORES_MOST / queries;
    if (most > device->memory_free / 4 / sizeof(int) / queries) most = device->memory_free / 4 / sizeof(int) / queries;
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

static int next_block(void *job, wl_worker *worker, void *unit) {
    const sw_scan *scan = job;
    sw_scan_batch *batch = scan->oldest;
    while (batch != NULL && batch->given == scan->setup.database.count) batch = batch->next;
    if (batch == NULL) return 0;
    block *next = unit;
    *next = (block){batch, batch->given, block_size(scan, &worker->device, batch)};
    batch->given += next->count;
    return 1;
}

/* --- A block on a device ----------------------------------------------------------------------------------------- */

static wl_status compute(wl_worker *worker, const wl_variant *variant, const sw_input *input) {
    room *own = worker->own;
    size_t count = input->queries.count * input->database.count;
    if (count > own->capacity) {
        free(own->scores);
        own->scores = malloc(count * sizeof *own->scores);
        own->capacity = own->scores ? count : 0;
        if (own->scores == NULL)
            return wl_fail(WL_NO_MACHINE, "not enough memory for the scores of a block: %zu", count);
    }
    return wl_worker_run(worker, variant, input, own->scores);
}

static wl_status reduce(const int *scores, const sw_input *input, size_t first, const uint64_t *order, sw_hits *hits) {
    size_t subjects = input->database.count;
    wl_status status = WL_OK;
    for (size_t q = 0; q < input->queries.count && status == WL_OK; q++)
        status = sw_hits_add(&hits[q], scores + q * subjects, input->database.length, first, subjects, order);
    return status;
}

static wl_status scan_input(wl_worker *worker, const sw_input *input, size_t first, const uint64_t *order,
                            sw_hits *hits);

/* The first `subjects` subjects, then the others. */
static wl_status scan_subjects(wl_worker *worker, const sw_input *input, size_t subjects, size_t first,
                               const uint64_t *order, sw_hits *hits) {
    sw_input part = *input;
    part.database = sw_set_part(&input->database, 0, subjects);
    WL_TRY(scan_input(worker, &part, first, order, hits));
    part.database = sw_set_part(&input->database, subjects, input->database.count - subjects);
    return scan_input(worker, &part, first + subjects, order, hits);
}

/* In two halves, of the queries or of the subjects, whichever are more. */
static wl_status scan_halves(wl_worker *worker, const sw_input *input, size_t first, const uint64_t *order,
                             sw_hits *hits) {
    const size_t queries = input->queries.count / 2;
    sw_input half = *input;
    if (input->queries.count < input->database.count)
        return scan_subjects(worker, input, input->database.count / 2, first, order, hits);
    half.queries = sw_set_part(&input->queries, 0, queries);
    WL_TRY(scan_input(worker, &half, first, order, hits));
    half.queries = sw_set_part(&input->queries, queries, input->queries.count - queries);
    return scan_input(worker, &half, first, order, hits + queries);
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

/* Adds what is found to hits [input->queries.count]. The input's first subject is number `first` of the database that `order` ranks. A
   variant may refuse an input as a whole, because it is too large for the device or has sequences that are too long. Then the input is
   halved as long as the variant takes any of it: only the pairs that it really cannot do go to the next variant. */
static wl_status scan_input(wl_worker *worker, const sw_input *input, size_t first, const uint64_t *order,
                            sw_hits *hits) {
    int single = input->queries.count == 1 && input->database.count == 1;
    sw_input pair = easiest(input);
    const void *const inputs[] = {input, single ? NULL : &pair};
    const wl_variant *variant;
    size_t taken = wl_worker_choose(worker, inputs, 2, &variant);
    if (taken == 2)
        return wl_fail(WL_NO_MACHINE,
                       "%s: no variant of sw takes a query of %u and a subject of %u residues; %s: %s; expected more "
                       "memory (--memory) or shorter sequences",
                       worker->device.name, input->queries.longest, input->database.longest,
                       worker->candidates.items[0]->name, wl_worker_objection(worker, input));
    /* Memory that was free when the program began may have been taken since. */
    wl_status status = taken == 0 ? compute(worker, variant, input) : WL_NO_MACHINE;
    if (status == WL_NO_MACHINE && !single) return scan_halves(worker, input, first, order, hits);
    const room *own = worker->own;
    return status == WL_OK ? reduce(own->scores, input, first, order, hits) : status;
}

static sw_input input_of(const sw_scan *scan, const wl_worker *worker, const block *b) {
    return (sw_input){*scan->setup.scoring, b->batch->queries, sw_set_part(&scan->setup.database, b->first, b->count),
                      &scan->resident[worker->place]};
}

static wl_status work(void *job, wl_worker *worker, const void *unit) {
    const sw_scan *scan = job;
    const block *b = unit;
    const sw_input input = input_of(scan, worker, b);
    const size_t first = scan->setup.first + b->first;
    /* Of subjects of very different lengths, the longest may be for one variant and the others for another. */
    const size_t longest = wl_worker_share(worker, &input);
    if (longest > 0 && longest < input.database.count)
        return scan_subjects(worker, &input, longest, first, scan->setup.order, b->batch->hits);
    return scan_input(worker, &input, first, scan->setup.order, b->batch->hits);
}

/* Batches are done in the order they came, or nearly: one that is done early waits for those before it. */
static void finish(void *job, wl_worker *worker, const void *unit, double seconds) {
    (void)seconds;
    sw_scan *scan = job;
    const block *b = unit;
    const sw_input input = input_of(scan, worker, b);
    b->batch->done += b->count;
    scan->cells += (double)input.queries.letters * (double)input.database.letters;
    if (b->batch->done < scan->setup.database.count) return;
    while (scan->oldest && scan->oldest->done == scan->setup.database.count) scan->oldest = scan->oldest->next;
    if (scan->oldest == NULL) {
        scan->newest = NULL;
        scan->seconds += wl_now() - scan->busy_since;
    }
}

static void end(void *job, wl_worker *worker) {
    (void)job;
    free(((room *)worker->own)->scores);
}

/* --- Opening and closing ----------------------------------------------------------------------------------------- */

static void free_scan(sw_scan *scan) {
    for (size_t d = 0; scan->resident && d < scan->setup.device_count; d++) {
        wl_resident *resident = &scan->resident[d];
        if (resident->memory != NULL && wl_device_use(&scan->setup.devices[d]) == WL_OK)
            resident->release(resident->memory);
        pthread_mutex_destroy(&resident->lock);
    }
    free(scan->resident);
    free(scan);
}

wl_status sw_scan_open(const sw_scan_setup *setup, sw_scan **result) {
    sw_scan *scan = calloc(1, sizeof *scan);
    if (scan != NULL) scan->resident = calloc(setup->device_count, sizeof *scan->resident);
    if (scan == NULL || scan->resident == NULL) {
        free(scan);
        return wl_fail(WL_NO_MACHINE, "not enough memory for a search");
    }
    scan->setup = *setup;
    for (size_t d = 0; d < setup->device_count; d++) {
        scan->workers += wl_pool_workers(&setup->devices[d]);
        pthread_mutex_init(&scan->resident[d].lock, NULL);
    }
    const wl_pool_setup pool = {.problem = "sw",
                                .devices = setup->devices,
                                .device_count = setup->device_count,
                                .pattern = setup->pattern,
                                .memory = setup->memory,
                                .memory_of_cpu = 1,
                                .threads = setup->threads,
                                .job = scan,
                                .own_bytes = sizeof(room),
                                .task_bytes = sizeof(block),
                                .end = end,
                                .next = next_block,
                                .work = work,
                                .finish = finish};
    wl_status status = wl_pool_open(&pool, &scan->pool);
    if (status == WL_OK)
        *result = scan;
    else
        free_scan(scan);
    return status;
}

void sw_scan_close(sw_scan *scan) {
    if (scan == NULL) return;
    wl_pool_close(scan->pool);
    free_scan(scan);
}

/* --- Batches ----------------------------------------------------------------------------------------------------- */

void sw_scan_submit(sw_scan *scan, sw_scan_batch *batch) {
    batch->next = NULL;
    batch->given = batch->done = 0;
    batch->all = scan->setup.database.count;
    wl_pool_lock(scan->pool);
    if (scan->newest)
        scan->newest->next = batch;
    else
        scan->oldest = batch;
    if (scan->newest == NULL) scan->busy_since = wl_now();
    scan->newest = batch;
    wl_pool_wake(scan->pool);
    wl_pool_unlock(scan->pool);
}

static int is_done(const void *batch) {
    const sw_scan_batch *b = batch;
    return b->done == b->all;
}

wl_status sw_scan_wait(sw_scan *scan, const sw_scan_batch *batch, void (*tick)(void *context), void *context) {
    return wl_pool_wait(scan->pool, is_done, batch, tick, context);
}

sw_scan_progress sw_scan_done(sw_scan *scan) {
    wl_pool_lock(scan->pool);
    sw_scan_progress progress = {scan->cells, scan->seconds};
    if (scan->oldest) progress.seconds += wl_now() - scan->busy_since;
    wl_pool_unlock(scan->pool);
    return progress;
}

void sw_scan_describe(sw_scan *scan, char *text, size_t size) { wl_pool_describe(scan->pool, text, size); }
