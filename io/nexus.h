/* io/alignment's and io/newick's part for NEXUS files (Maddison, Swofford & Maddison 1997). */
#ifndef WL_IO_NEXUS_H
#define WL_IO_NEXUS_H

#include "io/alignment.h"
#include "io/newick.h"

/* Does the text begin as a NEXUS file? White space may be before it. */
int wl_nexus_is(const char *text, size_t size);

/* The matrix of the DATA or CHARACTERS block of text [size], a zero behind it. `path` is for error lines. Names are not
   compared. Each row is one block of memory, row.letters. What is read and what is refused: io/alignment.h. */
wl_status wl_nexus_alignment(const char *path, const char *text, size_t size, wl_alignment *alignment);

/* The tree of that number, from 1, over all TREES blocks; 0: the only one. See io/newick.h. */
wl_status wl_nexus_tree(const char *path, const char *text, size_t size, size_t number, wl_newick *tree);

#endif
