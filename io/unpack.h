/* The bytes of a file, unpacked if they are packed: what io/bytes.h reads, in one thread or ahead of it. */
#pragma once

#include <zlib.h>

#include "io/bytes.h"
#include "io/unpack_program.h"

typedef struct {
    const char *name, *expected;
    int file, watched;                 // watched: -1, or see wl_bytes_watch
    int packed, done;                  // packed: by gzip
    wl_unpack_program by;              // what unpacks the rest, if it is packed by another program
    int from_within;                   // standard input of which somebody has read a part
    unsigned char raw[WL_BYTES_CHUNK]; // as in the file
    size_t begin, end;                 // of raw: what is unread
    int raw_done;                      // the file's end has been seen
    size_t lines;                      // line ends that were unpacked so far: where an error of the packed data is

    z_stream stream;
    int in_member;    // between a member's first byte and its check sum
    gz_header header; // of the current member
    unsigned char extra[64];
    int bgzf;         // it was written by bgzip
    int member_empty; // the current member has given no byte yet
} wl_unpacker;

/* `unpacker` is all zero; the rest is as of wl_bytes_open_or_empty. */
wl_status wl_unpacker_open(const char *path, const char *expected, wl_unpacker *unpacker);
void wl_unpacker_close(wl_unpacker *unpacker);
/* Some bytes into to[*count..], [WL_BYTES_CHUNK]; none, and `done`, at the end. */
wl_status wl_unpacker_more(wl_unpacker *unpacker, unsigned char *to, size_t *count);
