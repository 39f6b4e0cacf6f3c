/* Ancestral state vectors of a reference alignment on its tree: parsimony states and the gap signal. */
#pragma once

#include <stdint.h>

#include "harness/base/error.h"
#include "papara/alphabet.h"
#include "tools/align_reads/tree/tree.h"

/* States are bits. The join of two vectors has the intersection of their states if it is not empty, else the union; a gap has all states.
   The gap signal of a site is gapped, open or none. A tip is gapped at its gaps. Joining: both gapped gives gapped, exactly one gapped
   gives open, otherwise none. If at least one of the two is a tip, open counts as gapped. CGAP is set where the virtual root in an
   edge's middle, the join of the vectors at its two ends, is gapped. */
typedef struct papara_ancestors papara_ancestors;

/* rows [taxa]: letters of the alignment's rows [sites], each known to papara_code. Computes, on `threads` threads (0: all), the
   vector of every node as each neighbour sees it, with one byte (DNA) or four (protein) per site. WL_NO_MACHINE: they do not
   fit. On success free with papara_ancestors_free. `tree` must outlive it. */
wl_status papara_ancestors_make(const papara_tree *tree, papara_alphabet alphabet, const char *const *rows,
                                uint32_t sites, int threads, papara_ancestors **ancestors);
void papara_ancestors_free(papara_ancestors *ancestors);

/* The vectors of the virtual roots in edges first .. first + count - 1, laid out as papara_input.site. Many threads may
   call it at a time. A papara_vector_source (tools/align_reads/score/score.h) with a papara_ancestors as its context. */
void papara_ancestors_fill(const void *ancestors, size_t first, size_t count, uint32_t *site);
