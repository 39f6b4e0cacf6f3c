#include "peeling/evaluate/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A library's is the yardstick, taken by its name only. */
static int is_asked_for(const peeling_engine *engine, const char *name) {
    if (name) return strcmp(engine->variant->name, name) == 0;
    return !wl_variant_is_library(engine->variant);
}

static int is_faster(const peeling_engine *engine, const peeling_input *input) {
    return engine->is_faster == NULL || engine->is_faster(input);
}

/* Serial code, which has launch_slices, is the baseline: any other is better. */
static int is_better(const peeling_engine *engine, const peeling_engine *than, const peeling_input *input) {
    const int serial = engine->variant->launch_slices != NULL, than_serial = than->variant->launch_slices != NULL;
    const int keeps = engine->keeps_partials, than_keeps = than->keeps_partials;
    if (serial != than_serial) return than_serial;
    const int faster = is_faster(engine, input), than_faster = is_faster(than, input);
    if (!input->work_only && keeps != than_keeps) return keeps;
    if (faster != than_faster) return faster;
    return strcmp(engine->variant->name, than->variant->name) > 0;
}

const peeling_engine *peeling_engine_find(const wl_device *device, const char *name, const peeling_input *input,
                                          const char **why) {
    static _Thread_local char text[160];
    const peeling_engine *best = NULL;
    if (name)
        snprintf(text, sizeof text, "found no variant '%.40s' of peeling for the backend %s", name,
                 wl_backend_name(device->backend));
    else
        snprintf(text, sizeof text, "found no variant of peeling for the backend %s", wl_backend_name(device->backend));
    for (int e = 0; e < engine_count; e++) {
        const wl_variant *variant = engines[e]->variant;
        if (variant->backend != device->backend || !is_asked_for(engines[e], name)) continue;
        const char *reason = variant->supports ? variant->supports(device, input) : NULL;
        if (reason)
            snprintf(text, sizeof text, "%.40s: %.110s", variant->name, reason);
        else if (best == NULL || is_better(engines[e], best, input))
            best = engines[e];
    }
    if (best == NULL && why) *why = text;
    return best;
}
