#include "harness/bench/pool.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/clock.h"
#include "harness/base/thread.h"
#include "harness/base/timings.h"
#include "harness/bench/bounds.h"
#include "harness/bench/device.h"
#include "harness/base/memory.h"

enum { GPU_WORKERS = 2, TICKS_PER_SECOND = 5 };

typedef struct {
    wl_worker worker;
    pthread_t thread;
    int has_thread;
    void *task;                   // [task_bytes]
    const wl_variant *ran, *used; // the first that ran; `used` is for others to read
    double kernel_seconds;
} slot;

struct wl_pool {
    wl_pool_setup setup;
    slot *slots; // [count]
    size_t count;
    pthread_mutex_t launching[WL_DEVICES_MOST]; // held while kernels run that are timed

    pthread_mutex_t lock; // of all below, and of the job's own data
    pthread_cond_t work, changed;
    size_t idle, running; // slots that have found no task; that have not ended
    int closing;
    wl_saved_error failure; // the first
};

/* --- The variants of a tool -------------------------------------------------------------------------------------- */

wl_status wl_candidates_find(const char *problem, const wl_device *device, const char *pattern,
                             wl_candidates *candidates) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    *candidates = (wl_candidates){.items = malloc((count + 1) * sizeof *candidates->items)};
    if (candidates->items == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the list of variants");
    for (size_t i = count; i-- > 0;) // the registry sorts by name
        if (strcmp(variants[i]->problem, problem) == 0 && variants[i]->backend == device->backend &&
            wl_variant_is_wanted(variants[i], pattern))
            candidates->items[candidates->count++] = variants[i];
    if (candidates->count > 0) return WL_OK;
    free(candidates->items);
    candidates->items = NULL;
    if (pattern)
        return wl_fail(WL_BAD_USAGE,
                       "option --variant: '%.80s' is no stage of %s for the backend %s; see 'warpladder list %s'",
                       pattern, problem, wl_backend_name(device->backend), problem);
    return wl_fail(WL_NO_MACHINE, "%s: this program has no variant of %s for the backend %s", device->name, problem,
                   wl_backend_name(device->backend));
}

/* --- Workers ----------------------------------------------------------------------------------------------------- */

static const char *objection(const wl_worker *worker, const wl_variant *variant, const void *input) {
    return variant->supports ? variant->supports(&worker->device, input) : NULL;
}

size_t wl_worker_choose(const wl_worker *worker, const void *const *inputs, size_t count, const wl_variant **variant) {
    for (int slower_too = 0; slower_too < 2; slower_too++)
        for (size_t c = 0; c < worker->candidates.count; c++) {
            *variant = worker->candidates.items[c];
            if (!slower_too && !wl_variant_is_faster(*variant, &worker->device, inputs[0])) continue;
            for (size_t i = 0; i < count; i++)
                if (inputs[i] != NULL && objection(worker, *variant, inputs[i]) == NULL) return i;
        }
    return count;
}

size_t wl_worker_share(const wl_worker *worker, const void *input) {
    const wl_variant *last = worker->candidates.items[0];
    return last->share != NULL && worker->candidates.count > 1 ? last->share(&worker->device, input) : 0;
}

const char *wl_worker_objection(const wl_worker *worker, const void *input) {
    const char *reason = objection(worker, worker->candidates.items[0], input);
    return reason ? reason : "?";
}

static wl_status launch_timed(slot *m, const wl_variant *variant, void *state) {
    const wl_clockwork *clockwork = wl_clockwork_real();
    pthread_mutex_t *launching = &m->worker.pool->launching[m->worker.place];
    wl_timing timing = {0};
    pthread_mutex_lock(launching);
    wl_status status =
        clockwork->time(clockwork->context, &m->worker.device, (wl_timed){variant->launch, state}, 0, &timing);
    pthread_mutex_unlock(launching);
    if (m->worker.device.backend != WL_SIM) m->kernel_seconds += timing.seconds;
    return status;
}

wl_status wl_worker_run(wl_worker *worker, const wl_variant *variant, const void *input, void *output) {
    slot *m = (slot *)worker; // its first slot
    void *state = NULL;
    double begun = wl_timings_now();
    WL_TRY(variant->prepare(&worker->device, input, &state));
    wl_timings_since(WL_PHASE_COPY, begun, 0);
    const double kernels = m->kernel_seconds;
    begun = wl_timings_now();
    /* Else the time of a GPU's kernels would be that of whoever waits for them. */
    const int is_timed = worker->pool->setup.times_kernels || wl_timings_wanted();
    wl_status status = is_timed ? launch_timed(m, variant, state) : variant->launch(state);
    wl_timings_add(WL_PHASE_KERNEL, m->kernel_seconds - kernels, 0);
    if (status == WL_OK) wl_bounds_note(variant, &worker->device, input);
    begun = wl_timings_now();
    if (status == WL_OK) status = variant->collect(state, output, 0);
    wl_timings_since(WL_PHASE_COPY_BACK, begun, 0);
    variant->release(state);
    if (status == WL_OK && m->ran == NULL) m->ran = variant;
    return status;
}

/* --- Threads ----------------------------------------------------------------------------------------------------- */

static void fail(wl_pool *pool, wl_status status) { wl_save_error(&pool->failure, 0, status); }

static void *run(void *argument) {
    slot *m = argument;
    wl_worker *worker = &m->worker;
    wl_pool *pool = worker->pool;
    const wl_pool_setup *setup = &pool->setup;
    int threads = worker->device.backend == WL_CPU && setup->cpu_workers > 0 ? 1 : setup->threads;
    if (threads > 0) omp_set_num_threads(threads);
    wl_status status = wl_device_use(&worker->device);
    pthread_mutex_lock(&pool->lock);
    while (status == WL_OK && pool->failure.status == WL_OK && !pool->closing) {
        int taken = setup->next(setup->job, worker, m->task);
        if (taken < 0) {
            status = WL_NO_MACHINE;
        } else if (taken == 0) {
            if (++pool->idle == pool->count) pthread_cond_broadcast(&pool->changed);
            pthread_cond_wait(&pool->work, &pool->lock);
            pool->idle--;
        } else {
            pthread_mutex_unlock(&pool->lock);
            double begun = wl_now();
            status = setup->work(setup->job, worker, m->task);
            pthread_mutex_lock(&pool->lock);
            m->used = m->ran;
            if (status == WL_OK) setup->finish(setup->job, worker, m->task, wl_now() - begun);
            pthread_cond_broadcast(&pool->changed);
        }
    }
    if (status != WL_OK) fail(pool, status);
    pool->running--;
    pthread_cond_broadcast(&pool->changed);
    pthread_cond_broadcast(&pool->work); // nobody waits for tasks when one has failed
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static wl_status start(wl_pool *pool) {
    pthread_mutex_lock(&pool->lock); // nobody begins before all are there
    while (pool->running < pool->count &&
           wl_thread_start(&pool->slots[pool->running].thread, run, &pool->slots[pool->running]))
        pool->slots[pool->running++].has_thread = 1;
    wl_status status = WL_OK;
    if (pool->running < pool->count) status = wl_fail(WL_NO_MACHINE, "cannot start %zu threads", pool->count);
    pool->closing = status != WL_OK;
    pthread_mutex_unlock(&pool->lock);
    return status;
}

/* --- Opening and closing ----------------------------------------------------------------------------------------- */

size_t wl_pool_workers(const wl_device *device) { return device->backend == WL_GPU ? GPU_WORKERS : 1; }

static size_t workers_of(const wl_pool_setup *setup, const wl_device *device) {
    return device->backend == WL_CPU && setup->cpu_workers > 0 ? setup->cpu_workers : wl_pool_workers(device);
}

static wl_status add(wl_pool *pool, size_t place, const wl_device *device) {
    const wl_pool_setup *setup = &pool->setup;
    slot *m = &pool->slots[pool->count++];
    wl_worker *worker = &m->worker;
    int on_cpu = device->backend == WL_CPU;
    size_t memory = device->memory_free;
    if (setup->memory > 0 && memory > setup->memory && (!on_cpu || setup->memory_of_cpu)) memory = setup->memory;
    *worker = (wl_worker){.pool = pool, .place = place, .device = *device, .own = calloc(1, setup->own_bytes + 1)};
    worker->device.memory_free = memory / workers_of(setup, device);
    if (on_cpu && setup->cpu_workers > 0)
        worker->device.multiprocessors = 1;
    else if (on_cpu && setup->threads > 0)
        worker->device.multiprocessors = setup->threads;
    m->task = malloc(setup->task_bytes + 1);
    if (worker->own == NULL || m->task == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a thread");
    wl_status status = WL_OK;
    if (setup->problem) status = wl_candidates_find(setup->problem, device, setup->pattern, &worker->candidates);
    return status == WL_OK && setup->begin ? setup->begin(setup->job, worker) : status;
}

static wl_status add_all(wl_pool *pool) {
    const wl_pool_setup *setup = &pool->setup;
    static const wl_device host = {.backend = WL_CPU};
    size_t devices = setup->problem ? setup->device_count : 1, count = 0;
    for (size_t d = 0; d < devices; d++) count += workers_of(setup, setup->problem ? &setup->devices[d] : &host);
    pool->slots = calloc(count ? count : 1, sizeof *pool->slots);
    if (pool->slots == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu threads", count);
    for (size_t d = 0; d < devices; d++) {
        const wl_device *device = setup->problem ? &setup->devices[d] : &host;
        wl_status status = wl_device_sleep_in_waits(device);
        for (size_t i = 0; status == WL_OK && i < workers_of(setup, device); i++) status = add(pool, d, device);
        if (status != WL_OK) return status;
    }
    return WL_OK;
}

wl_status wl_pool_open(const wl_pool_setup *setup, wl_pool **made) {
    wl_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for threads");
    pool->setup = *setup;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (size_t d = 0; d < WL_DEVICES_MOST; d++) pthread_mutex_init(&pool->launching[d], NULL);
    /* OpenMP's threads of the caller's last loop would spin for some milliseconds, and slow the pool by 5 % of a scan of 80 ms. */
    omp_pause_resource_all(omp_pause_soft);
    wl_status status = add_all(pool);
    if (status == WL_OK) status = start(pool);
    if (status == WL_OK)
        *made = pool;
    else
        wl_pool_close(pool);
    return status;
}

void wl_pool_close(wl_pool *pool) {
    if (pool == NULL) return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = 1;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->count; i++)
        if (pool->slots[i].has_thread) pthread_join(pool->slots[i].thread, NULL);
    for (size_t i = 0; i < pool->count; i++) {
        wl_worker *worker = &pool->slots[i].worker;
        if (worker->own && pool->setup.end) pool->setup.end(pool->setup.job, worker);
        WL_FREE(worker->own, worker->candidates.items, pool->slots[i].task);
    }
    free(pool->slots);
    for (size_t d = 0; d < WL_DEVICES_MOST; d++) pthread_mutex_destroy(&pool->launching[d]);
    pthread_cond_destroy(&pool->changed);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* --- Use --------------------------------------------------------------------------------------------------------- */

void wl_pool_lock(wl_pool *pool) { pthread_mutex_lock(&pool->lock); }
void wl_pool_unlock(wl_pool *pool) { pthread_mutex_unlock(&pool->lock); }
void wl_pool_wake(wl_pool *pool) { pthread_cond_broadcast(&pool->work); }

static int goes_on(const wl_pool *pool, int (*is_done)(const void *what), const void *what) {
    return pool->failure.status == WL_OK && !(is_done ? is_done(what) : pool->idle == pool->count);
}

wl_status wl_pool_wait(wl_pool *pool, int (*is_done)(const void *what), const void *what, void (*tick)(void *context),
                       void *context) {
    double next = wl_now() + 1.0 / TICKS_PER_SECOND;
    pthread_mutex_lock(&pool->lock);
    while (goes_on(pool, is_done, what)) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 1000000000 / TICKS_PER_SECOND;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
        if (tick == NULL || wl_now() < next || !goes_on(pool, is_done, what)) continue;
        next = wl_now() + 1.0 / TICKS_PER_SECOND;
        pthread_mutex_unlock(&pool->lock);
        tick(context);
        pthread_mutex_lock(&pool->lock);
    }
    while (pool->failure.status != WL_OK && pool->running > 0) pthread_cond_wait(&pool->changed, &pool->lock);
    const wl_status status = wl_saved_error_again(&pool->failure);
    pthread_mutex_unlock(&pool->lock);
    return status;
}

const wl_variant *wl_pool_used(const wl_pool *pool, size_t place) {
    for (size_t i = 0; i < pool->count; i++)
        if (pool->slots[i].worker.place == place && pool->slots[i].used) return pool->slots[i].used;
    return NULL;
}

void wl_pool_describe(wl_pool *pool, char *text, size_t size) {
    const wl_device *devices = pool->setup.devices;
    size_t count = pool->setup.device_count, written = 0, alike;
    *text = 0;
    pthread_mutex_lock(&pool->lock);
    for (size_t d = 0; d < count && written < size; d += alike) {
        const wl_variant *used = wl_pool_used(pool, d);
        char times[32] = "";
        for (alike = 1; d + alike < count; alike++)
            if (strcmp(devices[d + alike].name, devices[d].name) != 0 || wl_pool_used(pool, d + alike) != used) break;
        if (alike > 1) snprintf(times, sizeof times, "%zu x ", alike);
        written += (size_t)snprintf(text + written, size - written, "%s%s%s (%s)", written ? ", " : "", times,
                                    devices[d].name, used ? used->name : "idle");
    }
    pthread_mutex_unlock(&pool->lock);
}

double wl_pool_kernel_seconds(const wl_pool *pool) {
    double seconds = 0;
    for (size_t i = 0; i < pool->count; i++) seconds += pool->slots[i].kernel_seconds;
    return seconds;
}
