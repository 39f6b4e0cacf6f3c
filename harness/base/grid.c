#define _GNU_SOURCE /* vasprintf */
#include "harness/base/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

wl_grid wl_grid_new(size_t columns, size_t left) { return (wl_grid){.columns = columns, .left = left}; }

void wl_grid_row(wl_grid *grid) {
    char **more = realloc(grid->cells, (grid->rows + 1) * grid->columns * sizeof *more);
    if (more == NULL) {
        grid->no_memory = 1;
        return;
    }
    grid->cells = more;
    memset(more + grid->rows++ * grid->columns, 0, grid->columns * sizeof *more);
}

void wl_grid_set(wl_grid *grid, size_t column, const char *format, ...) {
    if (grid->rows == 0) return;
    char **cell = &grid->cells[(grid->rows - 1) * grid->columns + column];
    va_list arguments;
    va_start(arguments, format);
    free(*cell);
    if (vasprintf(cell, format, arguments) < 0) {
        *cell = NULL;
        grid->no_memory = 1;
    }
    va_end(arguments);
}

void wl_grid_set_number(wl_grid *grid, size_t column, double number) {
    char text[32];
    if (!isfinite(number)) return;
    if (number >= 999.5)
        wl_grid_set(grid, column, "%s", wl_thousands((uint64_t)(number + 0.5), text));
    else
        wl_grid_set(grid, column, "%.3g", number);
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
static size_t width_of(const wl_grid *grid, size_t column, size_t heads) {
    size_t width = 0;
    int filled = grid->rows <= heads;
    for (size_t row = 0; row < grid->rows; row++) {
        const char *cell = grid->cells[row * grid->columns + column];
        for (size_t line = 0; cell != NULL && line < lines_of(cell); line++) {
            size_t length;
            line_of(cell, line, lines_of(cell), &length);
            if (length > width) width = length;
        }
        if (row >= heads && cell != NULL && cell[0]) filled = 1;
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

void wl_grid_print(FILE *stream, const wl_grid *grid, size_t heads, const char *indent) {
    size_t *widths = malloc((grid->columns ? grid->columns : 1) * sizeof *widths);
    if (widths == NULL || grid->no_memory) {
        fprintf(stream, "%s(not enough memory for this table)\n", indent);
    } else {
        for (size_t c = 0; c < grid->columns; c++) widths[c] = width_of(grid, c, heads);
        for (size_t r = 0; r < grid->rows; r++)
            print_row(stream, grid, grid->cells + r * grid->columns, widths, indent);
    }
    free(widths);
}

void wl_grid_free(wl_grid *grid) {
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
