/* What commands tell people on standard error, beside the data: notes, and on a terminal how far they are. */
#pragma once

#include <stdarg.h>

#include "cli/command.h"
#include "harness/base/text.h"
#include "io/left_out.h"

/* "warpladder search: note: ...", a line for each line of the text, unless --quiet was given. */
void wl_note(const wl_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of a command of that name, --quiet or not. */
void wl_note_list(const char *command, const char *format, va_list arguments);

/* A note with the number of the records of `path` that were left out, if any were. */
void wl_note_left_out(const wl_args *args, const char *path, const wl_left_out *left_out);

/* True when progress may be shown: standard error is a terminal and --quiet was not given. */
int wl_shows_progress(const wl_args *args);

/* A line that is written over. */
typedef struct {
    int shows;         // else nothing is
    const char *phase; // of wl_progress_share
    double shown;
} wl_progress;

/* Where standard error is a terminal and --quiet was not given; and where the data go to standard output, that is none. */
wl_progress wl_progress_begin(const wl_args *args, int data_to_stdout, const char *phase);
/* "reading a.fasta"; "" clears the line. */
void wl_progress_show(const wl_progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "scanning: 12.5 %, 3 s left", at most five times a second. `progress`: a wl_progress. */
void wl_progress_phase(void *progress, const char *phase, double done, double seconds);
void wl_progress_share(void *progress, double done, double seconds);
