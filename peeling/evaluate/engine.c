#include "peeling/evaluate/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peeling/evaluate/choices.h"

enum { ENGINES_MOST = 64 };
static const peeling_engine *engines[ENGINES_MOST];
static int engine_count;

/* Constructors run before main, where nobody could handle an error. */
void peeling_register_engine(const peeling_engine *engine) {
    if (engine_count == ENGINES_MOST) {
        fprintf(stderr, "warpladder: more than %d engines of peeling\n", ENGINES_MOST);
        exit(WL_NO_MACHINE);
    }
    engines[engine_count++] = engine;
}

wl_status peeling_engine_run(const peeling_engine *engine, void *state, const peeling_work *work) {
    WL_TRY(engine->load(state, work));
    return engine->launch(state);
}

/* --- As a variant ------------------------------------------------------------------------------------------------ */

/* An engine that is checked and timed: opened for the input's own list alone. */
typedef struct {
    const peeling_engine *engine;
    peeling_input input;
    void *state;
} opened;

static void release(void *state) {
    opened *o = state;
    if (o == NULL) return;
    if (o->state) o->engine->release(o->state);
    free(o);
}

wl_status peeling_variant_prepare(const peeling_engine *engine, const wl_device *device, const void *input,
                                  void **state) {
    opened *o = malloc(sizeof *o);
    if (o == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a state");
    *o = (opened){.engine = engine, .input = *(const peeling_input *)input};
    o->input.work_only = 1;
    wl_status status = engine->open(device, &o->input, &o->state);
    if (status == WL_OK) status = engine->load(o->state, &o->input.work);
    if (status == WL_OK)
        *state = o;
    else
        release(o);
    return status;
}

static wl_status launch(void *state) {
    const opened *o = state;
    return o->engine->launch(o->state);
}

/* double [patterns + 1] */
static wl_status collect(void *state, void *output, int poison) {
    const opened *o = state;
    double *site = output;
    return o->engine->result(o->state, site + o->input.data.patterns, site, poison);
}

void peeling_register_folder(peeling_engine *engine, wl_variant *variant,
                             wl_status (*prepare)(const wl_device *, const void *, void **), const char *name,
                             wl_backend backend) {
    const wl_variant made = {.prepare = prepare, .launch = launch, .collect = collect, .release = release};
    wl_register_folder(variant, "peeling", name, backend, &made);
    engine->variant = variant;
    if (!wl_variant_is_library(variant)) peeling_register_engine(engine);
}

/* --- The best ---------------------------------------------------------------------------------------------------- */

/* A library's is the yardstick, taken by its name only. */
static int is_asked_for(const peeling_engine *engine, const char *name) {
    if (name) return wl_variant_is_wanted(engine->variant, name);
    return !wl_variant_is_library(engine->variant);
}

/* Serial code, which has launch_slices, is the baseline: any other is better. */
static int is_better(const peeling_engine *engine, const peeling_engine *than, const peeling_input *input) {
    const int serial = engine->variant->launch_slices != NULL, than_serial = than->variant->launch_slices != NULL;
    if (serial != than_serial) return than_serial;
    const int keeps = engine->keeps_partials, than_keeps = than->keeps_partials;
    if (!input->work_only && keeps != than_keeps) return keeps;
    const int faster = peeling_is_faster(engine->faster, input), than_faster = peeling_is_faster(than->faster, input);
    if (faster != than_faster) return faster;
    return strcmp(engine->variant->name, than->variant->name) > 0;
}

const peeling_engine *peeling_engine_find(const wl_device *device, const char *name, const peeling_input *input,
                                          const char **why) {
    static _Thread_local char text[160];
    const peeling_engine *best = NULL, *last = NULL; // the last of those that are faster of every input
    const peeling_engine *timed[ENGINES_MOST + 1];
    size_t timed_count = 0;
    if (name)
        snprintf(text, sizeof text, "found no variant '%.40s' of peeling for the backend %s", name,
                 wl_backend_name(device->backend));
    else
        snprintf(text, sizeof text, "found no variant of peeling for the backend %s", wl_backend_name(device->backend));
    for (int e = 0; e < engine_count; e++) {
        const peeling_engine *engine = engines[e];
        if (engine->variant->backend != device->backend || !is_asked_for(engine, name)) continue;
        const char *reason = engine->variant->supports ? engine->variant->supports(device, input) : NULL;
        if (reason) {
            snprintf(text, sizeof text, "%.40s: %.110s", engine->variant->name, reason);
            continue;
        }
        if (best == NULL || is_better(engine, best, input)) best = engine;
        if (!engine->faster && (!last || is_better(engine, last, input))) last = engine;
        if (engine->faster && engine->faster->device && !peeling_is_measured(device, engine->faster) &&
            (input->work_only || engine->keeps_partials))
            timed[timed_count++] = engine;
    }
    if (best == NULL && why) *why = text;
    if (name || timed_count == 0) return best;
    if (last) timed[timed_count++] = last;
    const peeling_engine *fastest = peeling_choose_by_time(device, input, timed, timed_count);
    return fastest ? fastest : best;
}
