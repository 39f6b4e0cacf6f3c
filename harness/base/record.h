/* Rows of named fields, as tab-separated values, as JSON or as JSON lines. A table is described once, by the code that puts a row's fields; the names of
   the first row are the column names, so every row must put the same fields in the same order.

       wl_record r = wl_record_begin(stream, 0);
       for (...) {
           wl_record_text(&r, "variant", row->name);
           wl_record_number(&r, "gcups", row->gcups);
           wl_record_end(&r);
       } */
#ifndef WL_RECORD_H
#define WL_RECORD_H

#include <stddef.h>
#include <stdio.h>

typedef struct {
    FILE *stream;
    int is_json, is_lines;
    size_t rows, fields; /* rows ended; fields of the row under way */
    FILE *values;        /* the first row's values, kept back until its names are written */
    char *text;
    size_t size;
} wl_record;

/* JSON rows are the elements of an array, whose brackets are the caller's. */
wl_record wl_record_begin(FILE *stream, int is_json);
/* JSON lines: an object a line. */
wl_record wl_record_lines(FILE *stream);
/* In double quotes; NULL is NA, or null in JSON. */
void wl_record_text(wl_record *record, const char *name, const char *text);
/* A whole number, and one in six digits; NaN and infinities are NA, or null in JSON. */
void wl_record_count(wl_record *record, const char *name, double count);
void wl_record_number(wl_record *record, const char *name, double number);
/* A number that somebody gave, in twelve digits. */
void wl_record_given(wl_record *record, const char *name, double number);
void wl_record_end(wl_record *record);

#endif
