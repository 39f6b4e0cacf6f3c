/* The text of an input file, plain or gzip: what every reader of io/ reads through.

   Not zlib's gzread: it passes over bytes after the packed data in silence, and with them a packed file cut off
   in the header of a later member, or bgzip's missing end-of-file block. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/linkage.h"
#include "harness/base/error.h"
#include "io/left_out.h"

WL_C_BEGIN

typedef struct wl_bytes wl_bytes;

/* No chunk is longer. */
#define WL_BYTES_CHUNK 65536

/* Open `path` ("-" is standard input) and look at its first bytes: the content says whether it is gzip, not the name.
   `expected` ("FASTA or FASTQ", static storage) ends the error lines. Missing, unreadable, a directory or empty:
   WL_BAD_INPUT; packed by another program: the same, at the first read. `path` must outlive *bytes, which
   wl_bytes_close frees; on failure there is nothing to close. */
wl_status wl_bytes_open(const char *path, const char *expected, wl_bytes **bytes);
/* The same, and an empty file is one that ends at once. */
wl_status wl_bytes_open_or_empty(const char *path, const char *expected, wl_bytes **bytes);
void wl_bytes_close(wl_bytes *bytes);

/* The open file, if it is an ordinary one that is not packed and is read from its first byte on, and its size; -1 otherwise. Only
   pread may read it, which does not move the position. */
int wl_bytes_plain_file(const wl_bytes *bytes, uint64_t *size);

/* For a thread that hands on what it reads: reading fails with WL_BAD_INPUT when the other end of this socket or pipe has been
   closed, instead of waiting for bytes that nobody wants. */
void wl_bytes_watch(wl_bytes *bytes, int descriptor);

/* For a pipe whose other end waits for an answer: FASTA and FASTQ are known by their first byte, a marker or white space before it,
   so the first call hands on what is there, and waits for no more. */
void wl_bytes_at_once(wl_bytes *bytes);

/* For readers of sequences: records with the faults of *left_out are left out and counted there, instead of refused. It must outlive
   `bytes`. NULL, as at the beginning: all are refused. */
void wl_bytes_leave_out(wl_bytes *bytes, wl_left_out *left_out);
wl_left_out *wl_bytes_left_out(const wl_bytes *bytes);

/* What readers of sequences say that they expect in place of a byte that is none of a sequence's. Static text. */
void wl_bytes_expect_letters(wl_bytes *bytes, const char *letters);
const char *wl_bytes_letters(const wl_bytes *bytes);

/* What error lines call the file: its path, or "standard input". */
const char *wl_bytes_name(const wl_bytes *bytes);

/* The first byte that is no white space, which stays unread; -1 when there is none (in the first 64 KiB). A byte-order
   mark of UTF-8 at the very beginning is never seen by anybody. */
wl_status wl_bytes_first(wl_bytes *bytes, int *byte);

/* The next bytes, which stay unread: all that are in hand, at the file's beginning at least 16 where it has them. Valid
   until the next call. For formats that one byte does not tell apart. */
wl_status wl_bytes_peek(wl_bytes *bytes, const unsigned char **text, size_t *count);

/* The next bytes, valid until the next call; *count is 0 at the end of the file. Truncated or damaged gzip data is
   WL_BAD_INPUT with a line that says where. */
wl_status wl_bytes_chunk(wl_bytes *bytes, const unsigned char **chunk, size_t *count);

/* The next line without its '\n' or "\r\n", a string of `*length` bytes, valid until the next call; *line is NULL at
   the end. `*number` is the line's number, from 1. A control character other than a tab, or more than WL_BYTES_LINE
   bytes, is WL_BAD_INPUT; WL_NO_MACHINE when the line does not fit into memory. */
#define WL_BYTES_LINE ((size_t)1 << 32)
wl_status wl_bytes_line(wl_bytes *bytes, char **line, size_t *length, size_t *number);

/* All that is left, for formats that no line of which can be understood alone: a string of *size bytes (and more zeros, if the
   file has them), which the caller frees. Being at the file's end, it is whole: damaged gzip data are refused here. */
wl_status wl_bytes_all(wl_bytes *bytes, char **text, size_t *size);

/* For a reader that has just refused the text with WL_BAD_INPUT: are packed data perhaps to blame? gzip's check sum comes
   last, so a damaged file looks like wrong text first. Unpacks the rest (64 MiB of it at most); when that fails the
   error line is about the damage, else it stays as it was. Returns WL_BAD_INPUT in either case. */
wl_status wl_bytes_diagnose(wl_bytes *bytes);

/* A byte as error lines show it, into `text`: 'x', or byte 0x07 for what does not print. Returns `text`. */
const char *wl_bytes_show(int byte, char text[16]);

WL_C_END
