/* Text files that are read whole. */
#ifndef WL_TEXT_H
#define WL_TEXT_H

#include "harness/base/error.h"

/* The text of a file, ending with 0, which it may not have in it; WL_BAD_INPUT where there is none. An empty file is "". The caller frees
   *text, which is NULL after a failure. */
wl_status wl_text_read(const char *path, char **text);

/* The next tab-separated field of *at, without the quotes around it; *at moves on to the next, or becomes NULL. The text is changed. */
char *wl_text_field(char **at);

#endif
