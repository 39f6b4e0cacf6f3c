/* io/alignment's part for PHYLIP files. */
#ifndef WL_IO_PHYLIP_H
#define WL_IO_PHYLIP_H

#include "io/alignment.h"

/* Read text [size], a zero behind it, as wl_alignment_read says for `format`, which is not FASTA; names are not compared.
   `path` is for error lines. Each row is one block of memory, row.letters. */
wl_status wl_phylip_read(const char *path, const char *text, size_t size, wl_alignment_format format,
                         wl_alignment *alignment);

#endif
