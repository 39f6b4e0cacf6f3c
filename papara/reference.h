/* The recurrence of papara/problem.h, serial, in 32 bits: the only oracle of the checks. */
#ifndef PAPARA_REFERENCE_H
#define PAPARA_REFERENCE_H

#include <stddef.h>

#include "papara/problem.h"

/* Pairs are numbered read by read, [reads][vectors]. With b = papara_slice_begin(s, slices), slice s holds the pairs b,
   b + slices, b + 2 slices ...: reads of every length, and the first few slices are like the whole, so that a serial variant can
   be timed on them. */
size_t papara_slices(const papara_input *input);
/* From 0 to slices - 1, each once. */
size_t papara_slice_begin(size_t slice, size_t slices);
/* As wl_problem.reference: `input` a papara_input, int score [reads][vectors], of which only the slices' pairs are written. */
void papara_reference(const void *input, size_t first_slice, size_t slice_count, void *score);
#endif
