/* Output files that are whole or absent: written under a temporary name beside the target, renamed when finished. */
#ifndef WL_IO_OUTFILE_H
#define WL_IO_OUTFILE_H

#include <stdio.h>

#include "harness/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    FILE *stream;
    char *path, *temporary;
} wl_outfile;

/* Open for writing; missing folders on the way are made. */
wl_status wl_outfile_open(const char *path, wl_outfile *file);
/* Flush, check every earlier write, rename to the final name. On failure (disk full) the temporary file is removed. */
wl_status wl_outfile_commit(wl_outfile *file);
/* Remove the temporary file. Safe after commit and on a zeroed wl_outfile. */
void wl_outfile_discard(wl_outfile *file);

#ifdef __cplusplus
}
#endif
#endif
