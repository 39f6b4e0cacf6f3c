/* Payne et al. 2010, Appendix 1: the serial code, statement for statement.

   The build compiles this file twice. Plainly (-O3) it is lessons_reference, the oracle. With -O0 -DWL_REFERENCE_O0 it
   is lessons_reference_o0, and both are registered as one-thread variants, serial_O3 and serial_O0, so that the
   paper's baseline can be timed beside everything else whichever way the paper compiled it. */
#include "lessons/reference.h"

#ifdef WL_REFERENCE_O0
#define CPU lessons_reference_o0
#else
#define CPU lessons_reference
#endif

void CPU(const lessons_input *input, size_t first_slice, size_t slice_count, int *distance) {
    const size_t INSTANCES = input->instances;
    const size_t ATTRIBUTES = input->attributes;
    const int *data = input->data; // [INSTANCES][ATTRIBUTES]
    for (size_t i = first_slice; i < first_slice + slice_count; i++) {
        for (size_t j = 0; j < INSTANCES; j++) {
            // Not in the paper, whose code adds to an array that its caller has zeroed: a result must not depend on
            // what was in memory. One store for ATTRIBUTES additions; it does not show in the time.
            distance[i + INSTANCES * j] = 0;
            for (size_t k = 0; k < ATTRIBUTES; k++) {
                distance[i + INSTANCES * j] += (data[i * ATTRIBUTES + k] != data[j * ATTRIBUTES + k]);
            }
        }
    }
}

#ifdef WL_REFERENCE_O0

#include <stdlib.h>
#include <string.h>

typedef struct {
    const lessons_input *input;
    int *distance; // [instances][instances]
} serial_state;

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    (void)device;
    const lessons_input *in = (const lessons_input *)input;
    size_t n = in->instances, bytes = sizeof(int) * n * n;
    serial_state *s = malloc(sizeof *s);
    int *distance = malloc(bytes ? bytes : 1);
    if (s == NULL || distance == NULL) {
        free(s);
        free(distance);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu x %zu distances", n, n);
    }
    *s = (serial_state){.input = in, .distance = distance};
    *state = s;
    return WL_OK;
}

static wl_status slices_O3(void *state, size_t first, size_t count) {
    serial_state *s = state;
    lessons_reference(s->input, first, count, s->distance);
    return WL_OK;
}

static wl_status slices_O0(void *state, size_t first, size_t count) {
    serial_state *s = state;
    lessons_reference_o0(s->input, first, count, s->distance);
    return WL_OK;
}

static wl_status launch_O3(void *state) { return slices_O3(state, 0, ((serial_state *)state)->input->instances); }

static wl_status launch_O0(void *state) { return slices_O0(state, 0, ((serial_state *)state)->input->instances); }

static wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    serial_state *s = state;
    size_t n = s->input->instances;
    if (n > 0) memcpy(output, s->distance, sizeof(int) * n * n);
    return WL_OK;
}

static void release(void *state) {
    serial_state *s = state;
    if (s == NULL) return;
    free(s->distance);
    free(s);
}

static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const lessons_input *in = (const lessons_input *)input;
    double n = in->instances, m = in->attributes;
    cost->bytes = sizeof(int) * (n * m + n * n);
    cost->operations = n * n * m; // one compare-and-add each
    cost->rate = WL_RATE_SCALAR;
}

static const char *scalar_O3(void) { return "scalar, -O3"; }
static const char *scalar_O0(void) { return "scalar, -O0"; }

static const wl_variant serial_O3 = {
    .problem = "lessons",
    .name = "serial_O3",
    .idea = "the paper's serial loop, compiled with -O3",
    .source = "Payne et al. 2010, Appendix 1",
    .backend = WL_CPU,
    .prepare = prepare,
    .launch = launch_O3,
    .collect = collect,
    .release = release,
    .cost = cost,
    .instruction_set = scalar_O3,
    .launch_slices = slices_O3,
};

static const wl_variant serial_O0 = {
    .problem = "lessons",
    .name = "serial_O0",
    .idea = "the paper's serial loop, compiled without optimisation",
    .source = "Payne et al. 2010, Appendix 1",
    .backend = WL_CPU,
    .prepare = prepare,
    .launch = launch_O0,
    .collect = collect,
    .release = release,
    .cost = cost,
    .instruction_set = scalar_O0,
    .launch_slices = slices_O0,
};

// Two descriptors in one file, so not WL_REGISTER, which makes one function of a fixed name.
__attribute__((constructor)) static void register_serial(void) {
    wl_register(&serial_O3);
    wl_register(&serial_O0);
}

#endif
