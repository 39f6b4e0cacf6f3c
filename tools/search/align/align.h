/* One alignment of two sequences with its path: for the hits that are reported. */
#pragma once

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
/* sw_align, which keeps the way of up to `direct` cells of the matrix at once (SW_TRACE_CELLS). The result does not depend on it. */
wl_status sw_align_with(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                        size_t direct, sw_alignment *alignment);

/* Further alignments of a pair, best first: each is the best that shares no pair of residues with those before it (Waterman & Eggert
   1987), down to a score of `least`. One whose ranges of query and subject both lie within a better one's is left out, as in BLAST.
   `first`: the best; `most`: how many at most. *others: [*count], each to be freed with sw_alignment_free, and the block with free.
   WL_NO_MACHINE when memory is short. */
wl_status sw_align_others(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject,
                          uint32_t n, const sw_alignment *first, int least, size_t most, sw_alignment **others,
                          size_t *count);

/* What the alignment's path scores, column by column, and its numbers of columns, identities and so on, which are zero before. query and
   subject begin at its first residues. */
int sw_alignment_count(const sw_scoring *scoring, const uint8_t *query, const uint8_t *subject,
                       sw_alignment *alignment);

/* Threads for one pair: as many as there are, unless others align other pairs. */
int sw_align_threads(void);
/* A copy that runs backwards, for free(); NULL: no memory. */
uint8_t *sw_reversed(const uint8_t *residues, uint32_t length);
