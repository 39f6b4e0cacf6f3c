/* Packed files that zlib does not unpack: an installed program does, through a pipe. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "harness/base/error.h"

enum { WL_PACKED_LOOK = 10 }; // bytes that tell all of them

/* "xz", "zstd" or "bzip2", which is also the program's name, by a file's first bytes; NULL: none of these. */
const char *wl_packed_by(const unsigned char *first, size_t count);
/* Whether a file that begins with this byte may be packed by one of them. */
int wl_may_be_packed_by(unsigned char first);

typedef struct {
    const char *program; // NULL: there is none
    pid_t child, feeder; // feeder: hands a pipe's bytes on to the child; 0: none
} wl_unpack_program;

/* Start `program -dc` on what is left of *file, of which the `count` bytes `first` have been read. *file becomes what the program
   writes; the file itself is closed. WL_BAD_INPUT, and *file is as before, if the program is not installed. */
wl_status wl_unpack_program_start(const char *name, const char *program, const unsigned char *first, size_t count,
                                  int *file, wl_unpack_program *started);
/* At the end of what the program wrote: WL_BAD_INPUT if it failed, as it does on damaged data. */
wl_status wl_unpack_program_check(const char *name, wl_unpack_program *started);
/* After its output has been closed. */
void wl_unpack_program_end(wl_unpack_program *started);
