/* Inputs, variants and devices that tests ask for by name. */
#pragma once

#include <fnmatch.h>

#include "tests/support/unit.h"
#include "harness/bench/device.h"
#include "harness/bench/expected.h"
#include "harness/bench/variant.h"

static inline wl_status create_inputs(const char *problem, const char *options, uint64_t seed, wl_inputs *inputs) {
    const wl_problem *named = wl_problem_named(problem);
    wl_arguments arguments;
    assert_non_null(named);
    assert_int_equal(wl_arguments_parse(named->options, options, &arguments), WL_OK);
    const wl_status status = wl_inputs_create(named, &arguments, seed, 0, inputs);
    free(arguments.values);
    return status;
}

/* The same, where it succeeds; the first input. Freed with wl_inputs_free. */
static inline void *make_inputs(const char *problem, const char *options, uint64_t seed, wl_inputs *inputs) {
    if (create_inputs(problem, options, seed, inputs) != WL_OK) fail_msg("%s %s: %s", problem, options, wl_error());
    return inputs->inputs[0];
}

/* What the reference makes of the first input. */
static inline const void *expected_of(wl_inputs *inputs) {
    const void *expected;
    assert_int_equal(wl_inputs_expected(inputs, 0, &expected), WL_OK);
    return expected;
}

/* name: of the variant, "cpu_simd", or a pattern, "10*". */
static inline const wl_variant *variant_named(wl_backend backend, const char *problem, const char *name) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++)
        if (variants[v]->backend == backend && strcmp(variants[v]->problem, problem) == 0 &&
            fnmatch(name, variants[v]->name, 0) == 0)
            return variants[v];
    fail_msg("%s/%s is not registered", problem, name);
    return NULL;
}

static inline wl_device cpu(int threads) { return (wl_device){.backend = WL_CPU, .multiprocessors = threads}; }

static inline wl_device simulated(void) {
    wl_device_list devices;
    assert_int_equal(wl_devices_select("sim", &devices), WL_OK);
    return devices.items[devices.count - 1];
}
