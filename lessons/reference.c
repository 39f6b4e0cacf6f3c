/* Payne et al. 2010, Appendix 1: the serial code, but with sizes at run time, counters of type size_t instead of int, and
   the store of a zero. */
#include "lessons/problem.h"

#include "harness/bench/serial.h"

void lessons_reference(const void *input, size_t first_slice, size_t slice_count, void *output) {
    const lessons_input *in = input;
    int *distance = output;
    const size_t INSTANCES = in->instances;
    const size_t ATTRIBUTES = in->attributes;
    const int *data = in->data; // [INSTANCES][ATTRIBUTES]
    for (size_t i = first_slice; i < first_slice + slice_count; i++) {
        for (size_t j = 0; j < INSTANCES; j++) {
            // Not in the paper, whose code adds to an array that must be zero before: a result must not depend on
            // what was in memory. One store for ATTRIBUTES additions; it does not show in the time.
            distance[i + INSTANCES * j] = 0;
            for (size_t k = 0; k < ATTRIBUTES; k++) {
                distance[i + INSTANCES * j] += (data[i * ATTRIBUTES + k] != data[j * ATTRIBUTES + k]);
            }
        }
    }
}

static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const lessons_input *in = (const lessons_input *)input;
    double n = in->instances, m = in->attributes;
    cost->bytes = sizeof(int) * (n * m + n * n);
    cost->operations = n * n * m; // one compare-and-add each
    cost->rate = WL_RATE_SCALAR;
}

WL_SERIAL(lessons_reference, "the paper's serial loop", .source = "Payne et al. 2010, Appendix 1", .cost = cost)
