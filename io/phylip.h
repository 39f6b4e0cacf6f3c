/* io/alignment's part for PHYLIP files. */
#pragma once

#include "io/alignment.h"

/* Read text [size], which a zero follows, as wl_alignment_read says for `format`, which is not FASTA; names are not compared.
   `path` is for error lines. Each row is one block of memory, row.letters. */
wl_status wl_phylip_read(const char *path, const char *text, size_t size, wl_alignment_format format,
                         wl_alignment *alignment);

/* --- One layout against the header's counts, which phylip.c tries one after the other (phylip_layout.c) ------------- */

typedef struct {
    int strict, interleaved, repeated; // repeated: later blocks have the names again
    const char *description;
} wl_phylip_layout;

/* Why a layout does not fit. */
typedef struct {
    const char *layout; // its description; NULL: no failure yet
    const char *at;     // how far it came
    size_t line;
    char text[280];
} wl_phylip_failure;

typedef struct {
    const char *name; // not zero-terminated
    size_t name_length, line;
    size_t letters; // up to here
} wl_phylip_row;

typedef struct {
    const char *path, *text, *end;
    size_t lines, count, columns; // of the file; the header's
    wl_phylip_layout layout;      // being tried
    wl_phylip_row *rows;          // [least of count, lines]
    wl_alignment_row *kept;       // [count], with memory for the letters; NULL while only looking
    wl_phylip_failure failure;

    const char *next;         // line
    const char *begin, *stop; // the current line
    size_t line;              // its number, from 1
    int gap;                  // blank lines are before it
    int torn;                 // blank lines are inside rows (sequential) or inside blocks (interleaved)
} wl_phylip_reader;

/* Read what follows the header as `layout`: 1, or 0 and r->failure. With r->kept, what has been read before into r->rows. */
int wl_phylip_try(wl_phylip_reader *r, const wl_phylip_layout *layout, const char *from, size_t line);

/* The next line that is not blank, without white space and '\r' at its end. At the end of the file, 0. */
int wl_phylip_next_line(wl_phylip_reader *r);
const char *wl_phylip_skip_white(const wl_phylip_reader *r, const char *from);

static inline int wl_phylip_is_white(int byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

/* How much of a word goes into an error line. */
static inline int wl_phylip_shown(size_t length) { return length < 40 ? (int)length : 40; }
