/* Text files that are read whole, text that grows, and words of a text. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/error.h"

/* The text of a file, ending with 0, which it may not have in it; WL_BAD_INPUT where there is none. An empty file is "". The caller frees
   *text, which is NULL after a failure. */
wl_status wl_text_read(const char *path, char **text);

/* The next tab-separated field of *at, without the quotes around it; *at moves on to the next, or becomes NULL. The text is changed. */
char *wl_text_field(char **at);

/* The decimal number at `text`, "-1.5e-3", and where it ends; no number is NaN, and ends where it begins. strtod also takes blanks, "inf",
   "nan" and "0x1p3". */
double wl_decimal(const char *text, const char **end);

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

/* --- Text that anybody may have written: names, paths, result files, words of other programs --------------------- */

/* Writes one character, a control character as \xHH for each of its bytes. Returns how many bytes it took. */
size_t wl_put_character(FILE *stream, const char *at);
/* Writes the text so. Those in `kept` ("\n\t") are written as they are. */
void wl_put_shown(FILE *stream, const char *text, const char *kept);
/* Writes text [length], which ends with a 0, for a field or a line of a table: a blank for each control character. */
void wl_put_plain(FILE *stream, const char *text, size_t length);
/* printf of lines with such text in them. */
void wl_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts `with` in place of each byte of control characters in text [length], which ends with a 0. Those below U+0080 that are in `kept`
   stay; NULL: all of them. */
void wl_text_calm(char *text, size_t length, const char *kept, char with);
/* A field of CSV, or of a table that a spreadsheet opens: in quotes where it has any, or a separator, and in any case if `always`. What a
   spreadsheet would compute gets an apostrophe before it. */
void wl_put_csv(FILE *stream, const char *text, int always);
/* Would a spreadsheet compute it? */
int wl_is_formula(const char *text);

/* Is `word` a misspelt `name`, upper and lower case alike, closer than *distance? Then that is set. Begin with SIZE_MAX. */
int wl_is_closer(const char *word, const char *name, size_t *distance);
