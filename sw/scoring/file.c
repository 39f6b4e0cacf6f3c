#include "sw/scoring/file.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"

#define EXPECTED_MATRIX "a substitution matrix in NCBI's format"

typedef struct {
    wl_bytes *bytes;
    const char *file; // for error lines
    sw_table *table;
    int columns[SW_LETTERS]; // codes, in the file's order
    size_t column_count, row_count;
} reader;

/* The next field of a line, a string; NULL at the end. `*rest` moves on, `*column` is the field's, from 1. */
static char *field(const char *line, char **rest, size_t *column) {
    char *start = *rest + strspn(*rest, " \t");
    if (*start == 0) return NULL;
    char *end = start + strcspn(start, " \t");
    *rest = *end ? end + 1 : end;
    *end = 0;
    *column = (size_t)(start - line) + 1;
    return start;
}

/* The code of a field that must be a letter not seen yet. */
static wl_status letter_of(const reader *r, const char *text, const char *what, const char seen[SW_LETTERS],
                           size_t line, size_t column, int *code) {
    *code = text[1] == 0 ? sw_code(SW_PROTEIN, (unsigned char)*text) : -1;
    if (*code < 0)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found '%.20s' at column %zu; expected the letter of a %s, one of %s",
                       r->file, line, text, column, what, SW_PROTEIN_LETTERS);
    if (seen[*code])
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found the letter %c twice, again at column %zu; expected one %s for it",
                       r->file, line, sw_letter(SW_PROTEIN, *code), column, what);
    return WL_OK;
}

static wl_status read_columns(reader *r, char *line, size_t number) {
    char *rest = line;
    size_t column;
    for (char *text = field(line, &rest, &column); text; text = field(line, &rest, &column)) {
        int code;
        WL_TRY(letter_of(r, text, "column", r->table->has_column, number, column, &code));
        r->table->has_column[code] = 1;
        r->columns[r->column_count++] = code;
    }
    return WL_OK;
}

static wl_status read_score(const reader *r, const char *text, size_t line, size_t column, int8_t *score) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found '%.20s' at column %zu; expected a score, a whole number", r->file,
                       line, text, column);
    if (errno == ERANGE || value < -INT8_MAX || value > INT8_MAX)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found the score %.20s at column %zu; expected one from %d to %d", r->file,
                       line, text, column, -INT8_MAX, INT8_MAX);
    *score = (int8_t)value;
    return WL_OK;
}

static wl_status read_row(reader *r, char *line, size_t number) {
    char *rest = line;
    size_t column = 1, found = 0;
    int row;
    char *first = field(line, &rest, &column); // read_line has seen that the line is not blank
    WL_TRY(letter_of(r, first, "row", r->table->has_row, number, column, &row));
    for (char *text = field(line, &rest, &column); text; text = field(line, &rest, &column)) {
        int8_t score = 0;
        if (found == r->column_count)
            return wl_fail(WL_BAD_INPUT,
                           "%s:%zu: found more at column %zu, '%.20s'; expected %zu scores, one per column", r->file,
                           number, column, text, r->column_count);
        WL_TRY(read_score(r, text, number, column, &score));
        r->table->score[row][r->columns[found++]] = score;
    }
    if (found < r->column_count)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found %zu scores in the row of %c; expected %zu, one per column", r->file,
                       number, found, sw_letter(SW_PROTEIN, row), r->column_count);
    r->table->has_row[row] = 1;
    r->row_count++;
    return WL_OK;
}

static wl_status read_line(reader *r, char *line, size_t number) {
    const char first = line[strspn(line, " \t")];
    if (first == 0 || first == '#') return WL_OK;
    return r->column_count == 0 ? read_columns(r, line, number) : read_row(r, line, number);
}

static wl_status read_all(reader *r) {
    for (;;) {
        char *line;
        size_t length, number;
        WL_TRY(wl_bytes_line(r->bytes, &line, &length, &number));
        if (!line) break;
        WL_TRY(read_line(r, line, number));
    }
    if (r->row_count > 0) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s: found no row of scores; expected " EXPECTED_MATRIX, r->file);
}

wl_status sw_table_read(const char *path, sw_table *table) {
    *table = (sw_table){0};
    reader r = {.table = table};
    WL_TRY(wl_bytes_open(path, EXPECTED_MATRIX, &r.bytes));
    r.file = wl_bytes_name(r.bytes);
    wl_status status = read_all(&r);
    if (status == WL_BAD_INPUT) status = wl_bytes_diagnose(r.bytes);
    wl_bytes_close(r.bytes);
    return status;
}

wl_status sw_table_of_text(const char *name, const char *text, sw_table *table) {
    *table = (sw_table){0};
    reader r = {.file = name, .table = table};
    char *copy = strdup(text), *rest = copy, *line;
    wl_status status = copy == NULL ? wl_fail(WL_NO_MACHINE, "%s: not enough memory", name) : WL_OK;
    for (size_t number = 1; status == WL_OK && (line = strsep(&rest, "\n")) != NULL; number++)
        status = read_line(&r, line, number);
    free(copy);
    return status;
}
