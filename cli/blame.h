/* What is wrong with a word that the option parser did not take. */
#ifndef WL_CLI_BLAME_H
#define WL_CLI_BLAME_H

#include "cli/options.h"

/* wl_fail for an option that argp did not take: 1; or 0, and nothing is wrong with this word. argp would say it itself, but in two
   lines and without what was expected. */
int wl_blame(const wl_reader *r, const char *word);

/* How close two spellings are: letters that are wrong, missing or too many, and neighbours that have changed places; upper and lower case are alike. Of long words the
   first 63 letters count. */
size_t wl_spelling_distance(const char *a, const char *b);

/* Is `word` a misspelt `name`, closer than *distance? Then that is set. Begin with SIZE_MAX. */
int wl_is_closer(const char *word, const char *name, size_t *distance);

#endif
