/* A stage in a folder of its own, outside the tree: `warpladder check DIR`, run DIR, explain DIR, cc DIR. */
#pragma once

#include "harness/base/error.h"

/* Is `word` a folder with a kernel.cu? */
int wl_folder_is_stage(const char *word);

/* "problem/name", the variant that the stage becomes: its problem is the first one that its kernel.cu includes a header of, as
   is_problem tells, and its name the folder's, with '_' for other characters than letters and digits. WL_BAD_INPUT: it includes no
   problem's header. The caller frees *variant. */
wl_status wl_folder_read(const char *word, int (*is_problem)(const char *name), char **variant);

/* Builds `program`, Warpladder with this stage beside the CPU's variants. `object` (NULL: none): the stage is compiled for the GPU, too,
   into this object file. */
wl_status wl_folder_build(const char *folder, const char *variant, const char *object, const char *program);

/* Builds it, with for_gpu also compiled for the GPU, and runs it with `words` (up to NULL), of which `folder` becomes `variant`. *code:
   its exit code. */
wl_status wl_folder_call(const char *folder, const char *variant, int for_gpu, const char *const *words, int *code);
