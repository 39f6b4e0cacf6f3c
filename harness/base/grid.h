/* Tables for people: cells of text, aligned when printed. */
#ifndef WL_CLI_GRID_H
#define WL_CLI_GRID_H

#include <stdint.h>
#include <stdio.h>

typedef struct {
    char **cells; /* [rows][columns], each owned; NULL is empty */
    size_t rows, columns;
    size_t left;   /* so many first columns are aligned left, the others right */
    int no_memory; /* set when a cell could not be kept; printing then says so */
} wl_grid;

wl_grid wl_grid_new(size_t columns, size_t left);
/* Begin a new row. */
void wl_grid_row(wl_grid *grid);
/* Text (printf format) of column `column` in the last row. A line break splits a cell into lines, set from the
   bottom: for column heads. */
void wl_grid_set(wl_grid *grid, size_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same of a number in three digits, or in all it has before the point: "0.394", "21.7", "2,134". One that is not finite
   leaves the cell empty. */
void wl_grid_set_number(wl_grid *grid, size_t column, double number);
/* Print without the columns that are empty below row `heads`, each line after `indent`. */
void wl_grid_print(FILE *stream, const wl_grid *grid, size_t heads, const char *indent);
void wl_grid_free(wl_grid *grid);

/* 6422528 as "6,422,528"; `text` of at least 27 bytes, which is returned. */
char *wl_thousands(uint64_t number, char *text);

/* How much of "comparisons" is "comparison", for printf's %.*s. */
int wl_singular(const char *unit);

#endif
