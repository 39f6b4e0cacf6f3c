#include "harness/bench/count.h"
#include "harness/bench/sources.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/device.h"

/* ---- the counters, by name ---- */

#define COUNTER(name) \
    { #name, offsetof(wl_sim_counters, name) }
static const struct {
    const char *name;
    size_t offset;
} counters[WL_COUNTERS] = {
    COUNTER(global_load_requests), COUNTER(global_load_sectors), COUNTER(global_store_requests),
    COUNTER(global_store_sectors), COUNTER(atomic_requests),     COUNTER(atomic_operations),
    COUNTER(shared_requests),      COUNTER(shared_passes),       COUNTER(barriers),
    COUNTER(atomic_addresses),     COUNTER(constant_requests),
};

const char *wl_counter_name(size_t counter) { return counters[counter].name; }

uint64_t wl_counter(const wl_sim_counters *values, size_t counter) {
    uint64_t value;
    memcpy(&value, (const char *)values + counters[counter].offset, sizeof value);
    return value;
}

void wl_counters_add(wl_sim_counters *sum, const wl_sim_counters *more) {
    for (size_t i = 0; i < WL_COUNTERS; i++) {
        uint64_t value = wl_counter(sum, i) + wl_counter(more, i);
        memcpy((char *)sum + counters[i].offset, &value, sizeof value);
    }
}

/* ---- a variant ---- */

static wl_status gather_launches(wl_count *count) {
    size_t launches;
    const wl_sim_launch *launch = wl_sim_launches(&launches);
    count->kernels = calloc(launches ? launches : 1, sizeof *count->kernels);
    if (count->kernels == NULL) return wl_fail(WL_NO_MACHINE, "no memory for %zu launches", launches);
    for (size_t i = 0; i < launches; i++) {
        size_t k = 0;
        while (k < count->count && strcmp(count->kernels[k].launch.kernel, launch[i].kernel) != 0) k++;
        if (k == count->count) {
            count->kernels[k].launch = launch[i];
            count->count++;
        } else {
            wl_counters_add(&count->kernels[k].launch.counters, &launch[i].counters);
        }
        count->kernels[k].launches++;
        wl_counters_add(&count->total, &launch[i].counters);
    }
    return WL_OK;
}

/* launch, between preparations whose kernels are not counted and a check. */
static void run(wl_inputs *inputs, const wl_device *device, const wl_count_trace *trace, wl_count *count) {
    const wl_variant *variant = count->variant;
    void *state = NULL;
    wl_sources_note(variant->problem, variant->name);
    wl_status status = variant->prepare(device, inputs->inputs[0], &state);
    if (status == WL_OK) {
        wl_sim_forget();
        if (trace != NULL) wl_sim_trace_begin(trace->block, trace->most);
        status = variant->launch(state);
        if (trace != NULL) wl_sim_trace_end(&count->trace);
    }
    if (status == WL_OK) {
        if (gather_launches(count) != WL_OK)
            status = WL_NO_MACHINE;
        else
            wl_check_again(inputs, 0, variant, device, 0, state, &count->verdict);
    }
    if (status != WL_OK) wl_verdict_set(&count->verdict, status, "%s", wl_error());
    if (state != NULL) variant->release(state);
}

wl_status wl_count_variant(wl_inputs *inputs, const wl_variant *variant, const wl_device *device,
                           const wl_count_trace *trace, wl_count *count) {
    *count = (wl_count){.variant = variant};
    const char *reason = variant->supports ? variant->supports(device, inputs->inputs[0]) : NULL;
    if (reason != NULL) {
        wl_verdict_set(&count->verdict, WL_NO_MACHINE, "%s", reason);
        return WL_OK;
    }
    WL_TRY(wl_device_use(device));
    run(inputs, device, trace, count);
    if (!wl_passed(&count->verdict)) {
        /* Counters of a kernel that computes something else explain nothing. */
        free(count->kernels);
        count->kernels = NULL;
        count->count = 0;
        count->total = (wl_sim_counters){0};
    }
    return WL_OK;
}

void wl_count_free(wl_count *count) {
    free(count->kernels);
    wl_sim_trace_free(&count->trace);
    *count = (wl_count){0};
}
