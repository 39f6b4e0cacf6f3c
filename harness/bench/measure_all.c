/* Measurements of data sets that differ in size, and what all rows together say. */
#include <stdlib.h>

#include "harness/bench/measure.h"

/* Add `more`, of the request's one data set, to `all`; `more` is used up. */
static wl_status append(wl_measurements *all, wl_measurements *more, const wl_measure_request *request) {
    wl_measurement *items = realloc(all->items, (all->count + more->count + 1) * sizeof *items);
    if (!items) {
        wl_measurements_free(more);
        return wl_fail(WL_NO_MACHINE, "no memory for the measurements");
    }
    all->items = items;
    for (size_t i = 0; i < more->count; i++) {
        items[all->count] = more->items[i];
        for (size_t k = 0; k < more->items[i].sample_count; k++)
            more->items[i].samples[k].dataset = (uint32_t)(request->only - 1);
        items[all->count++].device = &request->devices->items[more->items[i].device - more->devices.items];
    }
    free(more->items);
    return WL_OK;
}

wl_status wl_measure_all(const wl_measure_request *request, wl_measurements *measurements) {
    const wl_problem *problem = request->problem;
    if (!problem->unequal_inputs || !problem->unequal_inputs(request->arguments))
        return wl_measure(request, measurements);
    wl_measure_request one = *request;
    size_t count;
    *measurements = (wl_measurements){0};
    wl_status status = wl_input_count(problem, request->arguments, &count);
    for (one.only = 1; status == WL_OK && one.only <= count; one.only++) {
        wl_measurements more;
        status = wl_measure(&one, &more);
        if (status == WL_OK) status = append(measurements, &more, &one);
    }
    if (status != WL_OK) wl_measurements_free(measurements);
    return status;
}

wl_status wl_rows_status(const wl_row *rows, size_t count) {
    size_t unsupported = 0;
    for (size_t i = 0; i < count; i++) {
        if (wl_failed(&rows[i].verdict))
            return wl_fail(WL_CHECK_FAILED, "%s/%s on %s: %s", rows[i].problem, rows[i].name, rows[i].backend,
                           wl_verdict_line(&rows[i].verdict).text);
        unsupported += rows[i].verdict.state == WL_UNSUPPORTED;
    }
    if (count == 0 || unsupported < count) return WL_OK;
    return wl_fail(WL_NO_MACHINE, "%s/%s: %s", rows[0].problem, rows[0].name, wl_verdict_line(&rows[0].verdict).text);
}

wl_status wl_measurements_status(const wl_measurements *measurements) {
    wl_row *rows = wl_measurements_rows(measurements);
    if (!rows) return wl_fail(WL_NO_MACHINE, "no memory for the result rows");
    const wl_status status = wl_rows_status(rows, measurements->count);
    free(rows);
    return status;
}
