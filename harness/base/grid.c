#include "harness/base/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"

void wl_grid_row(wl_grid *grid) {
    if (grid->no_memory) return;
    const size_t rows = grid->rows + (grid->rows == 0 ? 2 : 1);
    const size_t before = grid->rows * grid->columns, all = rows * grid->columns;
    grid->no_memory =
        !WL_GROW(grid->cells, before, all - before) || !WL_GROW(grid->notes, grid->rows, rows - grid->rows);
    if (grid->no_memory) return;
    for (size_t i = before; i < all; i++) grid->cells[i] = NULL;
    for (size_t i = grid->rows; i < rows; i++) grid->notes[i] = NULL;
    grid->rows = rows;
    grid->next = 0;
}

/* One more column, empty in all rows. */
static void widen(wl_grid *grid) {
    const size_t old = grid->columns++;
    grid->no_memory = !WL_GROW(grid->cells, grid->rows * old, grid->rows);
    for (size_t row = grid->rows; row-- > 0 && !grid->no_memory;) { // the last row moves first, out of the others' way
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
    if (*cell) wl_text_calm(*cell, strlen(*cell), "\n", '?'); // words of result files, too
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

void wl_grid_note(wl_grid *grid, const char *text) {
    if (grid->no_memory) return;
    char **note = &grid->notes[grid->rows - 1];
    *note = strdup(text);
    grid->no_memory |= *note == NULL;
    if (*note) wl_text_calm(*note, strlen(*note), "", '?');
}

/* ---- printing ---- */

enum { BETWEEN = 2, NARROWEST = 16 }; // blanks between columns; a column that is wrapped has more than so many

static char **cell_of(const wl_grid *grid, size_t row, size_t column) {
    return &grid->cells[row * grid->columns + column];
}

static size_t lines_of(const char *cell) {
    size_t lines = 1;
    for (const char *at = cell; at != NULL && *at; at++) lines += *at == '\n';
    return lines;
}

/* Line `line` of `cell` after `above` empty ones; its length in *length. */
static const char *line_of(const char *cell, size_t line, size_t above, size_t *length) {
    *length = 0;
    if (cell == NULL || line < above || line - above >= lines_of(cell)) return "";
    for (line -= above; line > 0; line--) cell = strchr(cell, '\n') + 1;
    *length = strcspn(cell, "\n");
    return cell;
}

/* Width of column `column`; 0 when it is not shown. */
static size_t width_of(const wl_grid *grid, size_t column) {
    size_t width = 0;
    int filled = 0;
    for (size_t row = 0; row < grid->rows; row++) {
        const char *cell = *cell_of(grid, row, column);
        for (size_t line = 0; cell != NULL && line < lines_of(cell); line++) {
            size_t length;
            line_of(cell, line, 0, &length);
            if (length > width) width = length;
        }
        if (row > 0 && cell != NULL && cell[0] && strcmp(cell, "-") != 0) filled = 1;
    }
    return filled ? width : 0;
}

static size_t sum_of(const wl_grid *grid, const size_t *widths) {
    size_t sum = 0;
    for (size_t c = 0; c < grid->columns; c++)
        if (widths[c] > 0) sum += widths[c] + (sum > 0 ? BETWEEN : 0);
    return sum;
}

/* Breaks the column's texts at blanks, so that no line has more than `width` letters but for longer words. */
static void wrap(wl_grid *grid, size_t column, size_t width) {
    for (size_t row = 1; row < grid->rows; row++) {
        char *line = *cell_of(grid, row, column), *blank = NULL;
        for (char *at = line; at != NULL && *at; at++) {
            if (*at == ' ') blank = at;
            if (*at == '\n') line = at + 1, blank = NULL;
            if ((size_t)(at - line) >= width && blank != NULL) {
                *blank = '\n';
                line = blank + 1;
                blank = NULL;
            }
        }
    }
}

/* Narrows the widest of the left columns after the first, as far as that is needed. */
static void squeeze(wl_grid *grid, size_t *widths, size_t width) {
    for (;;) {
        const size_t sum = sum_of(grid, widths);
        size_t widest = 0, second = NARROWEST;
        for (size_t c = 1; c < grid->left && c < grid->columns; c++)
            if (widths[c] > NARROWEST && (widest == 0 || widths[c] > widths[widest])) widest = c;
        if (sum <= width || widest == 0) return;
        for (size_t c = 1; c < grid->left && c < grid->columns; c++)
            if (c != widest && widths[c] > second) second = widths[c];
        const size_t over = sum - width, before = widths[widest],
                     spare = before - (second < before ? second : before - 1);
        wrap(grid, widest, before - (over < spare ? over : spare));
        widths[widest] = width_of(grid, widest);
        if (widths[widest] == before) return; // a long word
    }
}

static void print_row(FILE *stream, const wl_grid *grid, size_t row, const size_t *widths, const char *indent) {
    size_t height = 1;
    for (size_t c = 0; c < grid->columns; c++)
        if (widths[c] > 0 && lines_of(*cell_of(grid, row, c)) > height) height = lines_of(*cell_of(grid, row, c));
    for (size_t line = 0; line < height; line++) {
        size_t due = 0; // spaces owed: none is written at the end of a line
        fputs(indent, stream);
        for (size_t c = 0; c < grid->columns; c++) {
            if (widths[c] == 0) continue;
            const char *cell = *cell_of(grid, row, c);
            size_t length, before = 0;
            const char *text = line_of(cell, line, row == 0 ? height - lines_of(cell) : 0, &length); // heads stand low
            if (c >= grid->left) before = widths[c] - length;
            if (length > 0) {
                fprintf(stream, "%*s%.*s", (int)(due + before), "", (int)length, text);
                due = widths[c] - length - before + BETWEEN;
            } else {
                due += widths[c] + BETWEEN;
            }
        }
        fputc('\n', stream);
    }
}

/* The columns from *next on for which there is room beside the names of the first, as widths; the others get 0. */
static void take_columns(const wl_grid *grid, const size_t *widths, size_t width, size_t *next, size_t *taken) {
    size_t sum = widths[0], count = 0;
    for (size_t c = 0; c < grid->columns; c++) taken[c] = c == 0 ? widths[0] : 0;
    for (*next = *next == 0 ? 1 : *next; *next < grid->columns; ++*next) {
        if (widths[*next] == 0) continue;
        sum += widths[*next] + BETWEEN;
        if (sum > width && count > 0) return;
        taken[*next] = widths[*next];
        count++;
    }
}

void wl_grid_print_within(FILE *stream, wl_grid *grid, const char *indent, size_t width) {
    size_t *widths = NULL, *taken = NULL;
    const size_t whole = width > 0 ? width - strlen(indent) : SIZE_MAX;
    if (grid->no_memory || !WL_ALLOCATE(WL_ZEROS(widths, grid->columns + 1), WL_ZEROS(taken, grid->columns + 1))) {
        fprintf(stream, "%s(not enough memory for this table)\n", indent);
    } else {
        for (size_t c = 0; c < grid->columns; c++) widths[c] = width_of(grid, c);
        squeeze(grid, widths, whole);
        for (size_t next = 0; next < grid->columns && grid->rows > 0;) {
            if (next > 0) fputc('\n', stream);
            const int is_first = next == 0;
            take_columns(grid, widths, whole, &next, taken);
            for (size_t r = !grid->has_heads; r < grid->rows; r++) {
                print_row(stream, grid, r, taken, indent);
                if (grid->notes[r] && is_first) fprintf(stream, "%s    %s\n", indent, grid->notes[r]);
            }
        }
    }
    WL_FREE(widths, taken);
    wl_grid_free(grid);
}

/* 0: it is no terminal. */
static size_t width_of_terminal(FILE *stream) {
    enum { LEAST = 80 };
    struct winsize size;
    const int file = fileno(stream);
    if (file < 0 || !isatty(file) || ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 0;
    return size.ws_col > LEAST ? size.ws_col : LEAST;
}

void wl_grid_print(FILE *stream, wl_grid *grid, const char *indent) {
    wl_grid_print_within(stream, grid, indent, width_of_terminal(stream));
}

void wl_grid_free(wl_grid *grid) {
    if (grid->cells != NULL)
        for (size_t i = 0; i < grid->rows * grid->columns; i++) free(grid->cells[i]);
    for (size_t i = 0; grid->notes != NULL && i < grid->rows; i++) free(grid->notes[i]);
    WL_FREE(grid->cells, grid->notes);
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
