/* A stage in a folder of its own, outside the tree: `warpladder check DIR`, run DIR, explain DIR. */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include "cli/command.h"

/* Is `word` a folder with a kernel.cu? */
int wl_folder_is_stage(const char *word);

/* The stage's problem, which is the one that its kernel.cu includes a header of, and "problem/name", the variant that it becomes: the
   folder's name, with '_' for other characters. WL_BAD_INPUT: no problem's header is included. The caller frees *variant. */
wl_status wl_folder_read(const char *word, const wl_problem **problem, char **variant);

/* Builds a program with this stage beside the CPU's variants, and lets it do the line: `folder`, a word of the line, becomes `variant`.
   *code: its exit code. Where the line names a GPU, or leaves the choice and this machine has one, the stage is compiled for it, too. */
wl_status wl_folder_call(const wl_line *line, const char *folder, const char *variant, int *code);

#endif
