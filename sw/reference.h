/* The recurrence of sw/problem.h, serial, in 32 bits: the only oracle of the checks. */
#ifndef SW_REFERENCE_H
#define SW_REFERENCE_H

#include <stddef.h>

#include "sw/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slices of equal work: slice s holds the database's sequences s, s + slices, s + 2 slices ..., against all queries. */
size_t sw_slices(const sw_input *input);
void sw_reference(const sw_input *input, size_t first_slice, size_t slice_count, int *score);
/* The same code compiled without optimisation (-O0). */
void sw_reference_o0(const sw_input *input, size_t first_slice, size_t slice_count, int *score);

#ifdef __cplusplus
}
#endif
#endif
