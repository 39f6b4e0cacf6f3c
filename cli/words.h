/* What the words of a line mean: a problem, its variants, and the line as it could be typed again. */
#pragma once

#include "cli/command.h"

/* The problem that a word, "lessons" or "lessons/03*", names; NULL when it is none. */
const wl_problem *wl_line_problem(const char *word);

/* line->problem and line->pattern of its words. WL_BAD_USAGE when they name no problem, no variant, or two problems. */
wl_status wl_line_fill_pattern(wl_line *line);

/* The line as it could be typed again, with what of the environment changes a CPU variant. The caller frees it; NULL when memory is
   short. */
char *wl_line_text(int argc, char **argv);

/* --seed; anything but a whole number is WL_BAD_USAGE. */
wl_status wl_line_seed(const char *text, uint64_t *seed);
