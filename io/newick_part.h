/* io/newick's part for files that have more than trees. */
#ifndef WL_IO_NEWICK_PART_H
#define WL_IO_NEWICK_PART_H

#include "io/newick.h"

/* One tree, its ';' the last of text [size], which begins in that line and column (from 1) of `path`. As wl_newick_parse. */
wl_status wl_newick_parse_part(const char *path, size_t line, size_t column, const char *text, size_t size,
                               wl_newick *tree);

#endif
