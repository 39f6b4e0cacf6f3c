/* A result file as it is: facts of the header, names of columns, cells. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "harness/base/error.h"

typedef struct {
    char *path, *raw; // the whole text, as read
    char *text;       // the same, taken apart; what follows points into it
    char **facts;     // [2 fact_count]: name, value. A line that is not "# name: value" has the name "note"
    size_t fact_count;
    char **cells; // [rows + 1][columns], the names first
    char *quoted; // [rows + 1][columns]: whether the cell was in quotes, which is a text even if it looks like a number
    size_t *lines; // [rows + 1]: where each stands in the file, from 1
    size_t columns, rows;
} wl_result_file;

/* WL_BAD_INPUT, with the line, for a file without columns or with a row of another length. Free in any case. */
wl_status wl_result_file_read(const char *path, wl_result_file *table);
void wl_result_file_free(wl_result_file *table);

/* Calls `take` for each result file that `path` stands for, until one is refused. A file stands for itself. A folder stands for the *.tsv
   in it and in its folders, to a depth of two, as `run --repeat` makes them, in the order of their names. WL_BAD_INPUT: there is none. */
typedef wl_status wl_result_taker(void *context, const char *path);
wl_status wl_result_files_each(const char *path, wl_result_taker *take, void *context);

/* The column's place; -1: none. */
int wl_result_column(const wl_result_file *table, const char *name);
/* A cell of row 0, 1, ...; "NA" where there is no such column. */
const char *wl_result_cell(const wl_result_file *table, size_t row, const char *column);
/* The rows as JSON lines, with the file's name before the columns: a column whose cells all are numbers or NA has numbers, any other texts;
   NA is null. WL_NO_MACHINE: no memory. */
wl_status wl_result_file_lines(FILE *stream, const wl_result_file *table);
/* The file's name without folders. */
const char *wl_result_name(const wl_result_file *table);
