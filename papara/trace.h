/* The alignment phase: where a read's letters go on the sites of the vector that it fits best. */
#ifndef PAPARA_TRACE_H
#define PAPARA_TRACE_H

#include "papara/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of alignments with the least score, the one that ends at the lowest site, and from there back takes, where several moves
   cost the same: the diagonal, then the skipped site (closing the gap as soon as that costs no more), then the insertion.

   column [m]: for each letter its site, 0 .. n - 1, strictly increasing over letters that have one; or, for an inserted
   letter, -1. site [n] is one vector, codes [m] one read. Returns the score in *score. Memory: a byte a cell, at most
   PAPARA_TRACE_MEMORY, beyond which stretches are computed twice. WL_NO_MACHINE when there is not enough. */
wl_status papara_trace(const papara_input *input, const uint32_t *site, const uint8_t *codes, uint32_t m,
                       int32_t *column, int *score);

/* What an alignment costs by equation 1: independent of the recurrence, for checks. Sites skipped before the first letter that
   has a site and after the last are free (the read begins and ends anywhere); m letters as in papara_trace. -1: columns
   that are no alignment. */
int64_t papara_alignment_cost(const papara_input *input, const uint32_t *site, const uint8_t *codes, uint32_t m,
                              const int32_t *column);

#ifdef __cplusplus
}
#endif
#endif
