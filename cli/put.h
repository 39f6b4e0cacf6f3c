/* Numbers and texts of the commands' tables and JSON objects. */
#ifndef WL_CLI_PUT_H
#define WL_CLI_PUT_H

#include <stdio.h>

/* `before`, such as "\t" or ", \"gcups\": ", then the number in six digits; NaN and infinities are `none`, "NA" in a table and
   "null" in JSON, which has neither. */
void wl_put_number(FILE *stream, const char *before, double number, const char *none);

/* `before`, then the text as JSON has it (io/json.h). */
void wl_put_text(FILE *stream, const char *before, const char *text);

#endif
