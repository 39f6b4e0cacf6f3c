/* Two instances at a time, site by site, value against value. The serial variants have the values as bytes beforehand, as a
   program without bit planes would: taking planes apart is no part of the baseline's time. */
#include "distances/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distances/planes.h"
#include "harness/bench/serial.h"

/* The oracle's inner loop, which the serial variants run, too. a, b [sites] */
static void compare(distances_sum sum, uint64_t sites, const uint8_t *a, const uint8_t *b, uint32_t *distance,
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

void distances_reference(const void *input, size_t first_slice, size_t slice_count, void *output) {
    enum { TOGETHER = 16 }; // rows, against which a column is compared once it has been taken apart
    const distances_input *in = input;
    uint32_t *distance = output, none;
    const size_t columns = in->columns.count, pairs = in->rows.count * columns, room = in->sites + 1;
    uint8_t *row = malloc((TOGETHER + 1) * room), *column = row + TOGETHER * room; // [sites] each
    if (row == NULL) { // the oracle has no way to say so, and a check without it would mean nothing
        fprintf(stderr, "warpladder: no memory for instances of %.0f sites\n", (double)in->sites);
        exit(WL_NO_MACHINE);
    }
    for (size_t first = first_slice, end = first_slice + slice_count; first < end; first += TOGETHER) {
        const size_t some = end - first < TOGETHER ? end - first : TOGETHER;
        for (size_t r = 0; r < some; r++) unpack(in, &in->rows, first + r, row + r * room);
        for (size_t j = 0; j < columns; j++) {
            unpack(in, &in->columns, j, column);
            for (size_t at = first * columns + j, r = 0; r < some; r++, at += columns)
                compare(in->sum, in->sites, row + r * room, column, &distance[at],
                        in->distance_only ? &none : &distance[pairs + at]);
        }
    }
    free(row);
}

typedef struct {
    const distances_input *input;
    uint8_t *rows, *columns; // [count][sites]; the same where the input is symmetric
} values;

static void end(void *own) {
    values *v = own;
    if (v->columns != v->rows) free(v->columns);
    free(v->rows);
    free(v);
}

static uint8_t *unpacked(const distances_input *in, const distances_side *side) {
    uint8_t *value = malloc(side->count * in->sites + 1);
    for (size_t i = 0; value != NULL && i < side->count; i++) unpack(in, side, i, value + i * in->sites);
    return value;
}

static wl_status begin(const void *input, void **own) {
    const distances_input *in = input;
    values *v = calloc(1, sizeof *v);
    if (v != NULL) {
        v->input = in;
        v->rows = unpacked(in, &in->rows);
        v->columns = in->symmetric ? v->rows : unpacked(in, &in->columns);
    }
    *own = v; // which is ended in any case
    if (v != NULL && v->rows != NULL && v->columns != NULL) return WL_OK;
    return wl_fail(WL_NO_MACHINE, "not enough memory for %zu + %zu instances as bytes", in->rows.count,
                   in->columns.count);
}

static void slices(void *own, size_t first, size_t count, void *output) {
    const values *v = own;
    const distances_input *in = v->input;
    const size_t columns = in->columns.count, pairs = in->rows.count * columns;
    uint32_t *distance = output, none;
    for (size_t i = first; i < first + count; i++)
        for (size_t j = 0; j < columns; j++)
            compare(in->sum, in->sites, v->rows + i * in->sites, v->columns + j * in->sites, &distance[i * columns + j],
                    in->distance_only ? &none : &distance[pairs + i * columns + j]);
}

#ifdef WL_REFERENCE_O0
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const distances_input *in = (const distances_input *)input;
    const double n = (double)in->rows.count, m = (double)in->columns.count, sites = (double)in->sites;
    cost->bytes = (in->symmetric ? n : n + m) * sites + 2 * sizeof(uint32_t) * n * m;
    cost->operations = n * m * sites; // one compare-and-add each
    cost->rate = WL_RATE_SCALAR;
}
#define LIMIT .cost = cost
#else // the compiler makes vectors, which have no rate of their own
static const char *vectors(void) { return "-O3"; }
#define LIMIT .instruction_set = vectors
#endif

WL_SERIAL_OF(begin, slices, end, "a byte a value, one site at a time",
             .source = "Payne et al. 2010, Appendix 1, with missing values", LIMIT)
