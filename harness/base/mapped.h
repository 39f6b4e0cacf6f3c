/* Files that are read through a mapping: databases, parts. If one gets shorter meanwhile, the kernel ends the program by SIGBUS. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "harness/base/error.h"

typedef struct wl_mapped {
    void *memory; // [bytes], to be read
    size_t bytes;
    char *name;
    dev_t device; // with which the file has its number
    ino_t number;
    struct wl_mapped *before, *after; // in the list of all
} wl_mapped;

/* Maps an open file, which the caller may close. */
wl_status wl_mapped_open(const char *name, int file, wl_mapped **mapped);
void wl_mapped_close(wl_mapped *mapped); // may be NULL
/* Whether all mapped files are as long as they were: a page of which a piece has been cut off reads as zeros. WL_BAD_INPUT with the name of one
   that is not. wl_outfile_commit asks before any output gets its name. */
wl_status wl_mapped_whole(void);

/* For main: instead, the program calls `at_end`, says in one line which file it was, and exits with WL_BAD_INPUT. A library leaves
   signals to its program. */
void wl_mapped_on_fault(void (*at_end)(void));
