/* What every command's line has in common: options, --help, one-line errors. Built on argp. */
#pragma once

#include "cli/command.h"

/* For wl_command.call: read a line. `*finished` is set when there is nothing left to do: --help was answered, or the line is wrong.
   Otherwise free with wl_args_free. */
wl_status wl_args_read(const wl_command *command, int argc, char **argv, wl_args *args, int *finished);
void wl_args_free(wl_args *args);

/* --threads, a whole number from 1 to 4096, for the CPU's variants; the simulated device takes no more from then on. Not given:
   *threads stays as it is. */
wl_status wl_argument_threads(const wl_arguments *arguments, int *threads);
/* For a program whose processes share a machine: what it sets *threads to where --threads is not given. */
void wl_threads_unless_given(int threads);
#define WL_OPTION_THREADS \
    { "threads", "N", NULL, "threads of the CPU and of the simulated device (default: all that this process may use)" }

/* Bad records of an input file: see io/left_out.h. */
#define WL_OPTION_SKIP_BAD                                                                                           \
    {                                                                                                                \
        "skip-bad", NULL, NULL,                                                                                      \
            "leave out records that are empty, have no name, or have an unexpected letter, with a note, instead of " \
            "refusing the file"                                                                                      \
    }
