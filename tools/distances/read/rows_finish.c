/* When all rows are there: names that occur twice, values that are missing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "io/names.h"
#include "tools/distances/read/rows.h"

#define LARGE (1 << 22) // values, to be counted by all processors

/* The first name of instances first .. end - 1 that has stood before is refused, or all of them are counted. */
static wl_status check_names(distances_rows *rows, size_t begin, size_t end, const char *file) {
    const distances_data *data = &rows->data;
    const size_t count = end - begin;
    wl_name *sorted = malloc(count * sizeof *sorted); // [count]
    if (sorted == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory to compare %zu names", file, count);
    for (size_t i = 0; i < count; i++) sorted[i] = (wl_name){data->names[begin + i], begin + i};
    wl_names_sort(sorted, count);
    size_t first = 0, again;
    const size_t twice = wl_names_repeated(sorted, count, &again, &first);
    free(sorted);
    if (twice == 0) return WL_OK;
    if (!rows->reading->keep_duplicates) {
        char where[64];
        if (rows->names_line > 0)
            snprintf(where, sizeof where, "%zu: %s %zu", rows->names_line, rows->place, rows->places[again]);
        else
            snprintf(where, sizeof where, "%zu", rows->places[again]);
        return wl_fail(
            WL_BAD_INPUT, "%s:%s: found the name '%.80s' again, which %s %zu has; expected names that differ",
            rows->names_file ? rows->names_file : file, where, data->names[again], rows->place, rows->places[first]);
    }
    distances_rows_note(rows, "%zu of %zu instances %s the name of an earlier one; the first is '%s'", twice, count,
                        distances_verb(twice, "has", "have"), data->names[again]);
    return WL_OK;
}

/* The instance that is asked for becomes the first. */
static wl_status bring_to_front(distances_rows *rows) {
    distances_data *data = &rows->data;
    const char *only = rows->reading->only;
    size_t at = 0;
    while (at < data->count && strcmp(data->names[at], only) != 0) at++;
    if (at == data->count)
        return wl_fail(WL_BAD_INPUT, "%s: found no instance '%.80s'; expected the one that --only names", rows->file,
                       only);
    if (data->count == 1)
        return wl_fail(WL_BAD_INPUT, "%s: found one instance; expected others to compare '%.80s' with", rows->file,
                       only);
    const size_t bytes = distances_data_bytes(data) / data->count;
    char *values = data->real ? (char *)data->real : (char *)data->bits, *own = malloc(bytes);
    if (own == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory for a row", rows->file);
    memcpy(own, values + at * bytes, bytes);
    memmove(values + bytes, values, at * bytes);
    memcpy(values, own, bytes);
    free(own);
    char *name = data->names[at];
    memmove(data->names + 1, data->names, at * sizeof *data->names);
    data->names[0] = name;
    data->split = 1;
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
    const int large = data->sites > LARGE / data->count; // a few rows are counted before threads have begun
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
    if (rows->split > 0) WL_TRY(check_names(rows, 0, rows->split, rows->before));
    WL_TRY(check_names(rows, rows->split, rows->data.count, rows->file));
    WL_TRY(distances_rows_trim(rows));
    rows->data.split = rows->split;
    if (rows->reading->only) WL_TRY(bring_to_front(rows));
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
