#include "tools/distances/matrix/internal.h"

#include <stdlib.h>
#include <string.h>

static distances_side part_of_side(const distances_input *input, const distances_side *side, size_t first,
                                   size_t count) {
    size_t stride = (size_t)(input->planes + 1) * input->words;
    return (distances_side){count, side->bits + first * stride};
}

/* Half of the rows or of the columns, whichever are more; `part` [2][rows][columns] of it goes to its place in output. */
static wl_status run_half(wl_worker *worker, const distances_input *input, int second, uint32_t *part,
                          uint32_t *output) {
    size_t rows = input->rows.count, columns = input->columns.count, row = 0, column = 0;
    distances_input half = *input;
    half.symmetric = 0;
    if (rows >= columns) {
        row = second ? rows / 2 : 0;
        half.rows = part_of_side(input, &input->rows, row, second ? rows - rows / 2 : rows / 2);
    } else {
        column = second ? columns / 2 : 0;
        half.columns = part_of_side(input, &input->columns, column, second ? columns - columns / 2 : columns / 2);
    }
    wl_status status = distances_tile_run(worker, &half, part);
    for (size_t which = 0; which < (input->distance_only ? 1 : 2) && status == WL_OK; which++)
        for (size_t r = 0; r < half.rows.count; r++)
            memcpy(output + (which * rows + row + r) * columns + column,
                   part + (which * half.rows.count + r) * half.columns.count, half.columns.count * sizeof *part);
    return status;
}

static wl_status run_halves(wl_worker *worker, const distances_input *input, uint32_t *output) {
    size_t rows = input->rows.count, columns = input->columns.count;
    size_t most = rows >= columns ? (rows - rows / 2) * columns : rows * (columns - columns / 2);
    uint32_t *part = malloc(2 * most * sizeof *part);
    if (part == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for half a tile: %zu pairs", most);
    wl_status status = run_half(worker, input, 0, part, output);
    if (status == WL_OK) status = run_half(worker, input, 1, part, output);
    free(part);
    return status;
}

/* With one pair only: what a variant refuses then is not the tile's size. */
static distances_input with_one_pair(const distances_input *input) {
    distances_input one = *input;
    one.symmetric = 0;
    one.rows.count = one.columns.count = 1;
    return one;
}

/* What a variant refuses as a whole, being too large for the device, is halved as long as it takes any of it. */
wl_status distances_tile_run(wl_worker *worker, const distances_input *input, uint32_t *output) {
    int single = input->rows.count == 1 && input->columns.count == 1;
    const distances_input pair = with_one_pair(input);
    const void *const inputs[] = {input, single ? NULL : &pair};
    const wl_variant *variant;
    size_t taken = wl_worker_choose(worker, inputs, 2, &variant);
    if (taken == 2)
        return wl_fail(WL_NO_MACHINE, "%s: no variant of distances takes two instances of %llu sites; %s: %s",
                       worker->device.name, (unsigned long long)input->sites, worker->candidates.items[0]->name,
                       wl_worker_objection(worker, &pair));
    /* Memory that was free when the program began may have been taken since. */
    wl_status status = taken == 0 ? wl_worker_run(worker, variant, input, output) : WL_NO_MACHINE;
    return status == WL_NO_MACHINE && !single ? run_halves(worker, input, output) : status;
}
