/* Rows of a reproduction. A row's fields are listed once, and the same list becomes a line of the table for people, a line of a result
   file and an object of JSON. */
#pragma once

#include "harness/base/grid.h"
#include "harness/base/record.h"

/* Where rows go: exactly one of both. */
typedef struct {
    wl_grid *grid;     // for people
    wl_record *record; // for programs: a file or JSON
    int is_open;       // a row is under way
    int is_beside;     // and the rows that come next belong to its line
} wl_rows;

/* Fields that people see, in a column with this head (see wl_grid_put; NULL: not in this table), beside WL_TEXT, WL_COUNT and WL_NUMBER,
   which only programs see. name: NULL if only people see the field. A text that is NULL, and a number that is not finite, is empty. A
   number has three digits as of wl_grid_number, two where CPU code was timed, whose times scatter, or the format of WL_AS. */
#define WL_SHOW_TEXT(name, head, text) \
    { (name), (text), NULL, 0, (head), NULL }
#define WL_SHOW_COUNT(name, head, count) \
    { (name), NULL, wl_record_count, (double)(count), (head), NULL }
#define WL_SHOW_WHOLE(name, head, count) \
    { (name), NULL, wl_record_count, (double)(count), (head), "%.0f" } // without separators
#define WL_SHOW(name, head, number) \
    { (name), NULL, wl_record_number, (number), (head), NULL }
extern const char wl_two_digits[];
#define WL_SHOW_OF(is_cpu, name, head, number) WL_AS((is_cpu) ? wl_two_digits : NULL, name, head, number)
#define WL_AS(format, name, head, number) \
    { (name), NULL, wl_record_number, (number), (head), (format) }

/* Several fields; wl_rows_row ends the row after them. */
#define wl_rows_put(rows, ...) wl_rows_fields((rows), 0, WL_FIELDS(__VA_ARGS__))
#define wl_rows_row(rows, ...) wl_rows_fields((rows), 1, WL_FIELDS(__VA_ARGS__))
#define wl_rows_end(rows) wl_rows_fields((rows), 1, NULL, 0)
void wl_rows_fields(wl_rows *rows, int ends, const wl_field *fields, size_t count);
/* A table for people can have rows side by side. wl_rows_line begins a line with these fields, and all rows up to the next line follow in
   it. Their heads differ, and they come in the same order in each line. */
#define wl_rows_line(rows, ...) wl_rows_begin_line((rows), WL_FIELDS(__VA_ARGS__))
void wl_rows_begin_line(wl_rows *rows, const wl_field *fields, size_t count);

/* All rows of one of a run's tables. */
typedef void wl_rows_of(wl_rows *rows, const void *run, int table);
/* As lines of a file, names first. */
void wl_rows_file(FILE *stream, wl_rows_of *rows, const void *run, int table);
/* As `, "name": [...]` within an object of JSON. */
void wl_rows_json(FILE *stream, const char *name, wl_rows_of *rows, const void *run, int table);
/* For people, with `left` columns aligned left. */
void wl_rows_print(FILE *stream, size_t left, wl_rows_of *rows, const void *run, int table);
