#include "harness/base/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"

void wl_grid_row(wl_grid *grid) {
    if (grid->no_memory) return;
    const size_t rows = grid->rows + (grid->rows == 0 ? 2 : 1);
    const size_t before = grid->rows * grid->columns, all = rows * grid->columns;
    grid->no_memory = !WL_GROW(grid->cells, before, all - before);
    if (grid->no_memory) return;
    for (size_t i = before; i < all; i++) grid->cells[i] = NULL;
    grid->rows = rows;
    grid->next = 0;
}

/* One more column, empty in all rows. */
static void widen(wl_grid *grid) {
    const size_t old = grid->columns++;
    grid->no_memory = !WL_GROW(grid->cells, grid->rows * old, grid->rows);
    for (size_t row = grid->rows;
         row-- > 0 && !grid->no_memory;) { /* the last row moves first, out of the others' way */
        if (old > 0) memmove(grid->cells + row * (old + 1), grid->cells + row * old, old * sizeof *grid->cells);
        grid->cells[row * (old + 1) + old] = NULL;
    }
}

static void put(wl_grid *grid, const char *head, const char *format, va_list arguments) {
    const size_t column = grid->next++;
    if (column == grid->columns && !grid->no_memory) widen(grid);
    if (grid->no_memory) return;
    if (head != NULL && grid->cells[column] == NULL) {
        grid->cells[column] = strdup(head);
        grid->no_memory |= grid->cells[column] == NULL;
        grid->has_heads = 1;
    }
    char **cell = &grid->cells[(grid->rows - 1) * grid->columns + column];
    if (format != NULL && vasprintf(cell, format, arguments) < 0) {
        *cell = NULL;
        grid->no_memory = 1;
    }
    if (*cell) wl_text_calm(*cell, strlen(*cell), "\n", '?'); /* words of result files, too */
}

void wl_grid_put(wl_grid *grid, const char *head, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put(grid, head, format, arguments);
    va_end(arguments);
}

void wl_grid_put_if(wl_grid *grid, int there, const char *head, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put(grid, head, there ? format : NULL, arguments);
    va_end(arguments);
}

void wl_grid_number(wl_grid *grid, const char *head, double number) {
    char text[32];
    if (number >= 999.5 && isfinite(number))
        wl_grid_put(grid, head, "%s", wl_thousands((uint64_t)(number + 0.5), text));
    else
        wl_grid_put_if(grid, isfinite(number), head, "%.3g", number);
}

static size_t lines_of(const char *cell) {
    size_t lines = 1;
    for (const char *at = cell; at != NULL && *at; at++) lines += *at == '\n';
    return lines;
}

/* Line `line` of `cell`, whose lines are set from the bottom of `height`; its length in *length. */
static const char *line_of(const char *cell, size_t line, size_t height, size_t *length) {
    *length = 0;
    size_t above = height - lines_of(cell);
    if (cell == NULL || line < above) return "";
    for (line -= above; line > 0; line--) cell = strchr(cell, '\n') + 1;
    *length = strcspn(cell, "\n");
    return cell;
}

/* Width of column `column`; 0 when it is not shown. */
static size_t width_of(const wl_grid *grid, size_t column) {
    size_t width = 0;
    int filled = 0;
    for (size_t row = 0; row < grid->rows; row++) {
        const char *cell = grid->cells[row * grid->columns + column];
        for (size_t line = 0; cell != NULL && line < lines_of(cell); line++) {
            size_t length;
            line_of(cell, line, lines_of(cell), &length);
            if (length > width) width = length;
        }
        if (row > 0 && cell != NULL && cell[0]) filled = 1;
    }
    return filled ? width : 0;
}

static void print_row(FILE *stream, const wl_grid *grid, char *const *row, const size_t *widths, const char *indent) {
    size_t height = 1;
    for (size_t c = 0; c < grid->columns; c++)
        if (widths[c] > 0 && lines_of(row[c]) > height) height = lines_of(row[c]);
    for (size_t line = 0; line < height; line++) {
        size_t due = 0; /* spaces owed: none is written at the end of a line */
        fputs(indent, stream);
        for (size_t c = 0; c < grid->columns; c++) {
            if (widths[c] == 0) continue;
            size_t length, before = 0;
            const char *text = line_of(row[c], line, height, &length);
            if (c >= grid->left) before = widths[c] - length;
            if (length > 0) {
                fprintf(stream, "%*s%.*s", (int)(due + before), "", (int)length, text);
                due = widths[c] - length - before + 2;
            } else {
                due += widths[c] + 2;
            }
        }
        fputc('\n', stream);
    }
}

void wl_grid_print(FILE *stream, wl_grid *grid, const char *indent) {
    size_t *widths = malloc((grid->columns + 1) * sizeof *widths);
    if (widths == NULL || grid->no_memory) {
        fprintf(stream, "%s(not enough memory for this table)\n", indent);
    } else {
        for (size_t c = 0; c < grid->columns; c++) widths[c] = width_of(grid, c);
        for (size_t r = !grid->has_heads; r < grid->rows; r++)
            print_row(stream, grid, grid->cells + r * grid->columns, widths, indent);
    }
    free(widths);
    wl_grid_free(grid);
}

void wl_grid_free(wl_grid *grid) {
    if (grid->cells != NULL)
        for (size_t i = 0; i < grid->rows * grid->columns; i++) free(grid->cells[i]);
    free(grid->cells);
    *grid = (wl_grid){0};
}

char *wl_thousands(uint64_t number, char *text) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number), out = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = 0;
    return text;
}

int wl_singular(const char *unit) {
    size_t length = strlen(unit);
    return (int)(length > 1 && unit[length - 1] == 's' ? length - 1 : length);
}
