/* Text as JSON has it. */
#ifndef WL_IO_JSON_H
#define WL_IO_JSON_H

#include <stdio.h>

/* `text` in double quotes: a quote or backslash with a backslash before it, control characters as \u00XX. JSON is UTF-8, and a
   byte that is not becomes the replacement character. */
void wl_json_text(FILE *stream, const char *text);

#endif
