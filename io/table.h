/* Tables of small whole numbers: tab-separated text, plain or gzip. */
#ifndef WL_IO_TABLE_H
#define WL_IO_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "harness/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t rows, columns;
    uint8_t *values; /* [rows][columns] */
    char **names;    /* [rows]: the first column where it is not a number, else NULL */
    int maximum;     /* the largest value */
} wl_table;

/* Read a table whose values are whole numbers in 0..highest (highest <= 255), every row as wide as the first. An
   optional header row (its first line has a field that is no number besides the row name) and an optional first
   column of row names are recognised. Windows line ends, a missing last newline, a byte-order mark and blank
   lines at the end are accepted; everything else fails with WL_BAD_INPUT and a line naming the file, line and
   column. On success free with wl_table_free; on failure there is nothing to free. */
wl_status wl_table_read(const char *path, int highest, wl_table *table);
void wl_table_free(wl_table *table);

#ifdef __cplusplus
}
#endif
#endif
