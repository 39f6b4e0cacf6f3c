/* Output files that are whole or absent: written under a temporary name beside the target, renamed when finished. */
#pragma once

#include <stdio.h>

#include "harness/base/error.h"

typedef struct {
    FILE *stream;
    char *path, *temporary; // temporary is NULL where the target is written directly
} wl_outfile;

/* Whether wl_outfile_open makes missing folders (as it does unless told otherwise) or refuses a path with one, which may be mistyped. For
   the files that a command line names; wl_outfile_open_making makes them in any case. */
void wl_outfile_make_folders(int makes);

/* WL_BAD_USAGE when the output `to` is the input `from` ("-": standard input): writing would replace what is read. */
wl_status wl_refuse_same_file(const char *from, const char *to);

/* Open for writing. Temporary files of processes that were killed while they wrote to the same folder are removed. A symbolic link stays one: the file it leads to is replaced,
   with the permissions it had. What is no regular file (a FIFO, /dev/null, anything under /proc) is written
   directly, and "-", /dev/stdout, /dev/stderr and /dev/fd/N are the program's own open files.
   A path that cannot be written is WL_BAD_USAGE, a full disk WL_NO_MACHINE. wl_outfile_commit or _discard frees. */
wl_status wl_outfile_open(const char *path, wl_outfile *file);
/* The same of a file whose folders are made in any case: the program's own, parts of a job array. */
wl_status wl_outfile_open_making(const char *path, wl_outfile *file);
/* The file, of which a stretch has been written, will be waited for: let the disk begin with it. */
void wl_outfile_begin_sync(FILE *stream);
/* Flush, check every earlier write, rename to the final name. On failure (disk full) the temporary file is removed, and
   what was under the final name before is still there. Nothing is left to discard in either case. */
wl_status wl_outfile_commit(wl_outfile *file);
/* Remove the temporary file. Safe after commit and on a zeroed wl_outfile. */
void wl_outfile_discard(wl_outfile *file);

/* Flush `stream`: 0 when everything ever written to it has arrived, else the errno that says why not. After a failure a line
   end may follow what did arrive. */
int wl_write_error(FILE *stream);

/* For main: SIGINT, SIGTERM, SIGHUP and SIGPIPE take the temporary files along. The last, from a pipe whose reader went away,
   ends the program without a word. One that was ignored when the program was started stays so. SIGBUS: see harness/base/mapped.h. */
void wl_outfile_on_signals(void);
/* From now on they do so without a word: for one of many processes that a launcher ends together. */
void wl_outfile_on_signals_quietly(void);
