#include "peeling/engine/engine.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/folder.h"
#include "harness/base/outfile.h"
#include "harness/bench/device.h"
#include "peeling/work.h"

static const peeling_engine **engines;
static size_t engine_count;

/* Constructors run before main, where nobody could handle an error. */
void peeling_register_engine(const peeling_engine *engine) {
    engines = realloc(engines, (engine_count + 1) * sizeof *engines);
    if (engines == NULL) exit(WL_NO_MACHINE);
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
} session;

static void release(void *state) {
    session *o = state;
    if (o == NULL) return;
    if (o->state) o->engine->release(o->state);
    free(o);
}

wl_status peeling_variant_prepare(const peeling_engine *engine, const wl_device *device, const void *input,
                                  void **state) {
    session *o = malloc(sizeof *o);
    if (o == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a state");
    *o = (session){.engine = engine, .input = *(const peeling_input *)input};
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
    const session *o = state;
    return o->engine->launch(o->state);
}

/* double [patterns + 1] */
static wl_status collect(void *state, void *output, int poison) {
    const session *o = state;
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

/* --- By measured ranges ----------------------------------------------------------------------------------------- */

int peeling_is_measured(const wl_device *device, const peeling_faster *rows) {
    if (device->backend != WL_GPU) return 1;
    while (rows->device && fnmatch(rows->device, device->name, 0) != 0) rows++;
    return rows->device != NULL;
}

static int is_faster(const peeling_faster *rows, const peeling_input *input) {
    const double cells = input->model->rates * (double)input->data.patterns;
    const uint32_t tips = input->data.tips;
    for (const peeling_faster *row = rows; row && row->device; row++)
        if (input->model->states >= row->states[0] && input->model->states <= row->states[1] &&
            input->precision == row->precision && tips >= row->tips[0] && tips <= row->tips[1] &&
            cells >= row->cells[0] && cells < row->cells[1])
            return 1;
    return rows == NULL;
}

/* --- By time ----------------------------------------------------------------------------------------------------- */

/* Seconds of an evaluation, the better of two after a first one; infinite: it cannot. */
static double time_of(const peeling_engine *engine, const wl_device *device, const peeling_input *input) {
    void *state;
    double total, best = INFINITY;
    if (engine->open(device, input, &state) != WL_OK) return INFINITY;
    if (engine->load(state, &input->work) == WL_OK)
        for (int i = 0; i < 3; i++) {
            const double begun = wl_now();
            if (engine->launch(state) != WL_OK || engine->result(state, &total, NULL, 0) != WL_OK) break;
            if (i > 0) best = fmin(best, wl_now() - begun);
        }
    engine->release(state);
    return best;
}

/* A line of the file is "stage <tab> key". */
static const peeling_engine *look_up(const char *path, const char *key, const peeling_engine *const *engines,
                                     size_t count) {
    char line[512];
    const peeling_engine *found = NULL;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        char *tab = strchr(line, '\t');
        if (!tab) continue;
        *tab = '\0';
        tab[1 + strcspn(tab + 1, "\n")] = '\0';
        for (size_t e = 0; e < count && strcmp(tab + 1, key) == 0; e++)
            if (strcmp(engines[e]->variant->name, line) == 0) found = engines[e];
    }
    if (file) fclose(file);
    return found;
}

/* The file with a line more, as a whole; of two processes that do so at once the last one's stays. */
static void remember(const char *path, const char *key, const char *name) {
    wl_outfile made;
    if (wl_outfile_open_making(path, &made) != WL_OK) return;
    FILE *file = fopen(path, "r");
    for (int c; file && (c = getc(file)) != EOF;) putc(c, made.stream);
    if (file) fclose(file);
    fprintf(made.stream, "%s\t%s\n", name, key);
    wl_outfile_commit(&made);
}

const peeling_engine *peeling_choose_by_time(const wl_device *device, const peeling_input *input,
                                             const peeling_engine *const *engines, size_t count) {
    if (input->work.join_count == 0 || input->data.patterns == 0) return NULL;
    char key[400];
    snprintf(key, sizeof key, "%s\t%s\t%d states\t%s\t2^%d taxa\t2^%d cells\t%s", WL_VERSION, device->name,
             input->model->states, peeling_precision_names[input->precision], ilogb(input->data.tips),
             ilogb(input->model->rates * (double)input->data.patterns), input->work_only ? "whole trees" : "parts");
    char *path = wl_cache_path("peeling.tsv");
    const peeling_engine *best = path ? look_up(path, key, engines, count) : NULL;
    double least = INFINITY;
    if (best == NULL && wl_device_use(device) == WL_OK) {
        for (size_t e = 0; e < count; e++) {
            const double seconds = time_of(engines[e], device, input);
            if (!(seconds < least)) continue;
            least = seconds;
            best = engines[e];
        }
        if (best && path) remember(path, key, best->variant->name);
    }
    free(path);
    return best;
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
    const int faster = is_faster(engine->faster, input), than_faster = is_faster(than->faster, input);
    if (faster != than_faster) return faster;
    return strcmp(engine->variant->name, than->variant->name) > 0;
}

static const peeling_engine *find(const wl_device *device, const char *name, const peeling_input *input, int branches,
                                  const char **why) {
    static _Thread_local char text[160];
    const peeling_engine *best = NULL, *last = NULL; // the last of those that are faster of every input
    const peeling_engine **timed = malloc((engine_count + 1) * sizeof *timed), *fastest = NULL;
    size_t timed_count = 0;
    if (name)
        snprintf(text, sizeof text, "found no variant '%.40s' of peeling for the backend %s", name,
                 wl_backend_name(device->backend));
    else
        snprintf(text, sizeof text, "found no variant of peeling for the backend %s", wl_backend_name(device->backend));
    for (size_t e = 0; e < engine_count; e++) {
        const peeling_engine *engine = engines[e];
        if (engine->variant->backend != device->backend || !is_asked_for(engine, name)) continue;
        if (branches && engine->branches == NULL) continue;
        const char *reason = engine->variant->supports ? engine->variant->supports(device, input) : NULL;
        if (reason) {
            snprintf(text, sizeof text, "%.40s: %.110s", engine->variant->name, reason);
            continue;
        }
        if (best == NULL || is_better(engine, best, input)) best = engine;
        if (!engine->faster && (!last || is_better(engine, last, input))) last = engine;
        if (timed && engine->faster && engine->faster->device && !peeling_is_measured(device, engine->faster) &&
            (input->work_only || engine->keeps_partials))
            timed[timed_count++] = engine;
    }
    if (best == NULL && why) *why = text;
    if (!name && timed_count > 0) {
        if (last) timed[timed_count++] = last;
        fastest = peeling_choose_by_time(device, input, timed, timed_count);
    }
    free(timed);
    return fastest ? fastest : best;
}

const peeling_engine *peeling_engine_find(const wl_device *device, const char *name, const peeling_input *input,
                                          const char **why) {
    return find(device, name, input, 0, why);
}

const peeling_engine *peeling_engine_find_branches(const wl_device *device, const peeling_input *input,
                                                   const char **why) {
    return find(device, NULL, input, 1, why);
}
