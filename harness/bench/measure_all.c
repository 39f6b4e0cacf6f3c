/* Measurements of data sets that differ in size. */
#include <stdlib.h>

#include "harness/base/memory.h"
#include "harness/bench/measure.h"

/* Add `more`, of the request's one data set, to `all`; `more` is used up. */
static wl_status append(wl_measurements *all, wl_measurements *more, const wl_measure_request *request) {
    if (!WL_GROW(all->items, all->count, more->count)) {
        wl_measurements_free(more);
        return wl_fail(WL_NO_MACHINE, "no memory for the measurements");
    }
    for (size_t i = 0; i < more->count; i++) {
        all->items[all->count] = more->items[i];
        for (size_t k = 0; k < more->items[i].sample_count; k++)
            more->items[i].samples[k].dataset = (uint32_t)(request->only - 1);
        all->items[all->count++].device = &request->devices->items[more->items[i].device - more->devices.items];
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
