/* A command from its words to its exit code. */
#pragma once

#include "cli/args.h"

/* Runs a command: argv[0] is "warpladder list". Returns the program's exit code; what went wrong has been said on standard error by
   then. */
int wl_command_call(const wl_command *command, int argc, char **argv);

/* After success: a note for each option that was given by its former name, one for those that have no meaning here, and what --timings
   prints. wl_command_call does it. */
void wl_tell_end(const wl_args *args);

/* The end of every command: says wl_error() on standard error unless `status` is WL_OK, finds out whether everything
   written to standard output arrived, and returns the exit code. */
int wl_finish(const wl_command *command, wl_status status);
