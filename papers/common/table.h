/* Paper tables: published figures, kept as tab-separated text under plots/papers/ and read when asked for. */
#pragma once

#include <stddef.h>

#include "harness/base/error.h"
#include "papers/common/rows.h"

typedef struct {
    char *text; /* the file; everything else points into it */
    char *path;
    char **keys, **values; /* [header_count]: "# key: value" lines */
    size_t header_count;
    char **columns; /* [column_count]: names */
    char **cells;   /* [row_count][column_count] */
    size_t column_count, row_count;
} wl_paper;

/* Read plots/papers/<name>.tsv, or the file `path` where it is not NULL. WL_BAD_INPUT and a line that names the file
   and line when it is missing or malformed; then there is nothing to free. */
wl_status wl_paper_read(const char *name, const char *path, wl_paper *paper);
void wl_paper_free(wl_paper *paper);
/* WL_BAD_INPUT unless it has a header line of each of `keys`, which end with NULL. */
wl_status wl_paper_require(const wl_paper *paper, const char *const *keys);

/* A header value, NULL when there is none; as a number, NaN when it is none. */
const char *wl_paper_header(const wl_paper *paper, const char *key);
double wl_paper_header_number(const wl_paper *paper, const char *key);

/* The row whose cell in `column` is `text`; row_count when there is none. */
size_t wl_paper_row(const wl_paper *paper, const char *column, const char *text);
/* A cell; NULL when there is no such row or column. As a number, NaN for NA. */
const char *wl_paper_text(const wl_paper *paper, size_t row, const char *column);
double wl_paper_number(const wl_paper *paper, size_t row, const char *column);

/* All rows and columns of a wl_paper; `table`, unless it is 0, goes before them as the field of that name. */
wl_rows_of wl_paper_rows;
