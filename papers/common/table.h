/* Paper tables: published figures, kept as result files under plots/papers/ and read when asked for. */
#pragma once

#include "harness/bench/result_file.h"
#include "papers/common/rows.h"

/* Its columns and rows are those of the file, its header lines the facts. */
typedef wl_result_file wl_paper;

/* Read plots/papers/<name>.tsv. WL_BAD_INPUT and a line that names the file and line when it is missing or malformed, or has no rows; then
   there is nothing to free. Free with wl_result_file_free. */
wl_status wl_paper_read(const char *name, wl_paper *paper);
/* WL_BAD_INPUT unless it has a header line of each of `keys`, which end with NULL. */
wl_status wl_paper_require(const wl_paper *paper, const char *const *keys);

/* A header value, NULL when there is none; as a number, NaN when it is none. */
const char *wl_paper_header(const wl_paper *paper, const char *key);
double wl_paper_header_number(const wl_paper *paper, const char *key);

/* The row whose cell in `column` is `text`; `rows` when there is none. */
size_t wl_paper_row(const wl_paper *paper, const char *column, const char *text);
/* A cell; NULL when there is no such row or column. As a number, NaN for NA. */
const char *wl_paper_text(const wl_paper *paper, size_t row, const char *column);
double wl_paper_number(const wl_paper *paper, size_t row, const char *column);

/* All rows and columns of a wl_paper; `table`, unless it is 0, goes before them as the field of that name. */
wl_rows_of wl_paper_rows;
