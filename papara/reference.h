/* The recurrence of papara/problem.h, serial, in 32 bits. Every variant is checked against it. */
#pragma once

#include <stddef.h>

#include "papara/problem.h"

/* Pairs are numbered read by read, [reads][vectors]. With b = papara_slice_begin(s, slices), slice s has the pairs b, b + slices,
   b + 2 slices and so on. So a slice has reads of every length, and a serial variant can be timed on the first few slices. */
size_t papara_slices(const papara_input *input);
/* A permutation of 0 .. slices - 1. */
size_t papara_slice_begin(size_t slice, size_t slices);
/* wl_problem.reference: `input` is a papara_input, output is int score[reads][vectors]. Only the slices' pairs are written. */
void papara_reference(const void *input, size_t first_slice, size_t slice_count, void *score);
