/* Sequence files: FASTA or FASTQ, plain or gzip.

   Every byte is checked, so that a file is either read as its author meant it or refused with the line that is wrong. */
#pragma once

#include <stddef.h>

#include "harness/base/linkage.h"
#include "harness/base/error.h"
#include "io/bytes.h"

WL_C_BEGIN

typedef struct {
    char *name;    // up to the first white space or control-A; never empty
    char *comment; // the rest of the header line, from a control-A on where that ended the name, or ""
    char *letters; // [length], NUL-terminated; as in the file, white space left out
    size_t length; // 1..2^30; 0 only from wl_sequences_read_with_empty
    size_t line;   // number of the header's line in the (unpacked) file, from 1
    char *quality; // [length], of FASTQ, NUL-terminated, a character of Phred and 33 each; NULL: there is none
} wl_sequence;

typedef struct {
    wl_sequence *items; // [count]
    size_t count;       // at least 1, unless wl_left_out allows none
} wl_sequences;

/* Read every sequence of `path` ("-" is standard input). The numbers of
   letters and qualities of a FASTQ record are checked.

   Accepted: either case, Windows line ends, a missing last line end, a byte-order mark, blank
   lines, white space among the letters, sequences and qualities over several lines, gzip of several
   members (bgzip), any name.

   WL_BAD_INPUT, with one line that names the file and the line: the file is missing, a directory or
   empty, has no sequence, or is truncated or damaged gzip. Refused are also text before the first
   '>' or '@', a header without a name or with control characters, and a sequence without letters. A
   byte that is no letter, '-', '.', '*', '?' or white space is refused, and so are a FASTQ record
   without a '+' line or with fewer or more qualities than letters, and old Macintosh line ends.
   WL_NO_MACHINE: memory is short.
   On success the caller frees *sequences with wl_sequences_free; on failure there is nothing to
   free. */
wl_status wl_sequences_read(const char *path, wl_sequences *sequences);
/* The same, and sequences without letters are taken too. */
wl_status wl_sequences_read_with_empty(const char *path, wl_sequences *sequences);
void wl_sequences_free(wl_sequences *sequences);

/* The same from a file already open, for callers that look at its first byte. The caller closes `bytes`. With wl_bytes_leave_out
   before it, bad records are left out and counted: those without letters, without a name, and those in which a byte is refused. What
   cannot be told apart from its neighbours is still refused: a FASTQ record with fewer or more qualities than letters, for example. */
wl_status wl_sequences_read_bytes(wl_bytes *bytes, wl_sequences *sequences);

/* The same one by one, in memory for the longest: `take` gets each sequence, its texts valid until it returns. Unless
   it returns WL_OK, reading ends with what it returned. The file's end may be refused after many have been taken. */
typedef wl_status wl_sequence_taker(void *context, const wl_sequence *sequence);
wl_status wl_sequences_each(wl_bytes *bytes, wl_sequence_taker *take, void *context);
/* The same from a pipe whose other end waits for an answer to each record: `take` gets a record as soon as its end has arrived. That is
   its last quality in FASTQ. In FASTA it is the next header, the file's end or an empty line, so letters after an empty line are
   WL_BAD_INPUT. wl_bytes_at_once goes before it. */
wl_status wl_sequences_each_at_once(wl_bytes *bytes, wl_sequence_taker *take, void *context);

/* A copy, whose texts are one block: free(to->letters). False: no memory. since: see wl_memory_room. */
int wl_sequence_copy(const wl_sequence *from, size_t *since, wl_sequence *to);

/* Leave out '-' and '.', as in the rows of an alignment, in place. WL_BAD_INPUT when no letter is left. */
wl_status wl_sequence_strip(const char *path, wl_sequence *sequence);

/* Whether a sequence may have this byte: a letter, '-', '.', '*' or '?'. */
int wl_sequence_has(unsigned char byte);

/* WL_OK when all sequences have the first one's length; else WL_BAD_INPUT and a line naming the first that differs. */
wl_status wl_sequences_require_equal_lengths(const char *path, const wl_sequences *sequences);

WL_C_END
