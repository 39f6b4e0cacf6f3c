/* The serial CPU variants of a problem, made of its reference. The build compiles <problem>/reference.c twice, plainly (-O3: the oracle,
   and serial_O3) and without optimisation (-O0 -DWL_REFERENCE_O0: serial_O0), as papers seldom say how their baseline was compiled.
   The line at the end of the file registers the variant that is being compiled:

     WL_SERIAL(lessons_reference, "the paper's serial loop", .source = "...", .cost = cost)

   Nothing else of the second copy is seen outside it. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "harness/bench/problem.h"

#ifdef WL_REFERENCE_O0
#define WL_SERIAL_OPTION "-O0"
#define WL_SERIAL_HOW "compiled without optimisation"
#else
#define WL_SERIAL_OPTION "-O3"
#define WL_SERIAL_HOW "compiled with -O3"
#endif

static inline size_t wl_common_divisor(size_t a, size_t b) { return b == 0 ? a : wl_common_divisor(b, a % b); }

/* Where a slice begins: multiples of about the golden section spread evenly, however many of them are used. */
static inline size_t wl_slice_begin(size_t slice, size_t slices) {
    size_t step = (size_t)(0.6180339887498949 * (double)slices);
    while (step < slices && wl_common_divisor(slices, step) != 1) step++;
    return slices == 0 ? 0 : (slice + 1) * step % slices;
}

/* Where the timed code is not the reference as it stands: what `begin` makes of the input before the clock runs, slices of it as
   wl_problem.reference has them, and `end`, which frees it. */
typedef struct {
    wl_status (*begin)(const void *input, void **own);
    void (*slices)(void *own, size_t first, size_t count, void *output);
    void (*end)(void *own);
} wl_serial;

typedef struct {
    size_t slices, bytes;
    void *own;
    void *output;
} wl_serial_state;

static const wl_serial wl_this_serial;

static void wl_serial_release(void *state) {
    wl_serial_state *s = state;
    if (s == NULL) return;
    if (wl_this_serial.end && s->own) wl_this_serial.end(s->own);
    free(s->output);
    free(s);
}

static wl_status wl_serial_prepare(const wl_device *device, const void *input, void **state) {
    (void)device;
    const wl_problem *problem = wl_problem_named(WL_FOLDER_PROBLEM);
    wl_serial_state *s = calloc(1, sizeof *s);
    wl_status status = WL_OK;
    if (s != NULL) {
        s->slices = problem->slices(input);
        s->bytes = problem->output_size(input);
        s->output = malloc(s->bytes + 1);
    }
    if (s == NULL || s->output == NULL)
        status = wl_fail(WL_NO_MACHINE, "not enough memory for a result of %zu bytes", problem->output_size(input));
    if (status == WL_OK) status = wl_this_serial.begin(input, &s->own);
    if (status == WL_OK)
        *state = s;
    else
        wl_serial_release(s);
    return status;
}

static wl_status wl_serial_launch_slices(void *state, size_t first, size_t count) {
    wl_serial_state *s = state;
    wl_this_serial.slices(s->own, first, count, s->output);
    return WL_OK;
}

static wl_status wl_serial_launch(void *state) {
    return wl_serial_launch_slices(state, 0, ((wl_serial_state *)state)->slices);
}

static wl_status wl_serial_collect(void *state, void *output, int poison) {
    (void)poison;
    const wl_serial_state *s = state;
    if (s->bytes > 0) memcpy(output, s->output, s->bytes);
    return WL_OK;
}

static const char *wl_serial_scalar(void) { return "scalar, " WL_SERIAL_OPTION; }

static const wl_variant wl_serial_defaults = {
    .prepare = wl_serial_prepare,
    .launch = wl_serial_launch,
    .collect = wl_serial_collect,
    .release = wl_serial_release,
    .instruction_set = wl_serial_scalar,
    .launch_slices = wl_serial_launch_slices,
};

/* The variant's idea is `idea_of`, followed by how the code was compiled. The other arguments are what WL_VARIANT takes. */
#define WL_SERIAL_OF(begin, slices, end, idea_of, ...)                  \
    static const wl_serial wl_this_serial = {(begin), (slices), (end)}; \
    WL_STAGE(&wl_serial_defaults, .idea = idea_of ", " WL_SERIAL_HOW, __VA_ARGS__)

#define WL_SERIAL(reference, idea_of, ...)                                              \
    static wl_status wl_serial_begin(const void *input, void **own) {                   \
        *own = (void *)input;                                                           \
        return WL_OK;                                                                   \
    }                                                                                   \
    static void wl_serial_slices(void *own, size_t first, size_t count, void *output) { \
        reference(own, first, count, output);                                           \
    }                                                                                   \
    WL_SERIAL_OF(wl_serial_begin, wl_serial_slices, NULL, idea_of, __VA_ARGS__)
