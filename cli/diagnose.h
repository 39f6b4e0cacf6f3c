/* What is wrong with a word that the option parser did not take. */
#pragma once

#include "cli/options.h"

/* wl_fail for an option that argp did not take: 1; or 0, and nothing is wrong with this word. argp would say it itself, but in two
   lines and without what was expected. */
int wl_diagnose(const wl_reader *r, const char *word);
