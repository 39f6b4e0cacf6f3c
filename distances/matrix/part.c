#include "distances/matrix/part.h"

#include <stdlib.h>
#include <string.h>

#include "harness/bench/timer.h"

/* A serial variant is a baseline, and a library an opponent: who wants one says so. The registry sorts by name. */
static int takes_part(const wl_variant *variant, const wl_device *device, const char *pattern) {
    if (strcmp(variant->problem, "distances") != 0 || variant->backend != device->backend) return 0;
    if (pattern != NULL) return wl_variant_matches(variant, pattern);
    return variant->launch_slices == NULL && !wl_variant_is_library(variant);
}

wl_status distances_runner_open(const wl_device *device, const char *pattern, distances_runner *runner) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    *runner = (distances_runner){.device = *device};
    for (size_t i = count; i-- > 0 && runner->candidate_count < DISTANCES_CANDIDATES;)
        if (takes_part(variants[i], device, pattern)) runner->candidates[runner->candidate_count++] = variants[i];
    if (runner->candidate_count > 0) return WL_OK;
    if (pattern)
        return wl_fail(
            WL_BAD_USAGE,
            "option --variant: '%.80s' is no stage of distances for the backend %s; see 'warpladder list distances'",
            pattern, wl_backend_name(device->backend));
    return wl_fail(WL_NO_MACHINE, "%s: this program has no variant of distances for the backend %s", device->name,
                   wl_backend_name(device->backend));
}

static wl_status launch(distances_runner *runner, const wl_variant *variant, void *state) {
    const wl_clockwork *clockwork = wl_clockwork_real();
    wl_timed timed = {variant->launch, state};
    wl_timing timing = {0};
    if (runner->launching) pthread_mutex_lock(runner->launching);
    wl_status status = clockwork->time(clockwork->context, &runner->device, timed, 0, &timing);
    if (runner->launching) pthread_mutex_unlock(runner->launching);
    if (runner->device.backend != WL_SIM) runner->kernel_seconds += timing.seconds;
    return status;
}

static wl_status run(distances_runner *runner, const wl_variant *variant, const distances_input *input,
                     uint32_t *output) {
    void *state = NULL;
    wl_status status = variant->prepare(&runner->device, input, &state);
    if (status != WL_OK) return status;
    status = launch(runner, variant, state);
    if (status == WL_OK) status = variant->collect(state, output, 0);
    variant->release(state);
    return status;
}

static distances_side side_part(const distances_input *input, const distances_side *side, size_t first, size_t count) {
    size_t stride = (size_t)(input->planes + 1) * input->words;
    return (distances_side){count, side->bits + first * stride};
}

/* Half of the rows or of the columns, whichever are more; `part` [2][rows][columns] of it goes to its place in output. */
static wl_status run_half(distances_runner *runner, const distances_input *input, int second, uint32_t *part,
                          uint32_t *output) {
    size_t rows = input->rows.count, columns = input->columns.count, row = 0, column = 0;
    distances_input half = *input;
    half.symmetric = 0;
    if (rows >= columns) {
        row = second ? rows / 2 : 0;
        half.rows = side_part(input, &input->rows, row, second ? rows - rows / 2 : rows / 2);
    } else {
        column = second ? columns / 2 : 0;
        half.columns = side_part(input, &input->columns, column, second ? columns - columns / 2 : columns / 2);
    }
    wl_status status = distances_runner_run(runner, &half, part);
    for (size_t which = 0; which < 2 && status == WL_OK; which++)
        for (size_t r = 0; r < half.rows.count; r++)
            memcpy(output + (which * rows + row + r) * columns + column,
                   part + (which * half.rows.count + r) * half.columns.count, half.columns.count * sizeof *part);
    return status;
}

static wl_status run_halves(distances_runner *runner, const distances_input *input, uint32_t *output) {
    size_t rows = input->rows.count, columns = input->columns.count;
    size_t most = rows >= columns ? (rows - rows / 2) * columns : rows * (columns - columns / 2);
    uint32_t *part = malloc(2 * most * sizeof *part);
    if (part == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for half a tile: %zu pairs", most);
    wl_status status = run_half(runner, input, 0, part, output);
    if (status == WL_OK) status = run_half(runner, input, 1, part, output);
    free(part);
    return status;
}

/* Why not; NULL: it takes it. */
static const char *objection(const distances_runner *runner, const wl_variant *variant, const distances_input *input) {
    return variant->supports ? variant->supports(&runner->device, input) : NULL;
}

/* With one pair only: what a variant refuses then is not the tile's size. */
static distances_input with_one_pair(const distances_input *input) {
    distances_input one = *input;
    one.symmetric = 0;
    one.rows.count = one.columns.count = 1;
    return one;
}

/* What a variant refuses as a whole, being too large for the device, is halved as long as it takes any of it. */
wl_status distances_runner_run(distances_runner *runner, const distances_input *input, uint32_t *output) {
    int single = input->rows.count == 1 && input->columns.count == 1;
    distances_input pair = with_one_pair(input);
    for (size_t i = 0; i < runner->candidate_count; i++) {
        const wl_variant *variant = runner->candidates[i];
        if (objection(runner, variant, input) == NULL) {
            wl_status status = run(runner, variant, input, output);
            /* Memory that was free when the program began may have been taken since. */
            if (status == WL_NO_MACHINE && !single) return run_halves(runner, input, output);
            if (status == WL_OK && runner->used == NULL) runner->used = variant;
            return status;
        }
        if (!single && objection(runner, variant, &pair) == NULL) return run_halves(runner, input, output);
    }
    const char *reason = objection(runner, runner->candidates[0], &pair);
    return wl_fail(WL_NO_MACHINE, "%s: no variant of distances takes two instances of %llu sites; %s: %s",
                   runner->device.name, (unsigned long long)input->sites, runner->candidates[0]->name,
                   reason ? reason : "?");
}
