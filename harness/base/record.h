/* Rows of named fields, as tab-separated values, as JSON or as JSON lines. A table is described once, by the code that puts a row's fields; the names of
   the first row are the column names, so every row must put the same fields in the same order.

       wl_record r = wl_record_begin(stream, 0);
       for (...) wl_record_row(&r, WL_TEXT("variant", row->name), WL_NUMBER("gcups", row->gcups)); */
#pragma once

#include <stddef.h>
#include <stdio.h>

typedef struct {
    FILE *stream;
    int is_json, is_lines;
    size_t rows, fields; // rows ended; fields of the row under way
    FILE *values;        // the first row's values, kept back until its names are written
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

/* Several fields at once; wl_record_row ends the row after them. */
typedef struct {
    const char *name, *text;
    void (*put)(wl_record *record, const char *name, double number); // NULL: a text
    double number;
    const char *head, *format; // of a column that people see, too: papers/common/rows.h
} wl_field;
#define WL_TEXT(name, text) \
    { (name), (text), NULL, 0, NULL, NULL }
#define WL_COUNT(name, count) \
    { (name), NULL, wl_record_count, (double)(count), NULL, NULL }
#define WL_NUMBER(name, number) \
    { (name), NULL, wl_record_number, (number), NULL, NULL }
#define WL_FIELDS(...) (const wl_field[]){__VA_ARGS__}, sizeof((const wl_field[]){__VA_ARGS__}) / sizeof(wl_field)
#define wl_record_put(record, ...) wl_record_fields((record), 0, WL_FIELDS(__VA_ARGS__))
#define wl_record_row(record, ...) wl_record_fields((record), 1, WL_FIELDS(__VA_ARGS__))
void wl_record_fields(wl_record *record, int ends, const wl_field *fields, size_t count);
