/* The outputs of `align-reads`: the alignment with the reads in it, the table, left-out reads, and the .jplace file. */
#pragma once

#include <stdio.h>

#include "tools/align_reads/align.h"

enum { PAPARA_ROWS_REFERENCE = 1, PAPARA_ROWS_READS = 2 };

/* Where columns go if insertions are kept: before each old column, and after the last, there are `before` [sites + 1] new ones. Without
   insertions all are 0. */
typedef struct {
    uint32_t *before;
    size_t *place; // [sites + 1]: the place of each old column in the new alignment; last, the number of all columns
    size_t columns, added;
} papara_layout;

/* An inserted letter goes right after the letter before it; before a read's first site, right before that site; in a read without any
   site, to the front. If several reads have such letters at one place, they share its columns, from the left. On success free with
   papara_layout_free. */
wl_status papara_layout_make(const papara_data *data, const papara_aligned *aligned, int keep_insertions,
                             papara_layout *layout);
void papara_layout_free(papara_layout *layout);

/* One row of the new alignment. Rows of the reference come first, then those of the reads. letters [layout->columns] */
void papara_layout_row(const papara_data *data, const papara_aligned *aligned, const papara_layout *layout, size_t row,
                       char *letters);

/* Writes the rows of the reference, of the reads, or both, with letters as in the files. Inserted letters are left out unless they are
   kept. WL_NO_MACHINE: no memory for a row. */
wl_status papara_write_alignment(FILE *stream, wl_alignment_format format, int rows, const papara_data *data,
                                 const papara_aligned *aligned, const papara_layout *layout);

/* Tab-separated, one line per read after a line of names. Columns of the reference count from 1. */
void papara_write_table(FILE *stream, const papara_data *data, const papara_aligned *aligned);

/* The reads that are left out, as FASTA, without gaps; the comment says why. */
void papara_write_left(FILE *stream, const papara_data *data);

/* Each read's best edge as a .jplace file (tools/align_reads/jplace.c), with the parsimony score, a likelihood weight of 1, and the
   middle of the edge as the place. `invocation` is the command line. WL_NO_MACHINE: no memory for the tree. */
wl_status papara_write_jplace(FILE *stream, const papara_data *data, const papara_aligned *aligned,
                              const char *invocation);
