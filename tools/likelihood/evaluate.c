#include "tools/likelihood/evaluate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/thread.h"
#include "harness/base/timings.h"

typedef enum { OPEN, SET_MODEL, RUN, CLOSE } order;

/* One device's. The first is served by the caller's thread, each other by a thread of its own. The simulated device,
   whose memory is all launches', is always the caller's. */
typedef struct {
    peeling_evaluator *evaluator;
    wl_device device;
    const peeling_engine *engine;
    peeling_input input; // of this share of the patterns
    uint16_t *code;      // [tips][patterns of the share]; NULL where the share is all
    uint32_t first;      // pattern
    void *state;
    double total;
    wl_status status;
    char error[1024];
    int has_thread;
    pthread_t thread;
} worker;

struct peeling_evaluator {
    worker workers[WL_DEVICES_MOST];
    size_t count;
    unsigned threads;
    peeling_model model;

    /* The order that is being carried out. Written before `given` is raised, read after. */
    order what;
    const peeling_work *work;
    double *site; // [patterns], or NULL

    atomic_uint given;   // orders so far
    atomic_uint pending; // workers that have not done the last
    pthread_mutex_t lock;
    pthread_cond_t order_given, order_done;
};

/* --- One share --------------------------------------------------------------------------------------------------- */

static wl_status run_share(worker *w) {
    double *site = w->evaluator->site;
    double begun = wl_timings_now();
    WL_TRY(peeling_engine_run(w->engine, w->state, w->evaluator->work));
    wl_timings_since(WL_PHASE_KERNEL, begun, 0);
    begun = wl_timings_now();
    const wl_status status = w->engine->result(w->state, &w->total, site ? site + w->first : NULL, 0);
    wl_timings_since(WL_PHASE_COPY_BACK, begun, 0); // a GPU's kernels may still be running when this begins
    return status;
}

static void carry_out(worker *w) {
    const order what = w->evaluator->what;
    wl_status status = wl_device_use(&w->device); // the caller may have used another in between
    if (what == CLOSE && w->state) {
        w->engine->release(w->state);
        w->state = NULL;
    } else if (status == WL_OK && what == OPEN) {
        const double begun = wl_timings_now();
        status = w->engine->open(&w->device, &w->input, &w->state);
        wl_timings_since(WL_PHASE_COPY, begun, 0);
    } else if (status == WL_OK && what == SET_MODEL) {
        status = w->engine->set_model(w->state, &w->evaluator->model);
    } else if (status == WL_OK && what == RUN) {
        status = run_share(w);
    }
    w->status = status;
    if (status != WL_OK) snprintf(w->error, sizeof w->error, "%s", wl_error());
}

/* --- Threads ----------------------------------------------------------------------------------------------------- */

/* A step of a chain comes tens of microseconds after the last, and waking a sleeping thread takes as long: whoever
   waits looks again and again for a moment, and only then sleeps. */
#define SPIN_SECONDS 50e-6

/* Until *value is not `old` (or, with `until_zero`, is 0); true if that came while it was looked for. */
static int looked(atomic_uint *value, unsigned old, int until_zero) {
    const double end = wl_now() + SPIN_SECONDS;
    do {
        for (int i = 0; i < 64; i++) {
            const unsigned seen = atomic_load_explicit(value, memory_order_acquire);
            if (until_zero ? seen == 0 : seen != old) return 1;
        }
    } while (wl_now() < end);
    return 0;
}

static void await_order(peeling_evaluator *e, unsigned last) {
    if (looked(&e->given, last, 0)) return;
    pthread_mutex_lock(&e->lock);
    while (atomic_load(&e->given) == last) pthread_cond_wait(&e->order_given, &e->lock);
    pthread_mutex_unlock(&e->lock);
}

static void *serve(void *argument) {
    worker *w = argument;
    peeling_evaluator *e = w->evaluator;
    for (unsigned last = 0;; last++) {
        await_order(e, last);
        const int ends = e->what == CLOSE;
        carry_out(w);
        /* The last one wakes the caller, who may be asleep. */
        pthread_mutex_lock(&e->lock);
        if (atomic_fetch_sub(&e->pending, 1) == 1) pthread_cond_signal(&e->order_done);
        pthread_mutex_unlock(&e->lock);
        if (ends) return NULL;
    }
}

/* All workers carry `what` out; the first error is this thread's own then. */
static wl_status order_all(peeling_evaluator *e, order what) {
    e->what = what;
    if (e->threads > 0) {
        atomic_store(&e->pending, e->threads);
        pthread_mutex_lock(&e->lock);
        atomic_fetch_add(&e->given, 1);
        pthread_cond_broadcast(&e->order_given);
        pthread_mutex_unlock(&e->lock);
    }
    for (size_t i = 0; i < e->count; i++)
        if (!e->workers[i].has_thread) carry_out(&e->workers[i]);
    if (e->threads > 0 && !looked(&e->pending, 0, 1)) {
        pthread_mutex_lock(&e->lock);
        while (atomic_load(&e->pending) > 0) pthread_cond_wait(&e->order_done, &e->lock);
        pthread_mutex_unlock(&e->lock);
    }
    for (size_t i = 0; i < e->count; i++) {
        const worker *w = &e->workers[i];
        if (w->status == WL_OK) continue;
        if (e->count == 1) return wl_fail(w->status, "%s", w->error);
        return wl_fail(w->status, "%s %d: %.900s", w->device.name, w->device.ordinal, w->error);
    }
    return WL_OK;
}

static wl_status start_threads(peeling_evaluator *e) {
    for (size_t i = 1; i < e->count; i++) {
        if (e->workers[i].device.backend == WL_SIM) continue;
        if (!wl_thread_start(&e->workers[i].thread, serve, &e->workers[i]))
            return wl_fail(WL_NO_MACHINE, "could not start a thread for each of %zu devices", e->count);
        e->workers[i].has_thread = 1;
        e->threads++;
    }
    return WL_OK;
}

/* --- Shares ------------------------------------------------------------------------------------------------------ */

/* Patterns first .. end - 1 of the data, whose codes are taken out since those of a tip are together. */
static wl_status cut(worker *w, const peeling_input *all, uint32_t first, uint32_t end) {
    const uint32_t share = end - first;
    const peeling_data *data = &all->data;
    w->first = first;
    w->input = *all;
    w->input.model = &w->evaluator->model;
    w->input.reference_matrix = NULL;
    if (share == data->patterns) return WL_OK;
    w->code = malloc(sizeof *w->code * data->tips * (size_t)share);
    if (!w->code) return wl_fail(WL_NO_MACHINE, "no memory for a device's share of the columns");
    for (uint32_t tip = 0; tip < data->tips; tip++)
        memcpy(w->code + (size_t)tip * share, data->code + (size_t)tip * data->patterns + first,
               sizeof *w->code * share);
    w->input.data.code = w->code;
    w->input.data.weight = data->weight + first;
    w->input.data.patterns = share;
    return WL_OK;
}

static wl_status set_up(peeling_evaluator *e, const wl_device *devices, const char *variant,
                        const peeling_input *input) {
    for (size_t i = 0; i < e->count; i++) {
        const uint64_t patterns = input->data.patterns;
        worker *w = &e->workers[i];
        const char *why = NULL;
        w->device = devices[i];
        WL_TRY(cut(w, input, (uint32_t)(patterns * i / e->count), (uint32_t)(patterns * (i + 1) / e->count)));
        w->engine = peeling_engine_find(&w->device, variant, &w->input, &why);
        if (!w->engine) return wl_fail(WL_NO_MACHINE, "%s", why);
    }
    const wl_status status = start_threads(e);
    return status == WL_OK ? order_all(e, OPEN) : status;
}

wl_status peeling_evaluator_open(const wl_device *devices, size_t count, const char *variant,
                                 const peeling_input *input, peeling_evaluator **made) {
    peeling_evaluator *e = calloc(1, sizeof *e);
    if (!e) return wl_fail(WL_NO_MACHINE, "no memory for an evaluator");
    if (count > input->data.patterns) count = input->data.patterns > 0 ? input->data.patterns : 1;
    e->count = count;
    for (size_t i = 0; i < count; i++) e->workers[i].evaluator = e;
    e->model = *input->model;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->order_given, NULL);
    pthread_cond_init(&e->order_done, NULL);
    const wl_status status = set_up(e, devices, variant, input);
    if (status == WL_OK)
        *made = e;
    else
        peeling_evaluator_close(e);
    return status;
}

void peeling_evaluator_close(peeling_evaluator *e) {
    if (!e) return;
    order_all(e, CLOSE);
    for (size_t i = 0; i < e->count; i++) {
        if (e->workers[i].has_thread) pthread_join(e->workers[i].thread, NULL);
        free(e->workers[i].code);
    }
    pthread_cond_destroy(&e->order_done);
    pthread_cond_destroy(&e->order_given);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

/* --- Use --------------------------------------------------------------------------------------------------------- */

wl_status peeling_evaluator_set_model(peeling_evaluator *e, const peeling_model *model) {
    e->model = *model;
    return order_all(e, SET_MODEL);
}

wl_status peeling_evaluator_run(peeling_evaluator *e, const peeling_work *work, double *total, double *site) {
    e->work = work;
    e->site = site;
    WL_TRY(order_all(e, RUN));
    *total = 0;
    for (size_t i = 0; i < e->count; i++) *total += e->workers[i].total;
    return WL_OK;
}

const peeling_engine *peeling_evaluator_engine(const peeling_evaluator *e, size_t index) {
    return e->workers[index].engine;
}

size_t peeling_evaluator_devices(const peeling_evaluator *e) { return e->count; }

int peeling_evaluator_keeps_partials(const peeling_evaluator *e) {
    int keeps = 1;
    for (size_t i = 0; i < e->count; i++) keeps &= e->workers[i].engine->keeps_partials;
    return keeps;
}
