#include "harness/bench/crew.h"

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
    void *unit;                   /* [unit_bytes] */
    const wl_variant *ran, *used; /* the first that ran; `used` is for others to read */
    double kernel_seconds;
} member;

struct wl_crew {
    wl_crew_setup setup;
    member *members; /* [count] */
    size_t count;
    pthread_mutex_t launching[WL_DEVICES_MOST]; /* held while kernels run that are timed */

    pthread_mutex_t lock; /* of all below, and of the job's own data */
    pthread_cond_t work, changed;
    size_t idle, running; /* members that have found no unit; that have not ended */
    int closing;
    wl_kept failure; /* the first */
};

/* --- The variants of a tool -------------------------------------------------------------------------------------- */

wl_status wl_candidates_find(const char *problem, const wl_device *device, const char *pattern,
                             wl_candidates *candidates) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    *candidates = (wl_candidates){.items = malloc((count + 1) * sizeof *candidates->items)};
    if (candidates->items == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the list of variants");
    for (size_t i = count; i-- > 0;) /* the registry sorts by name */
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

static wl_status launch_timed(member *m, const wl_variant *variant, void *state) {
    const wl_clockwork *clockwork = wl_clockwork_real();
    pthread_mutex_t *launching = &m->worker.crew->launching[m->worker.place];
    wl_timing timing = {0};
    pthread_mutex_lock(launching);
    wl_status status =
        clockwork->time(clockwork->context, &m->worker.device, (wl_timed){variant->launch, state}, 0, &timing);
    pthread_mutex_unlock(launching);
    if (m->worker.device.backend != WL_SIM) m->kernel_seconds += timing.seconds;
    return status;
}

wl_status wl_worker_run(wl_worker *worker, const wl_variant *variant, const void *input, void *output) {
    member *m = (member *)worker; /* its first member */
    void *state = NULL;
    double begun = wl_timings_now();
    WL_TRY(variant->prepare(&worker->device, input, &state));
    wl_timings_since(WL_PHASE_COPY, begun, 0);
    const double kernels = m->kernel_seconds;
    begun = wl_timings_now();
    /* Else the time of a GPU's kernels would be that of whoever waits for them. */
    const int is_timed = worker->crew->setup.times_kernels || wl_timings_wanted();
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

static void fail(wl_crew *crew, wl_status status) { wl_keep(&crew->failure, 0, status); }

static void *run(void *argument) {
    member *m = argument;
    wl_worker *worker = &m->worker;
    wl_crew *crew = worker->crew;
    const wl_crew_setup *setup = &crew->setup;
    int threads = worker->device.backend == WL_CPU && setup->cpu_workers > 0 ? 1 : setup->threads;
    if (threads > 0) omp_set_num_threads(threads);
    wl_status status = wl_device_use(&worker->device);
    pthread_mutex_lock(&crew->lock);
    while (status == WL_OK && crew->failure.status == WL_OK && !crew->closing) {
        int taken = setup->next(setup->job, worker, m->unit);
        if (taken < 0) {
            status = WL_NO_MACHINE;
        } else if (taken == 0) {
            if (++crew->idle == crew->count) pthread_cond_broadcast(&crew->changed);
            pthread_cond_wait(&crew->work, &crew->lock);
            crew->idle--;
        } else {
            pthread_mutex_unlock(&crew->lock);
            double begun = wl_now();
            status = setup->work(setup->job, worker, m->unit);
            pthread_mutex_lock(&crew->lock);
            m->used = m->ran;
            if (status == WL_OK) setup->finish(setup->job, worker, m->unit, wl_now() - begun);
            pthread_cond_broadcast(&crew->changed);
        }
    }
    if (status != WL_OK) fail(crew, status);
    crew->running--;
    pthread_cond_broadcast(&crew->changed);
    pthread_cond_broadcast(&crew->work); /* nobody waits for units when one has failed */
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static wl_status start(wl_crew *crew) {
    pthread_mutex_lock(&crew->lock); /* nobody begins before all are there */
    while (crew->running < crew->count &&
           wl_thread_start(&crew->members[crew->running].thread, run, &crew->members[crew->running]))
        crew->members[crew->running++].has_thread = 1;
    wl_status status = WL_OK;
    if (crew->running < crew->count) status = wl_fail(WL_NO_MACHINE, "cannot start %zu threads", crew->count);
    crew->closing = status != WL_OK;
    pthread_mutex_unlock(&crew->lock);
    return status;
}

/* --- Opening and closing ----------------------------------------------------------------------------------------- */

size_t wl_crew_workers(const wl_device *device) { return device->backend == WL_GPU ? GPU_WORKERS : 1; }

static size_t workers_of(const wl_crew_setup *setup, const wl_device *device) {
    return device->backend == WL_CPU && setup->cpu_workers > 0 ? setup->cpu_workers : wl_crew_workers(device);
}

static wl_status add(wl_crew *crew, size_t place, const wl_device *device) {
    const wl_crew_setup *setup = &crew->setup;
    member *m = &crew->members[crew->count++];
    wl_worker *worker = &m->worker;
    int on_cpu = device->backend == WL_CPU;
    size_t memory = device->memory_free;
    if (setup->memory > 0 && memory > setup->memory && (!on_cpu || setup->memory_of_cpu)) memory = setup->memory;
    *worker = (wl_worker){.crew = crew, .place = place, .device = *device, .own = calloc(1, setup->own_bytes + 1)};
    worker->device.memory_free = memory / workers_of(setup, device);
    if (on_cpu && setup->cpu_workers > 0)
        worker->device.multiprocessors = 1;
    else if (on_cpu && setup->threads > 0)
        worker->device.multiprocessors = setup->threads;
    m->unit = malloc(setup->unit_bytes + 1);
    if (worker->own == NULL || m->unit == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a thread");
    wl_status status = WL_OK;
    if (setup->problem) status = wl_candidates_find(setup->problem, device, setup->pattern, &worker->candidates);
    return status == WL_OK && setup->begin ? setup->begin(setup->job, worker) : status;
}

static wl_status add_all(wl_crew *crew) {
    const wl_crew_setup *setup = &crew->setup;
    static const wl_device host = {.backend = WL_CPU};
    size_t devices = setup->problem ? setup->device_count : 1, count = 0;
    for (size_t d = 0; d < devices; d++) count += workers_of(setup, setup->problem ? &setup->devices[d] : &host);
    crew->members = calloc(count ? count : 1, sizeof *crew->members);
    if (crew->members == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu threads", count);
    for (size_t d = 0; d < devices; d++) {
        const wl_device *device = setup->problem ? &setup->devices[d] : &host;
        wl_status status = wl_device_sleep_in_waits(device);
        for (size_t i = 0; status == WL_OK && i < workers_of(setup, device); i++) status = add(crew, d, device);
        if (status != WL_OK) return status;
    }
    return WL_OK;
}

wl_status wl_crew_open(const wl_crew_setup *setup, wl_crew **made) {
    wl_crew *crew = calloc(1, sizeof *crew);
    if (crew == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for threads");
    crew->setup = *setup;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->work, NULL);
    pthread_cond_init(&crew->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (size_t d = 0; d < WL_DEVICES_MOST; d++) pthread_mutex_init(&crew->launching[d], NULL);
    /* OpenMP's threads of the caller's last loop would spin for some milliseconds, and slow the crew by 5 % of a scan of 80 ms. */
    omp_pause_resource_all(omp_pause_soft);
    wl_status status = add_all(crew);
    if (status == WL_OK) status = start(crew);
    if (status == WL_OK)
        *made = crew;
    else
        wl_crew_close(crew);
    return status;
}

void wl_crew_close(wl_crew *crew) {
    if (crew == NULL) return;
    pthread_mutex_lock(&crew->lock);
    crew->closing = 1;
    pthread_cond_broadcast(&crew->work);
    pthread_mutex_unlock(&crew->lock);
    for (size_t i = 0; i < crew->count; i++)
        if (crew->members[i].has_thread) pthread_join(crew->members[i].thread, NULL);
    for (size_t i = 0; i < crew->count; i++) {
        wl_worker *worker = &crew->members[i].worker;
        if (worker->own && crew->setup.end) crew->setup.end(crew->setup.job, worker);
        WL_FREE(worker->own, worker->candidates.items, crew->members[i].unit);
    }
    free(crew->members);
    for (size_t d = 0; d < WL_DEVICES_MOST; d++) pthread_mutex_destroy(&crew->launching[d]);
    pthread_cond_destroy(&crew->changed);
    pthread_cond_destroy(&crew->work);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

/* --- Use --------------------------------------------------------------------------------------------------------- */

void wl_crew_lock(wl_crew *crew) { pthread_mutex_lock(&crew->lock); }
void wl_crew_unlock(wl_crew *crew) { pthread_mutex_unlock(&crew->lock); }
void wl_crew_wake(wl_crew *crew) { pthread_cond_broadcast(&crew->work); }

static int goes_on(const wl_crew *crew, int (*is_done)(const void *what), const void *what) {
    return crew->failure.status == WL_OK && !(is_done ? is_done(what) : crew->idle == crew->count);
}

wl_status wl_crew_wait(wl_crew *crew, int (*is_done)(const void *what), const void *what, void (*tick)(void *context),
                       void *context) {
    double next = wl_now() + 1.0 / TICKS_PER_SECOND;
    pthread_mutex_lock(&crew->lock);
    while (goes_on(crew, is_done, what)) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 1000000000 / TICKS_PER_SECOND;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&crew->changed, &crew->lock, &until);
        if (tick == NULL || wl_now() < next || !goes_on(crew, is_done, what)) continue;
        next = wl_now() + 1.0 / TICKS_PER_SECOND;
        pthread_mutex_unlock(&crew->lock);
        tick(context);
        pthread_mutex_lock(&crew->lock);
    }
    while (crew->failure.status != WL_OK && crew->running > 0) pthread_cond_wait(&crew->changed, &crew->lock);
    const wl_status status = wl_kept_again(&crew->failure);
    pthread_mutex_unlock(&crew->lock);
    return status;
}

const wl_variant *wl_crew_used(const wl_crew *crew, size_t place) {
    for (size_t i = 0; i < crew->count; i++)
        if (crew->members[i].worker.place == place && crew->members[i].used) return crew->members[i].used;
    return NULL;
}

void wl_crew_describe(wl_crew *crew, char *text, size_t size) {
    const wl_device *devices = crew->setup.devices;
    size_t count = crew->setup.device_count, written = 0, alike;
    *text = 0;
    pthread_mutex_lock(&crew->lock);
    for (size_t d = 0; d < count && written < size; d += alike) {
        const wl_variant *used = wl_crew_used(crew, d);
        char times[32] = "";
        for (alike = 1; d + alike < count; alike++)
            if (strcmp(devices[d + alike].name, devices[d].name) != 0 || wl_crew_used(crew, d + alike) != used) break;
        if (alike > 1) snprintf(times, sizeof times, "%zu x ", alike);
        written += (size_t)snprintf(text + written, size - written, "%s%s%s (%s)", written ? ", " : "", times,
                                    devices[d].name, used ? used->name : "idle");
    }
    pthread_mutex_unlock(&crew->lock);
}

double wl_crew_kernel_seconds(const wl_crew *crew) {
    double seconds = 0;
    for (size_t i = 0; i < crew->count; i++) seconds += crew->members[i].kernel_seconds;
    return seconds;
}
