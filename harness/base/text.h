/* Text files that are read whole, text that grows, and words of a text. */
#pragma once

#include <stddef.h>
#include <string.h>

#include "harness/base/error.h"

/* The text of a file, ending with 0, which it may not have in it; WL_BAD_INPUT where there is none. An empty file is "". The caller frees
   *text, which is NULL after a failure. */
wl_status wl_text_read(const char *path, char **text);

/* The next tab-separated field of *at, without the quotes around it; *at moves on to the next, or becomes NULL. The text is changed. */
char *wl_text_field(char **at);

/* A file of data as the build compiles it in (wl_texts of cmake/Objects.cmake). */
typedef struct {
    const char *name, *text;
} wl_named_text;

/* "" or "s". */
const char *wl_plural(size_t count);
/* "standard input" of "-". */
const char *wl_path_shown(const char *path);

/* Text that grows. It begins as {0}, ends with a 0 as soon as anything, even of no bytes, was added, and is freed by free(bytes). To use
   the memory again set length to 0. */
typedef struct {
    char *bytes;
    size_t length, room;
} wl_string;
/* Room for `more` bytes after the text, and a 0. False, and nothing has changed, where there is no memory. */
int wl_string_room(wl_string *text, size_t more);
static inline int wl_string_add(wl_string *text, const void *bytes, size_t count) {
    if (text->room - text->length <= count && !wl_string_room(text, count)) return 0;
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = 0;
    return 1;
}

/* Is `word` a misspelt `name`, upper and lower case alike, closer than *distance? Then that is set. Begin with SIZE_MAX. */
int wl_is_closer(const char *word, const char *name, size_t *distance);
