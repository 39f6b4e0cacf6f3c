/* The serial code of Payne et al. 2010, Appendix 1: the only oracle of the lessons' checks. */
#ifndef LESSONS_REFERENCE_H
#define LESSONS_REFERENCE_H

#include <stddef.h>

#include "lessons/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Distances of instances i in [first_slice, first_slice + slice_count) to every instance j, written to
   distance[i + instances * j]. A slice is one i: slices are equal work and write elements of their own only. */
void lessons_reference(const lessons_input *input, size_t first_slice, size_t slice_count, int *distance);

/* The same code compiled without optimisation (-O0): the paper does not say how it was compiled. */
void lessons_reference_o0(const lessons_input *input, size_t first_slice, size_t slice_count, int *distance);

#ifdef __cplusplus
}
#endif
#endif
