/* Ancestral state vectors of a reference alignment on its tree: parsimony states and the gap signal. */
#ifndef PAPARA_ANCESTORS_H
#define PAPARA_ANCESTORS_H

#include <stdint.h>

#include "harness/base/error.h"
#include "papara/alphabet.h"
#include "papara/tree/tree.h"

/* States, as bits: where two vectors are joined, the intersection if it is not empty, else the union; a gap has all.
   Gap signal: a tip is gapped at its gaps. Joining two of which at least one is a tip, open counts as gapped: both gapped
   gives gapped, one gives open, none none. Joining two inner nodes: both gapped gives gapped, exactly one gives open, else
   none. CGAP is set where the virtual root in an edge's middle, the join of its two ends' vectors, is gapped. */
typedef struct papara_ancestors papara_ancestors;

/* rows [taxa]: letters of the alignment's rows [sites], each known to papara_code. Computes, on `threads` threads (0: all), the
   vector of every node seen from each neighbour, one byte (DNA) or four (protein) a site. WL_NO_MACHINE when they do not
   fit. On success free with papara_ancestors_free. `tree` must outlive it. */
wl_status papara_ancestors_make(const papara_tree *tree, papara_alphabet alphabet, const char *const *rows,
                                uint32_t sites, int threads, papara_ancestors **ancestors);
void papara_ancestors_free(papara_ancestors *ancestors);

/* The vectors of the virtual roots in edges first .. first + count - 1, laid out as papara_input.site. Many threads may
   call it at a time. A papara_vector_source (papara/score/score.h) with a papara_ancestors as its context. */
void papara_ancestors_fill(const void *ancestors, size_t first, size_t count, uint32_t *site);
#endif
