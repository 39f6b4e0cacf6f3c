/* The commands of warpladder: one file each, and those of a tool in its folder. A command registers itself, so that a program has the
   commands that were linked into it (cmake/programs.tsv). */
#pragma once

#include "cli/args.h"

void wl_register_command(const wl_command *command);
#define WL_REGISTER_COMMAND(descriptor) \
    __attribute__((constructor)) static void wl_register_this_command(void) { wl_register_command(&(descriptor)); }

/* All commands, in the order of --help. */
const wl_command *const *wl_commands(size_t *count);
/* NULL: there is none of that name in this program. */
const wl_command *wl_command_named(const char *name);
