/* Substitution matrices in NCBI's text format. */
#pragma once

#include <stdint.h>

#include "harness/base/error.h"
#include "io/database/alphabet.h"

/* What a file says: [row's code][column's code], and which of them it has. */
typedef struct {
    int8_t score[SW_LETTERS][SW_LETTERS];
    char has_row[SW_LETTERS], has_column[SW_LETTERS];
} sw_table;

/* Comments ('#'), a line of column letters, then a line for each row: its letter and a score for each column. Fields are
   separated by blanks or tabs; either case; Windows line ends; the matrix need not be symmetric nor square (rows
   are the query's letters, columns the subject's). Missing letters are the caller's affair.

   WL_BAD_INPUT, with the line and, where there is one, the column, if a byte is no letter of proteins, a letter is there twice, or there
   are no rows. The same if a row has more or fewer scores than columns, or a score is no whole number from -127 to 127. */
wl_status sw_table_read(const char *path, sw_table *table);
/* The same of a text that is in memory; `name` is for error lines. */
wl_status sw_table_of_text(const char *name, const char *text, sw_table *table);
