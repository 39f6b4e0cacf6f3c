/* The check finds what is wrong, passes what is right, and says which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/check.h"
#include "tests/wrong_variant/tiny.h"

static const wl_device cpu = {.backend = WL_CPU, .name = "test", .multiprocessors = 1};

/* Copies nothing back. */
static wl_status collect_nothing(void *state, void *output) {
    (void)state, (void)output;
    return WL_OK;
}

static wl_status prepare_without_memory(const wl_device *device, const void *input, void **state) {
    (void)device, (void)input, (void)state;
    return wl_fail(WL_NO_MACHINE, "out of memory: 1 GiB more is needed");
}

static void make_inputs(wl_inputs *inputs, const char *n) {
    const char *values[2] = {n, NULL};
    wl_arguments arguments = {tiny_options, values, 2};
    assert_int_equal(wl_inputs_create(&tiny, &arguments, 7, 0, inputs), WL_OK);
}

static wl_status check(const wl_variant *variant, const char *n, size_t index, size_t slices, char *text, size_t size) {
    wl_inputs inputs;
    make_inputs(&inputs, n);
    wl_status status = wl_check_variant(&inputs, index, variant, &cpu, slices, NULL, text, size);
    wl_inputs_free(&inputs);
    return status;
}

static void expect(const wl_variant *variant, const char *n, size_t index, wl_status status, const char *expected) {
    char text[200];
    assert_int_equal(check(variant, n, index, 0, text, sizeof text), status);
    assert_string_equal(text, expected);
}

static void right_passes(void **state) {
    (void)state;
    expect(&right, "8", 0, WL_OK, "ok");
    expect(&right, "8", 2, WL_OK, "ok");
    expect(&right, "1", 0, WL_OK, "ok");
    expect(&right, "0", 0, WL_OK, "ok"); /* nothing to get wrong */
}

static void wrong_element_is_named(void **state) {
    (void)state;
    expect(&off_by_one, "5", 0, WL_CHECK_FAILED, "FAILED: 1 wrong, first (4): expected 9, actual 8.73205");
    expect(&off_by_one, "1", 0, WL_OK, "ok"); /* its mistake does not show there: why shapes are many */
}

static void nan_fails(void **state) {
    (void)state;
    expect(&nan_inside, "8", 0, WL_CHECK_FAILED, "FAILED: 1 wrong, first (4): expected 9, actual nan");
}

/* Found in any case on fresh memory; without the poison only if memory happens to hold something else. */
static void unwritten_fails(void **state) {
    (void)state;
    char text[200];
    for (int i = 0; i < 100; i++) {
        /* Memory just freed that holds the right result is what malloc gives next. */
        assert_int_equal(check(&right, "8", 0, 0, text, sizeof text), WL_OK);
        assert_int_equal(check(&unwritten, "8", 0, 0, text, sizeof text), WL_CHECK_FAILED);
        assert_memory_equal(text, "FAILED: 1 wrong, first (7)", 26);
    }
}

static void stale_fails(void **state) {
    (void)state;
    expect(&stale, "4", 0, WL_OK, "ok");
    expect(&stale, "4", 1, WL_CHECK_FAILED, "FAILED: 4 wrong, first (0): expected 1007, actual 7");
}

static void nothing_collected_fails(void **state) {
    (void)state;
    wl_variant lazy = right;
    char text[200];
    lazy.collect = collect_nothing;
    assert_int_equal(check(&lazy, "3", 0, 0, text, sizeof text), WL_CHECK_FAILED);
    assert_memory_equal(text, "FAILED: 3 wrong", 15);
}

static void later_launches_are_checked(void **state) {
    (void)state;
    wl_inputs inputs;
    char text[200];
    void *kept = NULL;
    make_inputs(&inputs, "4");
    assert_int_equal(wl_check_variant(&inputs, 0, &accumulating, &cpu, 0, &kept, text, sizeof text), WL_OK);
    assert_non_null(kept);
    assert_int_equal(accumulating.launch(kept), WL_OK);
    assert_int_equal(wl_check_again(&inputs, 0, &accumulating, &cpu, 0, kept, text, sizeof text), WL_CHECK_FAILED);
    assert_string_equal(text, "FAILED: 1 wrong, first (0): expected 7, actual 14");
    accumulating.release(kept);
    wl_inputs_free(&inputs);
}

static void failing_functions(void **state) {
    (void)state;
    expect(&failing, "4", 0, WL_CHECK_FAILED, "FAILED: launch: kernel.cu:7: unspecified launch failure");
    wl_variant large = right;
    large.prepare = prepare_without_memory;
    expect(&large, "4", 0, WL_NO_MACHINE, "unsupported: out of memory: 1 GiB more is needed");
}

static void unsupported_inputs(void **state) {
    (void)state;
    wl_variant even = right;
    even.supports = supports_even;
    expect(&even, "3", 0, WL_NO_MACHINE, "unsupported: needs an even number of elements");
    expect(&even, "4", 0, WL_OK, "ok");
}

/* --- A part of the slices --- */

static wl_status right_slices(void *state, size_t first, size_t count) {
    tiny_state *s = state;
    tiny_reference(s->input, first, count, s->result);
    return WL_OK;
}

static wl_status wrong_slices(void *state, size_t first, size_t count) {
    tiny_state *s = state;
    tiny_reference(s->input, first, count, s->result);
    s->result[first + count - 1] += 1;
    return WL_OK;
}

static wl_status lazy_slices(void *state, size_t first, size_t count) {
    tiny_state *s = state;
    tiny_reference(s->input, first, count - 1, s->result);
    return WL_OK;
}

static void parts_are_checked(void **state) {
    (void)state;
    wl_variant part = right;
    char text[200];
    part.launch = launch_failing; /* must not be called */
    part.launch_slices = right_slices;
    assert_int_equal(check(&part, "8", 0, 3, text, sizeof text), WL_OK);
    part.launch_slices = wrong_slices;
    assert_int_equal(check(&part, "8", 0, 3, text, sizeof text), WL_CHECK_FAILED);
    assert_string_equal(text, "FAILED: 1 wrong, first (2): expected 8.41421, actual 9.41421");
    part.launch_slices = lazy_slices;
    assert_int_equal(check(&part, "8", 0, 3, text, sizeof text), WL_CHECK_FAILED);
}

/* --- Inputs --- */

static void inputs_are_cached(void **state) {
    (void)state;
    wl_inputs inputs;
    const void *first, *second;
    make_inputs(&inputs, "5");
    assert_int_equal(inputs.count, 3);
    assert_int_equal(wl_inputs_expected(&inputs, 1, &first), WL_OK);
    assert_int_equal(wl_inputs_expected(&inputs, 1, &second), WL_OK);
    assert_ptr_equal(first, second);
    for (int i = 0; i < 5; i++) assert_true(((const double *)first)[i] == 1007 + sqrt(i));
    wl_inputs_free(&inputs);
}

static void bad_arguments(void **state) {
    (void)state;
    const char *values[2] = {"1001", NULL};
    wl_arguments arguments = {tiny_options, values, 2};
    wl_inputs inputs;
    assert_int_equal(wl_inputs_create(&tiny, &arguments, 7, 0, &inputs), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "--n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_passes),
        cmocka_unit_test(wrong_element_is_named),
        cmocka_unit_test(nan_fails),
        cmocka_unit_test(unwritten_fails),
        cmocka_unit_test(stale_fails),
        cmocka_unit_test(nothing_collected_fails),
        cmocka_unit_test(later_launches_are_checked),
        cmocka_unit_test(failing_functions),
        cmocka_unit_test(unsupported_inputs),
        cmocka_unit_test(parts_are_checked),
        cmocka_unit_test(inputs_are_cached),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
