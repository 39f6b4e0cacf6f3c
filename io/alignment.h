/* Multiple sequence alignments: rows of equal length, from PHYLIP, FASTA or NEXUS files, and into the first two. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "io/bytes.h"

typedef enum {
    WL_ALIGNMENT_AUTO,          // by the file's first byte and, for PHYLIP, by what fits
    WL_ALIGNMENT_FASTA,         // io/fasta.h
    WL_ALIGNMENT_PHYLIP,        // relaxed: the name ends at white space; sequential or interleaved, whichever fits
    WL_ALIGNMENT_PHYLIP_STRICT, // the name is the first ten characters, blanks inside and all
    WL_ALIGNMENT_NEXUS          // the matrix of a DATA or CHARACTERS block
} wl_alignment_format;

typedef struct {
    char *name;    // never empty
    char *letters; // [columns], NUL-terminated, as in the file
    size_t line;   // of the file, from 1, where the row begins
} wl_alignment_row;

/* What a NEXUS file says of its letters. */
typedef enum { WL_LETTERS_UNSAID, WL_LETTERS_NUCLEOTIDES, WL_LETTERS_AMINO_ACIDS } wl_alignment_letters;

typedef struct {
    wl_alignment_row *rows; // [count]
    size_t count, columns;  // at least 1 each
    wl_alignment_letters letters;
} wl_alignment;

/* Read `path` ("-": standard input; gzip or plain). With WL_ALIGNMENT_AUTO '>' or '@' begins a
   FASTA or FASTQ file, a digit a PHYLIP file, '#' a NEXUS file.

   A PHYLIP file begins with two counts, rows and columns; "I" or "interleaved", "S" or "sequential"
   may follow. It is tried as relaxed sequential, relaxed interleaved, strict sequential, strict
   interleaved (those that `format` and the header leave), and the first reading is taken that gives
   the counts exactly. Where sequential and interleaved both do and differ, the one is taken that
   has blank lines only between rows (sequential) or blocks (interleaved); where that does not tell
   them apart the file is refused. Where no reading gives the counts, the error line is about the
   relaxed one that came furthest; what stopped the other kinds is added where they came to other
   lines (strict ones: further).

   Blank lines, indentation, blanks among letters, tabs, blanks at line ends, Windows line ends, a
   byte-order mark and a missing last line end change nothing else. In sequential files a name may
   stand alone in its line. A strict name is ten bytes, or those before a tab, and may have blanks
   inside. In interleaved files a block adds equally many letters, at least one, to each row; blocks
   after the first may repeat the names if all of them do.

   A NEXUS file's matrix may be DNA, RNA, NUCLEOTIDE, PROTEIN, or not said; interleaved or not. Its
   letters stay as in the file, with these exceptions: GAP becomes '-', MISSING '?', and MATCHCHAR
   the first row's letter. Symbols that EQUATE explains are replaced, and sets in braces or
   parentheses become their ambiguity code. Names may be quoted, comments are anywhere. Where rows
   are not interleaved a line may have several whole ones. Refused: other data types, TRANSPOSE,
   TOKENS, LABELS, ELIMINATE, a set without a code, more than one matrix. What other blocks and
   commands say (SETS, ASSUMPTIONS) is not applied.

   WL_BAD_INPUT: one line with the file, line and name, what was found and what was expected.
   Refused are rows of unequal length, more or fewer rows or letters than stated, and names that are
   missing or occur twice. Counts of 0, negative or beyond the file, other words after the counts,
   and text after the last row (a second alignment) are refused, too. So are control characters, and
   all that io/fasta.h refuses in FASTA.
   Letters of PHYLIP are any printable ASCII characters but white space (in FASTA those of
   io/fasta.h); what they mean is the caller's business. WL_NO_MACHINE: memory is short. On
   success free with wl_alignment_free; else nothing is to be freed. */
wl_status wl_alignment_read(const char *path, wl_alignment_format format, wl_alignment *alignment);
/* The same from a file already open, whose names are not compared. The caller closes `bytes`. */
wl_status wl_alignment_read_bytes(wl_bytes *bytes, wl_alignment_format format, wl_alignment *alignment);
void wl_alignment_free(wl_alignment *alignment);

/* Write row by row, a row's letters in one line. WL_ALIGNMENT_FASTA is FASTA, and any other format relaxed sequential
   PHYLIP: "count columns", then "name letters". The caller has seen to it that names have no white space, and looks for
   errors of the stream (harness/base/outfile.h does). */
void wl_alignment_write_header(FILE *stream, wl_alignment_format format, size_t count, size_t columns);
void wl_alignment_write_row(FILE *stream, wl_alignment_format format, const char *name, const char *letters,
                            size_t columns);
