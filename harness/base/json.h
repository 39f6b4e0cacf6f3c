/* Text as JSON has it. */
#pragma once

#include <stdio.h>

/* `text` in double quotes: a quote or backslash with a backslash before it, control characters as \u00XX. JSON is UTF-8, and a
   byte that is not becomes the replacement character. */
void wl_json_text(FILE *stream, const char *text);

/* `before`, such as "\t" or ", \"gcups\": ", then the number in six digits; NaN and infinities are `none`, "NA" in a table and
   "null" in JSON, which has neither. */
void wl_put_number(FILE *stream, const char *before, double number, const char *none);

/* `before`, then the text as JSON has it (harness/base/json.h). */
void wl_put_text(FILE *stream, const char *before, const char *text);
