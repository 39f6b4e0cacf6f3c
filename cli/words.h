/* What the words of a line mean: a problem and its variants. */
#pragma once

#include "cli/command.h"

/* The problem that a word, "lessons" or "lessons/03*", names; NULL when it is none. */
const wl_problem *wl_line_problem(const char *word);

/* "problem/name" of a stage in a folder of its own (wl_folder_read). The caller frees it. */
wl_status wl_line_stage(const char *folder, char **variant);

/* line->problem and line->pattern of its words. WL_BAD_USAGE when they name no problem, no variant, or two problems. */
wl_status wl_line_fill_pattern(wl_args *args);
