/* Both compilations of a problem's reference in two parts, the last one first: a slice must not depend on another. */
#pragma once

#include "tests/support/inputs.h"

/* Slices half .. all - 1 of `input`, then the first `half`, into `output`. */
typedef void in_parts(const char *problem, const void *input, size_t half, size_t all, void *output);

static inline void reference_in_parts(const char *problem, const void *input, size_t half, size_t all, void *output) {
    wl_problem_named(problem)->reference(input, half, all - half, output);
    wl_problem_named(problem)->reference(input, 0, half, output);
}

/* The one without optimisation: what the variant serial_O0 times. */
static inline void serial_O0_in_parts(const char *problem, const void *input, size_t half, size_t all, void *output) {
    const wl_device device = cpu(1);
    const wl_variant *variant = variant_named(WL_CPU, problem, "serial_O0");
    void *state = NULL;
    assert_int_equal(variant->prepare(&device, input, &state), WL_OK);
    assert_int_equal(variant->launch_slices(state, half, all - half), WL_OK);
    assert_int_equal(variant->launch_slices(state, 0, half), WL_OK);
    assert_int_equal(variant->collect(state, output, 0), WL_OK);
    variant->release(state);
}
