/* Matrix transpose: a number at (row, column) goes to (column, row). */
#pragma once

#include "harness/bench/variant.h"

typedef struct {
    int rows, columns;
    float *data; /* [rows][columns] */
} transpose_input;

/* The result is float [columns][rows]. */

/* wl_problem.reference; reference.c. */
void transpose_reference(const void *input, size_t first_slice, size_t slice_count, void *output);
