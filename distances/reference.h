/* Distances and compared sites, serial, one site at a time: the only oracle of the checks. */
#ifndef DISTANCES_REFERENCE_H
#define DISTANCES_REFERENCE_H

#include "distances/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slice s is row s, in both parts of the output [2][rows][columns]. */
void distances_reference(const distances_input *input, size_t first_slice, size_t slice_count, uint32_t *output);
/* The same code compiled without optimisation (-O0). */
void distances_reference_o0(const distances_input *input, size_t first_slice, size_t slice_count, uint32_t *output);

#ifdef __cplusplus
}
#endif
#endif
