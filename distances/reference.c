/* Two instances at a time, site by site, value against value.

   The build compiles this file twice. Plainly (-O3) it is distances_reference, the oracle. With -O0 -DWL_REFERENCE_O0 it is
   distances_reference_o0, and both are registered as one-thread variants, serial_O3 and serial_O0. These have the values
   as bytes beforehand, as a program without bit planes would: taking planes apart is no part of the baseline's time. */
#include "distances/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distances/planes.h"

#ifdef WL_REFERENCE_O0
#define COMPARE distances_compare_o0
#define CPU distances_reference_o0
#else
#define COMPARE distances_compare
#define CPU distances_reference
#endif

/* The oracle's inner loop, which the serial variants run, too. a, b [sites] */
void distances_compare(distances_sum sum, uint64_t sites, const uint8_t *a, const uint8_t *b, uint32_t *distance,
                       uint32_t *compared);
void distances_compare_o0(distances_sum sum, uint64_t sites, const uint8_t *a, const uint8_t *b, uint32_t *distance,
                          uint32_t *compared);

void COMPARE(distances_sum sum, uint64_t sites, const uint8_t *a, const uint8_t *b, uint32_t *distance,
             uint32_t *compared) {
    uint32_t total = 0, present = 0;
    // A loop each, with nothing to branch on: the compiler makes vectors of them.
    for (uint64_t k = 0; k < sites; k++) present += (a[k] != DISTANCES_MISSING) & (b[k] != DISTANCES_MISSING);
    for (uint64_t k = 0; k < sites && sum == DISTANCES_DIFFERENT; k++)
        total += (a[k] != b[k]) & (a[k] != DISTANCES_MISSING) & (b[k] != DISTANCES_MISSING);
    for (uint64_t k = 0; k < sites && sum == DISTANCES_STEPS; k++)
        total += (unsigned)abs(a[k] - b[k]) * ((a[k] != DISTANCES_MISSING) & (b[k] != DISTANCES_MISSING));
    *distance = total;
    *compared = present;
}

static void unpack(const distances_input *in, const distances_side *side, size_t i, uint8_t *value) {
    distances_unpack(in->sum, in->planes, in->sites, side->bits + i * (size_t)(in->planes + 1) * in->words, in->words,
                     value);
}

void CPU(const distances_input *input, size_t first_slice, size_t slice_count, uint32_t *output) {
    const size_t columns = input->columns.count, pairs = input->rows.count * columns;
    uint8_t *row = malloc(2 * (input->sites + 1)), *column = row + input->sites + 1; // [sites] each
    if (row == NULL) { // the oracle has no way to say so, and a check without it would mean nothing
        fprintf(stderr, "warpladder: no memory for two instances of %.0f sites\n", (double)input->sites);
        exit(WL_NO_MACHINE);
    }
    for (size_t i = first_slice; i < first_slice + slice_count; i++) {
        unpack(input, &input->rows, i, row);
        for (size_t j = 0; j < columns; j++) {
            unpack(input, &input->columns, j, column);
            COMPARE(input->sum, input->sites, row, column, &output[i * columns + j], &output[pairs + i * columns + j]);
        }
    }
    free(row);
}

#ifdef WL_REFERENCE_O0

typedef struct {
    const distances_input *input;
    uint8_t *rows, *columns; // [count][sites]; the same where the input is symmetric
    uint32_t *output;        // [2][rows][columns]
} serial_state;

static void release(void *state) {
    serial_state *s = state;
    if (s == NULL) return;
    if (s->columns != s->rows) free(s->columns);
    free(s->rows);
    free(s->output);
    free(s);
}

static uint8_t *unpacked(const distances_input *in, const distances_side *side) {
    uint8_t *values = malloc(side->count * in->sites + 1);
    for (size_t i = 0; values != NULL && i < side->count; i++) unpack(in, side, i, values + i * in->sites);
    return values;
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    (void)device;
    const distances_input *in = (const distances_input *)input;
    serial_state *s = calloc(1, sizeof *s);
    if (s != NULL) {
        s->input = in;
        s->rows = unpacked(in, &in->rows);
        s->columns = in->symmetric ? s->rows : unpacked(in, &in->columns);
        s->output = malloc(2 * sizeof *s->output * in->rows.count * in->columns.count + 1);
    }
    if (s == NULL || s->rows == NULL || s->columns == NULL || s->output == NULL) {
        release(s);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu + %zu instances as bytes", in->rows.count,
                       in->columns.count);
    }
    *state = s;
    return WL_OK;
}

static void slices(const serial_state *s, size_t first, size_t count,
                   void (*compare)(distances_sum, uint64_t, const uint8_t *, const uint8_t *, uint32_t *, uint32_t *)) {
    const distances_input *in = s->input;
    const size_t columns = in->columns.count, pairs = in->rows.count * columns;
    for (size_t i = first; i < first + count; i++)
        for (size_t j = 0; j < columns; j++)
            compare(in->sum, in->sites, s->rows + i * in->sites, s->columns + j * in->sites,
                    &s->output[i * columns + j], &s->output[pairs + i * columns + j]);
}

static wl_status slices_O3(void *state, size_t first, size_t count) {
    slices(state, first, count, distances_compare);
    return WL_OK;
}

static wl_status slices_O0(void *state, size_t first, size_t count) {
    slices(state, first, count, distances_compare_o0);
    return WL_OK;
}

static wl_status launch_O3(void *state) { return slices_O3(state, 0, ((serial_state *)state)->input->rows.count); }

static wl_status launch_O0(void *state) { return slices_O0(state, 0, ((serial_state *)state)->input->rows.count); }

static wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    const serial_state *s = state;
    const size_t pairs = s->input->rows.count * s->input->columns.count;
    if (pairs > 0) memcpy(output, s->output, 2 * sizeof *s->output * pairs);
    return WL_OK;
}

static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const distances_input *in = (const distances_input *)input;
    const double n = (double)in->rows.count, m = (double)in->columns.count, sites = (double)in->sites;
    cost->bytes = (in->symmetric ? n : n + m) * sites + 2 * sizeof(uint32_t) * n * m;
    cost->operations = n * m * sites; // one compare-and-add each
    cost->rate = WL_RATE_SCALAR;
}

static const char *scalar_O3(void) { return "-O3"; }
static const char *scalar_O0(void) { return "scalar, -O0"; }

static const wl_variant serial_O3 = {
    .problem = "distances",
    .name = "serial_O3",
    .idea = "a byte a value, one site at a time, compiled with -O3",
    .source = "Payne et al. 2010, Appendix 1, with missing values",
    .backend = WL_CPU,
    .prepare = prepare,
    .launch = launch_O3,
    .collect = collect,
    .release = release, // and no cost: the compiler's vectors have no rate of their own
    .instruction_set = scalar_O3,
    .launch_slices = slices_O3,
};

static const wl_variant serial_O0 = {
    .problem = "distances",
    .name = "serial_O0",
    .idea = "a byte a value, one site at a time, compiled without optimisation",
    .source = "Payne et al. 2010, Appendix 1, with missing values",
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
