/* The recurrence of sw/problem.h, serial, in 32 bits: the only oracle of the checks. */
#pragma once

#include <stddef.h>

#include "sw/problem.h"

/* The number of slices; they are of about equal work. With b = sw_slice_begin(s, slices), slice s aligns all queries with
   the database's sequences b, b + slices, b + 2 slices and so on. So every slice has longer and shorter sequences. The first
   few slices are like the whole, so that a serial variant can be timed on them. The last slice has the longest sequence. */
size_t sw_slices(const sw_input *input);
/* From 0 to slices - 1, each once. */
size_t sw_slice_begin(size_t slice, size_t slices);
/* As wl_problem.reference: `input` an sw_input, int score [queries][subjects]. */
void sw_reference(const void *input, size_t first_slice, size_t slice_count, void *score);
