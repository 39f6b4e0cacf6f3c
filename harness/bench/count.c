#include "harness/bench/count.h"

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

static void add_up(wl_sim_counters *sum, const wl_sim_counters *more) {
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
            add_up(&count->kernels[k].launch.counters, &launch[i].counters);
        }
        count->kernels[k].launches++;
        add_up(&count->total, &launch[i].counters);
    }
    return WL_OK;
}

/* Requests are numbered within a launch's block; with several launches traced, make the numbers differ. */
static void number_requests(wl_sim_access *accesses, size_t count) {
    uint32_t before = 0, base = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t own = accesses[i].request;
        if (i > 0 && own < before) base = accesses[i - 1].request + 1;
        accesses[i].request = base + own;
        before = own;
    }
}

/* launch, between preparations whose kernels are not counted and a check. */
static void run(wl_inputs *inputs, size_t index, const wl_device *device, const unsigned *block, wl_count *count) {
    const wl_variant *variant = count->variant;
    void *state = NULL;
    /* Allocations are numbered from the trace's beginning, and most are made while preparing. */
    if (block != NULL) wl_sim_trace_begin(block[0], block[1], block[2]);
    wl_status status = variant->prepare(device, inputs->inputs[index], &state);
    if (status == WL_OK) {
        size_t ignored;
        wl_sim_forget();
        if (block != NULL) {
            free(wl_sim_trace_end(&ignored));
            wl_sim_trace_begin(block[0], block[1], block[2]);
        }
        status = variant->launch(state);
    }
    if (block != NULL) count->accesses = wl_sim_trace_end(&count->access_count);
    number_requests(count->accesses, count->access_count);
    if (status == WL_OK) {
        if (gather_launches(count) != WL_OK)
            status = WL_NO_MACHINE;
        else
            wl_check_again(inputs, index, variant, device, 0, state, &count->verdict);
    }
    if (status != WL_OK) wl_verdict_set(&count->verdict, status, "%s", wl_error());
    if (state != NULL) variant->release(state);
}

wl_status wl_count_variant(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                           const unsigned block[3], wl_count *count) {
    *count = (wl_count){.variant = variant};
    const char *reason = variant->supports ? variant->supports(device, inputs->inputs[index]) : NULL;
    if (reason != NULL) {
        wl_verdict_set(&count->verdict, WL_NO_MACHINE, "%s", reason);
        return WL_OK;
    }
    WL_TRY(wl_device_use(device));
    run(inputs, index, device, block, count);
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
    free(count->accesses);
    *count = (wl_count){0};
}
