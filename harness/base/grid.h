/* Tables for people: cells of text, aligned when printed. */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* Begins as {.left = 2}. A table is described once, by the code that puts a row's cells from left to right, each with its column's
   head. */
typedef struct {
    char **cells; // [rows][columns], each owned, the heads first; NULL is empty
    char **notes; // [rows], each owned: a line below the row; NULL: none
    size_t rows, columns;
    size_t next;   // the column that is put next
    size_t left;   // so many first columns are aligned left, the others right
    int has_heads; // 0: all heads were NULL
    int no_memory; // set when a cell could not be kept; printing then says so
} wl_grid;

/* Begin a new row. */
void wl_grid_row(wl_grid *grid);
/* Text (printf format) of the row's next cell. A line break in a head splits it into lines, set from the bottom. */
void wl_grid_put(wl_grid *grid, const char *head, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same, or an empty cell where there is nothing to say. */
void wl_grid_put_if(wl_grid *grid, int there, const char *head, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same of a number in three digits, or in all it has before the point: "0.394", "21.7", "2,134". One that is not finite
   leaves the cell empty. */
void wl_grid_number(wl_grid *grid, const char *head, double number);
/* A line below the row, as wide as it is. */
void wl_grid_note(wl_grid *grid, const char *text);
/* Print without the columns that have nothing or "-" below their heads, each line after `indent`, and free the grid. On a terminal the table
   fits its width, which counts as 80 columns at least. Words of the left columns go on in the next line. Columns for which there is no
   room follow in a table of their own, with the names again. */
void wl_grid_print(FILE *stream, wl_grid *grid, const char *indent);
/* The same, no wider than `width` (0: as wide as it is). */
void wl_grid_print_within(FILE *stream, wl_grid *grid, const char *indent, size_t width);
void wl_grid_free(wl_grid *grid);

/* 6422528 as "6,422,528"; `text` of at least 27 bytes, which is returned. */
char *wl_thousands(uint64_t number, char *text);

/* How much of "comparisons" is "comparison", for printf's %.*s. */
int wl_singular(const char *unit);
