/* What the words of a line mean: a problem and its variants. */
#pragma once

#include "cli/command.h"

/* The problem that a word, "lessons" or "lessons/03*", names; NULL when it is none. */
const wl_problem *wl_line_problem(const char *word);

/* Is there a problem of this name? For wl_folder_add. */
int wl_line_is_problem(const char *name);

/* line->problem, line->pattern and line->stages of its words. WL_BAD_USAGE when they name no problem, no variant, or two problems. */
wl_status wl_line_fill_pattern(wl_args *args);
