/* A problem small enough to see through, with one right variant and many deliberately wrong ones: each is wrong in one of
   the ways real kernels are. They prove that a check can fail. Included by test_check.c and test_measure.c only. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/problem.h"

/* --- The problem: y[i] = seed + 1000 * index + sqrt(i), doubles --- */

typedef struct {
    int n;
    double offset;
} tiny_input;

static const wl_option tiny_options[] = {{"n", "N", "8", "elements"}, {"datasets", "N", "3", "inputs"}, {0}};

static wl_status tiny_count(const wl_arguments *arguments, size_t *count) {
    int64_t value;
    wl_status status = wl_argument_integer(arguments, "datasets", 0, 100, &value);
    *count = status == WL_OK ? (size_t)value : 0;
    return status;
}

static wl_status tiny_create(const wl_arguments *arguments, uint64_t seed, size_t index, void **input) {
    int64_t n;
    wl_status status = wl_argument_integer(arguments, "n", 0, 1000, &n);
    if (status != WL_OK) return status;
    tiny_input *in = malloc(sizeof *in);
    if (!in) return wl_fail(WL_NO_MACHINE, "no memory");
    *in = (tiny_input){(int)n, (double)seed + 1000.0 * (double)index};
    *input = in;
    return WL_OK;
}

static void tiny_shape(const void *input, char *text, size_t size) {
    snprintf(text, size, "%d", ((const tiny_input *)input)->n);
}
static double tiny_work(const void *input) { return ((const tiny_input *)input)->n; }
static size_t tiny_size(const void *input) { return sizeof(double) * (size_t)((const tiny_input *)input)->n; }
static size_t tiny_slices(const void *input) { return (size_t)((const tiny_input *)input)->n; }

static void tiny_reference(const void *input, size_t first, size_t count, void *output) {
    const tiny_input *in = input;
    for (size_t i = first; i < first + count; i++) ((double *)output)[i] = in->offset + sqrt((double)i);
}

static size_t tiny_compare(const void *input, const void *expected, const void *actual, char *first, size_t size) {
    size_t wrong = 0;
    for (int i = 0; i < ((const tiny_input *)input)->n; i++) {
        double e = ((const double *)expected)[i], a = ((const double *)actual)[i];
        if (a == e) continue; // NaN is not
        if (wrong++ == 0) snprintf(first, size, "(%d): expected %g, actual %g", i, e, a);
    }
    return wrong;
}

static const char *const tiny_shapes[] = {"--n 0", "--n 1 --datasets 1", NULL};

static const wl_problem tiny = {
    .name = "tiny",
    .title = "Square roots",
    .unit = "roots",
    .options = tiny_options,
    .input_count = tiny_count,
    .input_create = tiny_create,
    .input_free = free,
    .shape = tiny_shape,
    .work = tiny_work,
    .output_size = tiny_size,
    .slices = tiny_slices,
    .reference = tiny_reference,
    .compare = tiny_compare,
    .check_shapes = tiny_shapes,
    .serial_baseline = "serial",
};
/* A test that uses it registers it in main: its program holds other tests too. */

/* --- Variants' common parts --- */

typedef struct {
    const tiny_input *input;
    int launches;
    double result[]; // [n]
} tiny_state;

static wl_status tiny_prepare(const wl_device *device, const void *input, void **state) {
    (void)device;
    tiny_state *s = malloc(sizeof *s + tiny_size(input));
    if (!s) return wl_fail(WL_NO_MACHINE, "no memory");
    s->input = input;
    s->launches = 0;
    *state = s;
    return WL_OK;
}

static wl_status tiny_collect(void *state, void *output, int poison) {
    (void)poison;
    tiny_state *s = state;
    memcpy(output, s->result, tiny_size(s->input));
    return WL_OK;
}

static void compute(tiny_state *s) {
    s->launches++;
    tiny_reference(s->input, 0, (size_t)s->input->n, s->result);
}

#define TINY(variable, text, launcher)                           \
    static const wl_variant variable = {.problem = "tiny",       \
                                        .name = text,            \
                                        .idea = "",              \
                                        .source = "",            \
                                        .backend = WL_CPU,       \
                                        .prepare = tiny_prepare, \
                                        .launch = launcher,      \
                                        .collect = tiny_collect, \
                                        .release = free}

/* --- The right one, and the wrong ones --- */

static wl_status launch_right(void *state) {
    compute(state);
    return WL_OK;
}

/* The last element is that of its neighbour: an index one too small. */
static wl_status launch_off_by_one(void *state) {
    tiny_state *s = state;
    compute(s);
    int last = s->input->n - 1;
    if (last > 0) s->result[last] = s->result[last - 1];
    return WL_OK;
}

/* A division by zero somewhere in the middle. */
static wl_status launch_nan(void *state) {
    tiny_state *s = state;
    compute(s);
    s->result[s->input->n / 2] = NAN;
    return WL_OK;
}

/* A grid one element short: what is there was in memory before. */
static wl_status launch_unwritten(void *state) {
    tiny_state *s = state;
    tiny_reference(s->input, 0, (size_t)s->input->n - 1, s->result);
    return WL_OK;
}

/* The first result ever computed, given for every input. */
static double stale_result[1000];
static int stale_known;
static wl_status launch_stale(void *state) {
    tiny_state *s = state;
    compute(s);
    if (!stale_known) memcpy(stale_result, s->result, tiny_size(s->input));
    stale_known = 1;
    memcpy(s->result, stale_result, tiny_size(s->input));
    return WL_OK;
}

/* Right the first time; each further launch adds to what is there, like a sum that is never zeroed. */
static wl_status launch_accumulating(void *state) {
    tiny_state *s = state;
    double before = s->launches ? s->result[0] : 0;
    compute(s);
    s->result[0] += before;
    return WL_OK;
}

static wl_status launch_failing(void *state) {
    (void)state;
    return wl_fail(WL_CHECK_FAILED, "kernel.cu:7: unspecified launch failure");
}

static const char *supports_even(const wl_device *device, const void *input) {
    (void)device;
    return ((const tiny_input *)input)->n % 2 ? "needs an even number of elements" : NULL;
}

TINY(right, "right", launch_right);
TINY(off_by_one, "off_by_one", launch_off_by_one);
TINY(nan_inside, "nan", launch_nan);
TINY(unwritten, "unwritten", launch_unwritten);
TINY(stale, "stale", launch_stale);
TINY(accumulating, "accumulating", launch_accumulating);
TINY(failing, "failing", launch_failing);
