/* One alignment of two sequences with its path: for the hits that are reported. */
#ifndef SW_ALIGN_H
#define SW_ALIGN_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "sw/scoring/scoring.h"

typedef struct {
    int score;
    uint32_t query_first, query_last;     // from 0, both included
    uint32_t subject_first, subject_last; // the same
    uint32_t columns;                     // of the alignment
    char *operations; // [columns + 1] 'M' a pair, 'I' a query residue against a gap, 'D' a subject's; a string
    uint32_t identities, positives, mismatches, gap_openings, gap_residues;
} sw_alignment;

/* The best local alignment; among equals the one that BLAST reports where that is defined (documented in align.c).
   Memory grows with the alignment's lengths, not with their product. query [m], subject [n]: codes. The result's
   score is recomputed along the path and equals the recurrence's; score 0 has no columns. On success free with
   sw_alignment_free; WL_NO_MACHINE when memory is short. */
wl_status sw_align(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                   sw_alignment *alignment);
void sw_alignment_free(sw_alignment *alignment);

/* The same with its memory as a parameter: the result does not depend on it. */
wl_status sw_align_with(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                        size_t direct, sw_alignment *alignment);
#endif
