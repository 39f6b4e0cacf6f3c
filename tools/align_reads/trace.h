/* The alignment phase: puts a read's letters on the sites of the vector that it fits best. */
#pragma once

#include "papara/problem.h"

/* If several alignments have the lowest score, it finds the one that ends at the lowest site. On the way back, if several steps cost the
   same, it prefers the diagonal, then the skipped site (ending the gap as soon as that costs no more), then the insertion.

   site [n] is one vector, codes [m] one read, 1 <= m <= n. column [m]: each letter's site, 0 .. n - 1, strictly increasing, or -1 for
   an inserted letter. Memory: one byte per cell, up to PAPARA_TRACE_MEMORY. Larger matrices are computed in stretches, and twice, in
   PAPARA_TRACE_MEMORY or 4 sqrt(m) (n - m + 1) bytes, whichever is more. WL_NO_MACHINE: not enough memory. */
#define PAPARA_TRACE_MEMORY ((size_t)32 << 20)
/* most: the score, if it is known, else PAPARA_INFINITE. Cells that cost more are left out, so a small `most` saves nearly all work.
   If every alignment costs more, the score is PAPARA_INFINITE, and the columns are not written. */
wl_status papara_trace(const papara_input *input, const uint32_t *site, const uint8_t *codes, uint32_t m, int most,
                       int32_t *column, int *score);

/* The same with another limit than PAPARA_TRACE_MEMORY. The result does not depend on it. */
wl_status papara_trace_within(const papara_input *input, const uint32_t *site, const uint8_t *codes, uint32_t m,
                              int most, size_t memory, int32_t *column, int *score);

/* The cost of an alignment by equation 1, independent of the recurrence, for checks. Arguments as in papara_trace. Sites before the
   first letter on a site and after the last one are free, because a read begins and ends anywhere. The columns do not say where inserted
   letters stand among skipped sites, so the lowest possible cost counts. -1: the columns are no alignment; PAPARA_NO_MEMORY. */
enum { PAPARA_NO_MEMORY = -2 };
int64_t papara_alignment_cost(const papara_input *input, const uint32_t *site, const uint8_t *codes, uint32_t m,
                              const int32_t *column);
