/* When all rows are there: names that occur twice, values that are missing. */
#include <math.h>
#include <stdlib.h>

#include "harness/base/memory.h"
#include "io/names.h"
#include "tools/distances/read/rows.h"

#define LARGE (1 << 22) /* values, to be counted by all processors */

/* The first name that has stood before is refused, or all of them are counted. */
static wl_status check_names(distances_rows *rows) {
    const distances_data *data = &rows->data;
    wl_name *sorted = malloc(data->count * sizeof *sorted); // [count]
    if (sorted == NULL)
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory to compare %zu names", rows->file, data->count);
    for (size_t i = 0; i < data->count; i++) sorted[i] = (wl_name){data->names[i], i};
    wl_names_sort(sorted, data->count);
    size_t first = 0, again;
    const size_t twice = wl_names_repeated(sorted, data->count, &again, &first);
    free(sorted);
    if (twice == 0) return WL_OK;
    if (!rows->reading->keep_duplicates) {
        char where[64];
        if (rows->names_line > 0)
            snprintf(where, sizeof where, "%zu: %s %zu", rows->names_line, rows->place, rows->places[again]);
        else
            snprintf(where, sizeof where, "%zu", rows->places[again]);
        return wl_fail(WL_BAD_INPUT,
                       "%s:%s: found the name '%.80s' again, which %s %zu has; expected names that differ",
                       rows->names_file ? rows->names_file : rows->file, where, data->names[again], rows->place,
                       rows->places[first]);
    }
    distances_rows_note(rows, "%zu of %zu instances %s the name of an earlier one; the first is '%s'", twice,
                        data->count, distances_verb(twice, "has", "have"), data->names[again]);
    return WL_OK;
}

/* The values that instance i has. */
static uint64_t present_in(const distances_data *data, size_t i) {
    uint64_t present = 0;
    if (distances_are_real(data)) {
        for (uint64_t k = 0; k < data->sites; k++) present += !isnan(data->real[i * data->sites + k]);
        return present;
    }
    const size_t planes = (size_t)data->planes;
    const uint64_t *plane = data->bits + (i * (planes + 1) + planes) * data->words; // [words]
    for (size_t w = 0; w < data->words; w++) present += (uint64_t)__builtin_popcountll(plane[w]);
    return present;
}

static void count_missing(distances_rows *rows) {
    distances_data *data = &rows->data;
    uint64_t missing = 0, empty = 0, first = UINT64_MAX, least = data->sites;
    const int large = data->sites > LARGE / data->count; /* a few rows are counted before threads have begun */
#pragma omp parallel for schedule(static) reduction(+ : missing, empty) reduction(min : first, least) if (large)
    for (size_t i = 0; i < data->count; i++) {
        uint64_t present = present_in(data, i);
        missing += data->sites - present;
        if (present < least) least = present;
        empty += present == 0;
        if (present == 0 && i < first) first = i;
    }
    data->complete = missing == 0;
    data->least_values = least;
    double values = (double)data->count * (double)data->sites;
    if (missing > 0)
        distances_rows_note(rows, "%llu of %.0f values %s missing (%.3g %%), and left out pair by pair",
                            (unsigned long long)missing, values, distances_verb(missing, "is", "are"),
                            100 * (double)missing / values);
    if (empty > 0)
        distances_rows_note(rows, "%llu of %zu instances %s no value at all; the first is '%s'",
                            (unsigned long long)empty, data->count, distances_verb(empty, "has", "have"),
                            data->names[first]);
}

wl_status distances_rows_finish(distances_rows *rows, distances_data *data) {
    WL_TRY(check_names(rows));
    WL_TRY(distances_rows_trim(rows));
    count_missing(rows);
    *data = rows->data;
    WL_FREE(rows->places, rows->names_file);
    *rows = (distances_rows){0};
    return WL_OK;
}

void distances_rows_drop(distances_rows *rows) {
    for (size_t i = 0; i < rows->named; i++) free(rows->data.names[i]);
    WL_FREE(rows->data.names, rows->data.bits, rows->data.real, rows->places, rows->names_file);
    *rows = (distances_rows){0};
}
