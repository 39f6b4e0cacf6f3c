/* What `align-reads` writes: the alignment with the reads in it, and a table of where each read belongs. */
#ifndef PAPARA_ALIGN_WRITE_H
#define PAPARA_ALIGN_WRITE_H

#include <stdio.h>

#include "papara/align/align.h"

enum { PAPARA_ROWS_REFERENCE = 1, PAPARA_ROWS_READS = 2 };

/* Where columns go when insertions are kept: new ones come before old ones, `before` [sites + 1] of them before
   each, and behind the last. Without insertions all are 0. */
typedef struct {
    uint32_t *before;
    size_t *place; // [sites + 1]: of each old column in the new alignment; of `sites`, the number of columns in all
    size_t columns, added;
} papara_layout;

/* Letters that the reads have more than there are sites go right behind the letter before; those before a read's
   first site right before it; those of a read without any site to the front. Where several reads have such letters
   at one place they share its columns, from the left. On success free with papara_layout_free. */
wl_status papara_layout_make(const papara_data *data, const papara_aligned *aligned, int keep_insertions,
                             papara_layout *layout);
void papara_layout_free(papara_layout *layout);

/* One row of the new alignment: of the reference, or behind all of those of a read. letters [layout->columns] */
void papara_layout_row(const papara_data *data, const papara_aligned *aligned, const papara_layout *layout, size_t row,
                       char *letters);

/* Write rows of the reference first and then of the reads, or those alone. Letters are as the files have them.
   Without kept insertions they are left out. WL_NO_MACHINE: no memory for a row. */
wl_status papara_write_alignment(FILE *stream, wl_alignment_format format, int rows, const papara_data *data,
                                 const papara_aligned *aligned, const papara_layout *layout);

/* Tab-separated, a line a read under one line of names. Columns of the reference count from 1. */
void papara_write_table(FILE *stream, const papara_data *data, const papara_aligned *aligned);

/* The reads that are left out as FASTA, as the file has them but for gaps; the comment says why. */
void papara_write_left(FILE *stream, const papara_data *data);

/* Each read's best edge as a .jplace file (papara/align/jplace.c): the parsimony score, and 1 for the share of likelihood that it
   would have; half the edge's length for where it is. `invocation` is the command line. WL_NO_MACHINE: no memory for the tree. */
wl_status papara_write_jplace(FILE *stream, const papara_data *data, const papara_aligned *aligned,
                              const char *invocation);
#endif
