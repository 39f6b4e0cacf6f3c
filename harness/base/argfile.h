/* The words of a command line before its options are read: @FILE stands for the words in FILE, and another program's option names for ours. */
#pragma once

#include "harness/base/error.h"

/* An option of another program, which begins with one '-'. */
typedef struct {
    const char *name;  // "max_target_seqs"
    int takes_value;   // the next word, or what follows a '='
    const char *value; // this row is about that value only; NULL: about any other
    const char *
        words; /* what stands for it, '\n' between words and "%s" its value; "": nothing, since it asks for what is done
                          anyway; NULL: nothing, and a note says that it has no meaning here */
} wl_foreign;

typedef struct {
    int argc;
    char **argv;   // [argc + 1], NULL at the end
    char *ignored; // "-word_size, -seg": what has no meaning here; NULL: none
    char **own;    // [own_count]: memory of words
    int own_count;
} wl_argfile;

/* foreign: rows up to a zero entry; NULL: none. Words after "--" stay as they are. A list file that cannot be read is WL_BAD_INPUT, and one
   with a quote that is not closed. Free with wl_argfile_free in either case. */
wl_status wl_argfile_read(const wl_foreign *foreign, int argc, char **argv, wl_argfile *argfile);
void wl_argfile_free(wl_argfile *argfile);

/* The words as they could be typed again, the first one as it is, with what of the environment changes a CPU variant. The caller frees
   the text; NULL when memory is short. */
char *wl_argfile_line(int argc, char **argv);
