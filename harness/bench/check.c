#include "harness/bench/check.h"
#include "harness/bench/sources.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/device.h"
#include "sim/sim.h"

/* One of the variant's functions failed: the machine lacks something, or the kernel went wrong. */
static wl_status failed(wl_status status, const char *doing, wl_verdict *verdict) {
    if (status == WL_NO_MACHINE) return wl_verdict_set(verdict, WL_NO_MACHINE, "%s", wl_error());
    return wl_verdict_set(verdict, WL_CHECK_FAILED, "%s: %s", doing, wl_error());
}

/* What CPU variants allocate is poisoned, too, as wl_cuda_output does on the device: a result that nobody wrote must not
   be what an earlier variant left there. glibc fills fresh memory with the complement of M_PERTURB; 0 switches that off.
   It does not fill what comes from a thread's cache of small blocks, up to seven of each size: those are taken, filled
   and put back. */
static void poison_allocations(int on) {
    enum { SMALLEST = 24, LARGEST = 1032, STEP = 16, EACH = 7 };
#ifdef M_PERTURB
    mallopt(M_PERTURB, on ? 0xFF & ~WL_POISON_BYTE : 0);
#endif
    for (size_t size = SMALLEST; on && size <= LARGEST; size += STEP) {
        void *blocks[EACH];
        for (int i = 0; i < EACH; i++) blocks[i] = wl_poisoned(size);
        for (int i = 0; i < EACH; i++) {
            __asm__ volatile("" : : "r"(blocks[i]) : "memory"); // else the compiler drops the filling
            free(blocks[i]);
        }
    }
}

static wl_status launch(const wl_variant *variant, void *state, size_t slices) {
    if (variant->backend == WL_SIM) wl_sim_launching(1);
    if (variant->backend == WL_CPU) wl_poison_stack();
    const wl_status status = slices > 0 ? variant->launch_slices(state, 0, slices) : variant->launch(state);
    if (variant->backend == WL_SIM) wl_sim_launching(0);
    return status;
}

/* Launch, collect, compare. The device is in use. */
static wl_status run_and_compare(wl_inputs *inputs, size_t index, const wl_variant *variant, size_t slices, void *state,
                                 wl_verdict *verdict) {
    size_t bytes = inputs->problem->output_size(inputs->inputs[index]);
    void *actual = wl_poisoned(bytes);
    if (!actual) {
        wl_fail(WL_NO_MACHINE, "no memory for the result: %zu bytes", bytes);
        return failed(WL_NO_MACHINE, "", verdict);
    }
    const char *doing = "launch";
    wl_status status = launch(variant, state, slices);
    if (status == WL_OK) {
        doing = "collect";
        status = variant->collect(state, actual, 1);
    }
    const int stored = status != WL_OK || !wl_is_poison(actual, bytes);
    status = status == WL_OK ? wl_check_output(inputs, index, actual, slices, verdict) : failed(status, doing, verdict);
    if (!stored && verdict->wrong > 0)
        wl_verdict_set(verdict, status, "%s; the launch stored nothing", verdict->reason);
    free(actual);
    return status;
}

wl_status wl_check_again(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                         size_t slices, void *state, wl_verdict *verdict) {
    wl_status status = wl_device_use(device);
    if (status != WL_OK) return failed(status, "launch", verdict);
    return run_and_compare(inputs, index, variant, slices, state, verdict);
}

static wl_status prepare(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                         size_t slices, void **state, wl_verdict *verdict) {
    const void *input = inputs->inputs[index];
    const char *reason = variant->supports ? variant->supports(device, input) : NULL;
    if (reason) return wl_verdict_set(verdict, WL_NO_MACHINE, "%s", reason);
    wl_sources_note(variant->problem, variant->name);
    const void *expected; // never computed after a variant's result, nor from it
    wl_status status = slices == 0 ? wl_inputs_expected(inputs, index, &expected) : WL_OK;
    if (status != WL_OK) return wl_verdict_set(verdict, status, "%s", wl_error());
    poison_allocations(1);
    status = wl_device_use(device);
    if (status == WL_OK) status = variant->prepare(device, input, state);
    poison_allocations(0);
    return status == WL_OK ? status : failed(status, "prepare", verdict);
}

wl_status wl_prepare_variant(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                             void **state, wl_verdict *verdict) {
    return prepare(inputs, index, variant, device, 0, state, verdict);
}

wl_status wl_check_variant(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                           size_t slices, void **state, wl_verdict *verdict) {
    void *made = NULL;
    WL_TRY(prepare(inputs, index, variant, device, slices, &made, verdict));
    const wl_status status = run_and_compare(inputs, index, variant, slices, made, verdict);
    if (status == WL_OK && state)
        *state = made;
    else
        variant->release(made);
    return status;
}
