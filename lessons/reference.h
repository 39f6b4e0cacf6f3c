/* The serial code of Payne et al. 2010, Appendix 1: the only oracle of the lessons' checks. */
#ifndef LESSONS_REFERENCE_H
#define LESSONS_REFERENCE_H

#include <stddef.h>

#include "lessons/problem.h"

/* As wl_problem.reference, `input` a lessons_input, `distance` int [instances][instances]: distances of instances i in
   [first_slice, first_slice + slice_count) to every instance j, written to distance[i + instances * j]. A slice is one i: slices are equal work and write elements of their own only. */
void lessons_reference(const void *input, size_t first_slice, size_t slice_count, void *distance);

#endif
