/* Sequence files: FASTA or FASTQ, plain or gzip, read with htslib's kseq and zlib. */
#ifndef WL_IO_SEQUENCES_H
#define WL_IO_SEQUENCES_H

#include <stddef.h>

#include "harness/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    char *name;    /* up to the first white space; never empty */
    char *comment; /* the rest of the header line, or "" */
    char *letters; /* NUL-terminated */
    size_t length;
    size_t line;   /* number of the header's line in the (unpacked) file, from 1 */
} wl_sequence;

typedef struct {
    wl_sequence *items; /* [count] */
    size_t count;
} wl_sequences;

/* Read every sequence of `path` ("-" is standard input). Fails with WL_BAD_INPUT and one line that names the file and
   the line: missing, a directory, empty, no sequence in it, truncated or damaged gzip, text before the first
   '>', a header without a name, a sequence without letters, a byte that is no letter, '-', '.', '*' or white
   space. On success the caller frees *sequences with wl_sequences_free; on failure there is nothing to free. */
wl_status wl_sequences_read(const char *path, wl_sequences *sequences);
void wl_sequences_free(wl_sequences *sequences);

/* WL_OK when all sequences have the first one's length; else WL_BAD_INPUT and a line naming the first that differs. */
wl_status wl_sequences_require_equal_lengths(const char *path, const wl_sequences *sequences);

#ifdef __cplusplus
}
#endif
#endif
