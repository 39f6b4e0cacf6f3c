/* All-pairs distance: the number of attributes in which each two instances differ (Payne et al. 2010). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/linkage.h"
#include "harness/bench/variant.h"

WL_C_BEGIN

/* One data set, row-major as the paper's Appendix 1 has it.

   From an alignment, each letter that occurs gets a code; equal codes are equal letters, whatever their case. When at
   least four fifths of the letters are A, C, G, T, U or N, the file holds nucleotides: then U and T are the same letter,
   and a letter that IUPAC does not define is an error. Otherwise it holds amino acids, for which the whole alphabet is in use.
   Gaps and unknowns ('-', '.', '?', N, X) are letters like others: two gaps are equal, a gap and an A differ. */
typedef struct {
    int instances;
    int attributes;
    const int *data; // [instances][attributes], every value in 0..alphabet-1
    int alphabet;    // 2..128
    char **names;    // [instances], or NULL: random data, a table without names
} lessons_input;

/* The result is int distance[instances][instances]; distance[INSTANCES*j + i] is that of instances i and j. */

/* Rows of characters for the char4 lessons: [instances][*pitch], pitch = attributes rounded up to a multiple of four,
   the padding zero. The caller frees it; NULL when memory is short. */
char *lessons_char_rows(const lessons_input *input, size_t *pitch);

/* The serial code of the paper's Appendix 1: the only oracle of the checks. As wl_problem.reference: `input` is a
   lessons_input, `distance` is int [instances][instances]. It computes the distances of instances i in [first_slice,
   first_slice + slice_count) to every instance j, and writes them to distance[i + instances * j]. A slice is one i. Slices
   are equal work and write only elements of their own. */
void lessons_reference(const void *input, size_t first_slice, size_t slice_count, void *distance);

WL_C_END
