#include "harness/bench/check.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/device.h"

static void *filled(size_t bytes, int pattern) {
    void *memory = malloc(bytes ? bytes : 1);
    if (memory) memset(memory, pattern, bytes);
    return memory;
}

const char *wl_check_reason(const char *check) {
    static const char failed[] = "FAILED: ";
    return strncmp(check, failed, strlen(failed)) == 0 ? check + strlen(failed) : NULL;
}

void *wl_poisoned(size_t bytes) { return filled(bytes, WL_POISON_BYTE); }

/* --- Comparing --- */

wl_status wl_verdict(const wl_problem *problem, const void *input, const void *expected, const void *actual, char *text,
                     size_t size) {
    char first[112] = "";
    size_t wrong = problem->compare(input, expected, actual, first, sizeof first);
    if (wrong == 0) {
        snprintf(text, size, "ok");
        return WL_OK;
    }
    snprintf(text, size, "FAILED: %zu wrong, first %s", wrong, first);
    return WL_CHECK_FAILED;
}

/* Which bytes the first `slices` slices write, the problem alone knows. The reference run on two different backgrounds
   tells: a byte that comes out the same was written. All other bytes become zero on both sides. */
static wl_status compare_prefix(const wl_problem *problem, const void *input, size_t slices, unsigned char *actual,
                                char *text, size_t size) {
    size_t bytes = problem->output_size(input);
    unsigned char *expected = filled(bytes, WL_POISON_BYTE), *second = filled(bytes, 0xFF & ~WL_POISON_BYTE);
    wl_status status = WL_OK;
    if (!expected || !second) {
        status = wl_fail(WL_NO_MACHINE, "no memory for the reference's result: twice %zu bytes", bytes);
        snprintf(text, size, "unsupported: %s", wl_error());
    } else {
        problem->reference(input, 0, slices, expected);
        problem->reference(input, 0, slices, second);
        for (size_t i = 0; i < bytes; i++)
            if (expected[i] != second[i]) expected[i] = actual[i] = 0;
        status = wl_verdict(problem, input, expected, actual, text, size);
    }
    free(expected);
    free(second);
    return status;
}

wl_status wl_check_output(wl_inputs *inputs, size_t index, void *actual, size_t slices, char *text, size_t size) {
    const void *expected;
    if (slices > 0) return compare_prefix(inputs->problem, inputs->inputs[index], slices, actual, text, size);
    wl_status status = wl_inputs_expected(inputs, index, &expected);
    if (status != WL_OK) {
        snprintf(text, size, "%s: %s", status == WL_CHECK_FAILED ? "FAILED" : "unsupported", wl_error());
        return status;
    }
    return wl_verdict(inputs->problem, inputs->inputs[index], expected, actual, text, size);
}

/* --- Running a variant --- */

/* One of the variant's functions failed: the machine lacks something, or the kernel went wrong. */
static wl_status failed(wl_status status, const char *doing, char *text, size_t size) {
    if (status == WL_NO_MACHINE) {
        snprintf(text, size, "unsupported: %s", wl_error());
        return WL_NO_MACHINE;
    }
    snprintf(text, size, "FAILED: %s: %s", doing, wl_error());
    return WL_CHECK_FAILED;
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
            __asm__ volatile("" : : "r"(blocks[i]) : "memory"); /* else the compiler drops the filling */
            free(blocks[i]);
        }
    }
}

int wl_takes_results;

static wl_status launch(const wl_variant *variant, void *state, size_t slices) {
    return slices > 0 ? variant->launch_slices(state, 0, slices) : variant->launch(state);
}

/* Launch, collect, compare. The device is in use. */
static wl_status run_and_compare(wl_inputs *inputs, size_t index, const wl_variant *variant, size_t slices, void *state,
                                 char *text, size_t size) {
    size_t bytes = inputs->problem->output_size(inputs->inputs[index]);
    void *actual = wl_poisoned(bytes);
    if (!actual) {
        wl_fail(WL_NO_MACHINE, "no memory for the result: %zu bytes", bytes);
        return failed(WL_NO_MACHINE, "", text, size);
    }
    const char *doing = "launch";
    wl_status status = launch(variant, state, slices);
    if (status == WL_OK) {
        doing = "collect";
        wl_takes_results = 1;
        status = variant->collect(state, actual);
        wl_takes_results = 0;
    }
    if (status != WL_OK) {
        status = failed(status, doing, text, size);
    } else if (slices == 0 && wl_inputs_would_adopt(inputs, index, variant)) {
        status = wl_inputs_adopt(inputs, index, actual, text, size);
        if (status == WL_OK) return WL_OK; /* the memory is theirs */
    } else {
        status = wl_check_output(inputs, index, actual, slices, text, size);
    }
    free(actual);
    return status;
}

wl_status wl_check_again(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                         size_t slices, void *state, char *text, size_t size) {
    wl_status status = wl_device_use(device);
    if (status != WL_OK) return failed(status, "launch", text, size);
    return run_and_compare(inputs, index, variant, slices, state, text, size);
}

wl_status wl_check_variant(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                           size_t slices, void **state, char *text, size_t size) {
    const void *input = inputs->inputs[index];
    const char *reason = variant->supports ? variant->supports(device, input) : NULL;
    if (reason) {
        snprintf(text, size, "unsupported: %s", reason);
        return wl_fail(WL_NO_MACHINE, "%s", reason);
    }
    void *made = NULL;
    poison_allocations(1);
    wl_status status = wl_device_use(device);
    if (status == WL_OK) status = variant->prepare(device, input, &made);
    poison_allocations(0);
    if (status != WL_OK) return failed(status, "prepare", text, size);

    status = run_and_compare(inputs, index, variant, slices, made, text, size);
    if (status == WL_OK && state)
        *state = made;
    else
        variant->release(made);
    return status;
}
