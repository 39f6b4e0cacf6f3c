/* Text files that are read whole, and words of a text. */
#ifndef HARNESS_BASE_TEXT_H
#define HARNESS_BASE_TEXT_H

#include <stddef.h>

#include "harness/base/error.h"

/* The text of a file, ending with 0, which it may not have in it; WL_BAD_INPUT where there is none. An empty file is "". The caller frees
   *text, which is NULL after a failure. */
wl_status wl_text_read(const char *path, char **text);

/* The next tab-separated field of *at, without the quotes around it; *at moves on to the next, or becomes NULL. The text is changed. */
char *wl_text_field(char **at);

/* "" or "s". */
const char *wl_plural(size_t count);
/* "standard input" of "-". */
const char *wl_path_shown(const char *path);

/* Is `word` a misspelt `name`, upper and lower case alike, closer than *distance? Then that is set. Begin with SIZE_MAX. */
int wl_is_closer(const char *word, const char *name, size_t *distance);

#endif
