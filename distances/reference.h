/* Distances and compared sites, serial, one site at a time: the only oracle of the checks. */
#ifndef DISTANCES_REFERENCE_H
#define DISTANCES_REFERENCE_H

#include "distances/problem.h"

/* As wl_problem.reference, `input` a distances_input: slice s is row s, in both parts of the uint32_t output [2][rows][columns]. */
void distances_reference(const void *input, size_t first_slice, size_t slice_count, void *output);

#endif
