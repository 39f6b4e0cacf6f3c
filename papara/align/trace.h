/* The alignment phase: where a read's letters go on the sites of the vector that it fits best. */
#ifndef PAPARA_TRACE_H
#define PAPARA_TRACE_H

#include "papara/problem.h"

/* Of alignments with the least score, the one that ends at the lowest site, and from there back takes, where several moves
   cost the same: the diagonal, then the skipped site (closing the gap as soon as that costs no more), then the insertion.

   site [n] is one vector, codes [m] one read, 1 <= m <= n. column [m]: for each letter its site, 0 .. n - 1, strictly increasing
   over letters that have one; or, for an inserted letter, -1. Memory: a byte a cell, up to PAPARA_TRACE_MEMORY, beyond which the
   rows are computed in stretches, and twice; then 4 sqrt(m) (n - m + 1) bytes if that is more. WL_NO_MACHINE when there is
   not enough. */
#define PAPARA_TRACE_MEMORY ((size_t)32 << 20)
wl_status papara_trace(const papara_input *input, const uint32_t *site, const uint8_t *codes, uint32_t m,
                       int32_t *column, int *score);

/* The same with another limit than PAPARA_TRACE_MEMORY: the result does not depend on it. */
wl_status papara_trace_within(const papara_input *input, const uint32_t *site, const uint8_t *codes, uint32_t m,
                              size_t memory, int32_t *column, int *score);

/* What an alignment costs by equation 1: independent of the recurrence, for checks. Sites skipped before the first letter that
   has a site and after the last are free (the read begins and ends anywhere); m letters as in papara_trace. Where inserted
   letters stand among skipped sites the columns do not say: the least of what they can cost. -1: columns that are no
   alignment; PAPARA_NO_MEMORY: that. */
enum { PAPARA_NO_MEMORY = -2 };
int64_t papara_alignment_cost(const papara_input *input, const uint32_t *site, const uint8_t *codes, uint32_t m,
                              const int32_t *column);
#endif
