#define _GNU_SOURCE /* asprintf */
#include "peeling/evaluate/choices.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/outfile.h"
#include "harness/bench/device.h"

int peeling_is_measured(const wl_device *device, const peeling_faster *rows) {
    if (device->backend != WL_GPU) return 1;
    while (rows->device && fnmatch(rows->device, device->name, 0) != 0) rows++;
    return rows->device != NULL;
}

int peeling_is_faster(const peeling_faster *rows, const peeling_input *input) {
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

static char *cache_path(void) {
    const char *folder = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (folder && *folder == '/')
        length = asprintf(&path, "%s/warpladder/peeling.tsv", folder);
    else if (home && *home)
        length = asprintf(&path, "%s/.cache/warpladder/peeling.tsv", home);
    return length < 0 ? NULL : path;
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
    if (wl_outfile_open(path, &made) != WL_OK) return;
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
    char *path = cache_path();
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
