/* The serial reference: plain loops. A slice is what one row of the input contributes to the result. */
#include "transpose/problem.h"

#include "harness/bench/serial.h"

void transpose_reference(const void *input, size_t first_slice, size_t slice_count, void *output) {
    const transpose_input *in = input;
    float *to = output;
    for (size_t r = first_slice; r < first_slice + slice_count; r++)
        for (size_t c = 0; c < (size_t)in->columns; c++)
            to[c * (size_t)in->rows + r] = in->data[r * (size_t)in->columns + c];
}

WL_SERIAL(transpose_reference, "plain loops", .source = "Warpladder")
