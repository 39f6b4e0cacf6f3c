/* A variant for CPUs on every instruction set that this machine has: what such tests of all ladders share. */
#pragma once

#include "tests/support/inputs.h"

typedef struct {
    const char *problem;
    const char *const *isas; // [isa_count], "portable" first
    size_t isa_count;
    const void *smallest; // an input that any of them takes
    void (*same)(const void *input, const void *expected, const void *actual,
                 const char *who); // else the test fails
} cpu_trial;

static inline const wl_variant *cpu_simd_of(const cpu_trial *t) {
    return variant_named(WL_CPU, t->problem, "cpu_simd");
}

/* A result that nobody wrote, and a few bytes after it that nobody may write. The caller frees it. */
enum { AFTER = 4 };
static inline void *poisoned_result(const cpu_trial *t, const void *input) {
    void *result = wl_poisoned(wl_problem_named(t->problem)->output_size(input) + AFTER);
    assert_non_null(result);
    return result;
}

static inline void check_result(const cpu_trial *t, const void *input, const void *expected, const void *actual,
                                const char *who) {
    const size_t bytes = wl_problem_named(t->problem)->output_size(input);
    if (!wl_is_poison((const char *)actual + bytes, AFTER)) fail_msg("%s: wrote past the result", who);
    t->same(input, expected, actual, who);
}

/* What the reference makes of it. The caller frees it. */
static inline void *reference_result(const cpu_trial *t, const void *input) {
    const wl_problem *problem = wl_problem_named(t->problem);
    void *result = poisoned_result(t, input);
    const size_t slices = problem->slices(input);
#pragma omp parallel for schedule(dynamic) if (problem->work(input) > 1e7)
    for (size_t slice = 0; slice < slices; slice++) problem->reference(input, slice, 1, result);
    return result;
}

/* Twice on one state, since each launch must produce the whole result again. */
static inline void run_variant(const cpu_trial *t, const wl_variant *variant, const void *input, int threads,
                               const void *expected, const char *who) {
    const wl_device device = cpu(threads);
    void *state = NULL;
    if (variant->supports) assert_null(variant->supports(&device, input));
    if (variant->prepare(&device, input, &state) != WL_OK) fail_msg("%s: %s", who, wl_error());
    for (int time = 0; time < 2; time++) {
        void *actual = poisoned_result(t, input);
        assert_int_equal(variant->launch(state), WL_OK);
        assert_int_equal(variant->collect(state, actual, 0), WL_OK);
        check_result(t, input, expected, actual, who);
        free(actual);
    }
    variant->release(state);
}

/* From now on cpu_simd uses this one, if the machine has it. */
static inline int use_isa(const cpu_trial *t, const char *isa) {
    const wl_device device = cpu(1);
    setenv("WL_CPU_ISA", isa, 1);
    return cpu_simd_of(t)->supports(&device, t->smallest) == NULL;
}

/* which: bit i for isas[i]. */
static inline void run_on_isas(const cpu_trial *t, const void *input, int threads, const void *expected,
                               unsigned which) {
    for (size_t i = 0; i < t->isa_count; i++) {
        if (!(which >> i & 1) || !use_isa(t, t->isas[i])) continue;
        char who[64];
        snprintf(who, sizeof who, "cpu_simd with %s, %d threads", t->isas[i], threads);
        run_variant(t, cpu_simd_of(t), input, threads, expected, who);
    }
    unsetenv("WL_CPU_ISA");
}

/* ---- tests of all of them ---- */

static inline void check_isas(const cpu_trial *t) {
    const wl_variant *variant = cpu_simd_of(t);
    for (size_t i = 0; i < t->isa_count; i++) {
        const int there = use_isa(t, t->isas[i]);
        print_message("%-10s %s\n", t->isas[i], there ? variant->instruction_set() : "not on this machine: not tested");
        if (!there) assert_string_equal(variant->instruction_set(), "none");
    }
    assert_true(use_isa(t, "portable"));
    unsetenv("WL_CPU_ISA");
}

/* Two states at a time do not disturb each other, whatever their instruction sets. */
static inline void check_two_states(const cpu_trial *t, const void *const input[2], void *const expected[2]) {
    const wl_variant *variant = cpu_simd_of(t);
    const wl_device device = cpu(2);
    void *states[2] = {NULL, NULL};
    setenv("WL_CPU_ISA", "portable", 1);
    assert_int_equal(variant->prepare(&device, input[0], &states[0]), WL_OK);
    unsetenv("WL_CPU_ISA");
    assert_int_equal(variant->prepare(&device, input[1], &states[1]), WL_OK);
    for (int k = 0; k < 2; k++) assert_int_equal(variant->launch(states[k]), WL_OK);
    for (int k = 0; k < 2; k++) {
        void *actual = poisoned_result(t, input[k]);
        assert_int_equal(variant->collect(states[k], actual, 0), WL_OK);
        check_result(t, input[k], expected[k], actual, "one of two states");
        variant->release(states[k]);
        free(actual);
    }
    variant->release(NULL);
}

static inline void check_refused_isa(const cpu_trial *t, const void *input) {
    const wl_variant *variant = cpu_simd_of(t);
    const wl_device device = cpu(1);
    void *made = NULL;
    setenv("WL_CPU_ISA", "sse9", 1);
    assert_non_null(variant->supports(&device, input));
    assert_non_null(strstr(variant->supports(&device, input), "WL_CPU_ISA=sse9 is unknown"));
    assert_int_equal(variant->prepare(&device, input, &made), WL_NO_MACHINE);
    assert_null(made);
    assert_non_null(strstr(wl_error(), "sse9"));
    assert_string_equal(variant->instruction_set(), "none");
    setenv("WL_CPU_ISA", "", 1); // the same as not at all
    assert_null(variant->supports(&device, input));
    unsetenv("WL_CPU_ISA");
    assert_null(variant->supports(&device, input));
}
