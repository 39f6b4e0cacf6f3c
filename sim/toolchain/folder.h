/* Stages in folders of their own, outside the tree: `warpladder check DIR`, run PROBLEM DIR, explain DIR DIR, cc DIR. */
#pragma once

#include <stddef.h>

#include "harness/base/error.h"

typedef struct {
    const char *folder; // as the line has it
    char *variant;      // "problem/name", which it becomes
} wl_folder_stage;

typedef struct {
    wl_folder_stage *items; // [count]; count 0: there is none
    size_t count;
    int with_ladder; // beside the published stages of the same problem
} wl_folder_stages;

/* Is `word` a folder with a kernel.cu? */
int wl_folder_is_stage(const char *word);

/* "problem/name", the variant that the stage becomes: its problem is the first one that its kernel.cu includes a header of, as
   is_problem tells, and its name the folder's, with '_' for other characters than letters and digits. WL_BAD_INPUT: it includes no
   problem's header. WL_BAD_USAGE: a stage before it has that name. `folder` is kept; free with wl_folder_free. */
wl_status wl_folder_add(wl_folder_stages *stages, const char *folder, int (*is_problem)(const char *name));
void wl_folder_free(wl_folder_stages *stages);

/* Builds `program`, Warpladder with these stages beside the CPU's variants; with for_gpu also compiled for the GPU. */
wl_status wl_folder_build(const wl_folder_stages *stages, int for_gpu, const char *program);

/* Builds it and runs it with `words` (up to NULL), of which each stage's folder becomes its variant. *code: its exit code. */
wl_status wl_folder_call(const wl_folder_stages *stages, int for_gpu, const char *const *words, int *code);
