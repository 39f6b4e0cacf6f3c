/* Multiple sequence alignments: rows of equal length, from PHYLIP or FASTA files and into them. */
#ifndef WL_IO_ALIGNMENT_H
#define WL_IO_ALIGNMENT_H

#include <stddef.h>
#include <stdio.h>

#include "harness/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    WL_ALIGNMENT_AUTO,         // by the file's first byte and, for PHYLIP, by what fits
    WL_ALIGNMENT_FASTA,        // io/sequences.h
    WL_ALIGNMENT_PHYLIP,       // relaxed: the name ends at white space; sequential or interleaved, whichever fits
    WL_ALIGNMENT_PHYLIP_STRICT // the name is the first ten characters, blanks and all (trimmed at the ends)
} wl_alignment_format;

typedef struct {
    char *name;    // never empty
    char *letters; // [columns], NUL-terminated, as in the file
    size_t line;   // of the file, from 1, where the row begins
} wl_alignment_row;

typedef struct {
    wl_alignment_row *rows; // [count]
    size_t count, columns;  // at least 1 each
} wl_alignment;

/* Read `path` ("-": standard input; gzip or plain). A PHYLIP file is tried as relaxed sequential, relaxed interleaved, strict
   sequential, strict interleaved, and the first reading is taken that gives the header's counts exactly. Where none does the
   error line says what is wrong with the one that came furthest: file, line, name, what was found, what was expected.
   WL_BAD_INPUT also: rows of unequal length, a name twice, a name missing, counts of 0 or beyond the file, text behind the
   last row. Letters are any printable characters but white space; what they mean is the caller's business.
   On success free with wl_alignment_free. */
wl_status wl_alignment_read(const char *path, wl_alignment_format format, wl_alignment *alignment);
void wl_alignment_free(wl_alignment *alignment);

/* Write row by row. PHYLIP is relaxed and sequential: "count columns", then "name letters", a row a line. The caller has seen to
   it that names have no white space where the format is PHYLIP. */
void wl_alignment_write_header(FILE *stream, wl_alignment_format format, size_t count, size_t columns);
void wl_alignment_write_row(FILE *stream, wl_alignment_format format, const char *name, const char *letters,
                            size_t columns);

#ifdef __cplusplus
}
#endif
#endif
