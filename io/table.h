/* Tables of small whole numbers: tab-separated text, plain or gzip. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "io/bytes.h"

typedef struct {
    size_t rows, columns; // both at least 1
    uint8_t *values;      // [rows][columns]
    char **names;         // [rows]: the first column where it holds words, else NULL
    int maximum;          // the largest value
} wl_table;

/* Read a table whose values are whole numbers in 0..highest (highest <= 255), every row as wide as
   the first. The caller closes `bytes`.

   A first line of words only is a header row and is passed over; its first field may be anything,
   empty or (as R writes tables) left out where the rows have names. Rows have names when the first
   row below the header begins with a word, and then all must. A word is what cannot be read as a
   number of any kind. So "1.5", "-1" and "1e3" are no names, and neither are an empty field,
   "NA", "NaN", "." and "?", which are missing values. None of them turns a row of data into a
   header. Names may be numbers, too, where the header's first field is empty, left out or says what
   they are ("id", "sample", "FILE", "isolate", ...). A line that begins with such a word is a header
   whatever follows.

   Windows line ends, a missing last newline, a byte-order mark and blank lines at the end are
   accepted; everything else fails with WL_BAD_INPUT and a line naming the file, line and column
   (field, from 1). On success free with wl_table_free; on failure there is nothing to free. */
wl_status wl_table_read_bytes(wl_bytes *bytes, int highest, wl_table *table);
void wl_table_free(wl_table *table);

/* A table of any values, row by row, the header and the names found as above; memory for one row only. Texts are valid
   until the taker returns. Unless that is WL_OK, reading ends with what it returned. */
typedef struct {
    const char *text; // not zero-terminated
    size_t length;
} wl_table_field;
typedef struct {
    const char *value; // what error lines expect of a field, "a whole number from 0 to 9"
    int has_names;     // the first column has names, whatever they look like
} wl_table_reading;
typedef struct {
    const char *corner;           // the header's first field; NULL: there is no header
    size_t line;                  // from 1
    wl_table_field name;          // text NULL where rows have no names
    const wl_table_field *values; // [columns]
    size_t columns;               // at least 1, the same for every row
} wl_table_row;
typedef wl_status wl_table_taker(void *context, const wl_table_row *row);
wl_status wl_table_each(wl_bytes *bytes, const wl_table_reading *reading, wl_table_taker *take, void *context);

/* Whether a field says that there is no value: empty, NA, N/A, NaN, nan, NULL, null, '.', '?', '-'. */
int wl_table_is_missing(wl_table_field field);
