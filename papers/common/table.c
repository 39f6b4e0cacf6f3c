#include "papers/common/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plots/chart.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"

static wl_status read_all(const char *path, char **text) {
    WL_TRY(wl_text_read(path, text));
    if (**text != 0) return WL_OK;
    free(*text);
    *text = NULL;
    return wl_fail(WL_BAD_INPUT, "%s: found no text; expected a paper table", path);
}

static size_t count_fields(const char *line) {
    size_t count = 1;
    for (; *line; line++) count += *line == '\t';
    return count;
}

static wl_status add_header(wl_paper *paper, char *line) {
    char *colon = strstr(line, ": ");
    if (colon == NULL || strncmp(line, "# ", 2) != 0) return WL_OK; /* a comment */
    if (!WL_GROW(paper->keys, paper->header_count, 1) || !WL_GROW(paper->values, paper->header_count, 1))
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory", paper->path);
    *colon = 0;
    paper->keys[paper->header_count] = line + 2;
    paper->values[paper->header_count++] = colon + 2;
    return WL_OK;
}

/* The line of names, then rows as wide as it. */
static wl_status add_fields(wl_paper *paper, char *line, size_t number) {
    size_t fields = count_fields(line);
    int is_names = paper->column_count == 0;
    if (!is_names && fields != paper->column_count)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found %zu fields; expected %zu", paper->path, number, fields,
                       paper->column_count);
    char ***array = is_names ? &paper->columns : &paper->cells;
    size_t used = is_names ? 0 : paper->row_count * paper->column_count;
    while (line != NULL) {
        if (!WL_GROW(*array, used, 1)) return wl_fail(WL_NO_MACHINE, "%s: not enough memory", paper->path);
        (*array)[used++] = wl_text_field(&line);
    }
    if (is_names)
        paper->column_count = fields;
    else
        paper->row_count++;
    return WL_OK;
}

wl_status wl_paper_read(const char *name, const char *path, wl_paper *paper) {
    wl_paper made = {0};
    char *relative = NULL;
    if (path != NULL)
        made.path = strdup(path);
    else if (asprintf(&relative, "plots/papers/%s.tsv", name) >= 0)
        made.path = wl_data_path(relative);
    free(relative);
    if (made.path == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a paper table");
    wl_status status = read_all(made.path, &made.text);
    size_t number = 0;
    for (char *line = made.text; status == WL_OK && line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) *end = 0;
        number++;
        if (line[0] == '#')
            status = add_header(&made, line);
        else if (line[0] != 0)
            status = add_fields(&made, line, number);
        line = end == NULL ? NULL : end + 1;
    }
    if (status == WL_OK && made.row_count == 0)
        status = wl_fail(WL_BAD_INPUT, "%s: found no rows; expected a paper table", made.path);
    if (status == WL_OK)
        *paper = made;
    else
        wl_paper_free(&made);
    return status;
}

void wl_paper_free(wl_paper *paper) {
    WL_FREE(paper->text, paper->path, paper->keys, paper->values, paper->columns, paper->cells);
    *paper = (wl_paper){0};
}

static double number_of(const char *text) {
    char *end;
    if (text == NULL || text[0] == 0) return NAN;
    double number = strtod(text, &end);
    return *end ? NAN : number; /* NA reads as no number */
}

const char *wl_paper_header(const wl_paper *paper, const char *key) {
    for (size_t i = 0; i < paper->header_count; i++)
        if (strcmp(paper->keys[i], key) == 0) return paper->values[i];
    return NULL;
}

wl_status wl_paper_require(const wl_paper *paper, const char *const *keys) {
    for (; *keys != NULL; keys++)
        if (wl_paper_header(paper, *keys) == NULL)
            return wl_fail(WL_BAD_INPUT, "%s: found no line '# %s: ...'; expected one", paper->path, *keys);
    return WL_OK;
}

double wl_paper_header_number(const wl_paper *paper, const char *key) { return number_of(wl_paper_header(paper, key)); }

const char *wl_paper_text(const wl_paper *paper, size_t row, const char *column) {
    for (size_t c = 0; c < paper->column_count && row < paper->row_count; c++)
        if (strcmp(paper->columns[c], column) == 0) return paper->cells[row * paper->column_count + c];
    return NULL;
}

double wl_paper_number(const wl_paper *paper, size_t row, const char *column) {
    return number_of(wl_paper_text(paper, row, column));
}

size_t wl_paper_row(const wl_paper *paper, const char *column, const char *text) {
    for (size_t row = 0; row < paper->row_count; row++) {
        const char *cell = wl_paper_text(paper, row, column);
        if (cell != NULL && strcmp(cell, text) == 0) return row;
    }
    return paper->row_count;
}

void wl_paper_rows(wl_rows *rows, const void *of, int table) {
    const wl_paper *paper = of;
    for (size_t row = 0; row < paper->row_count; row++) {
        if (table != 0) wl_rows_put(rows, WL_COUNT("table", table));
        for (size_t c = 0; c < paper->column_count; c++) {
            const char *name = paper->columns[c], *text = wl_paper_text(paper, row, name);
            const double number = wl_paper_number(paper, row, name);
            if (isfinite(number) || text == NULL || strcmp(text, "NA") == 0)
                wl_rows_put(rows, WL_NUMBER(name, number));
            else
                wl_rows_put(rows, WL_TEXT(name, text));
        }
        wl_rows_end(rows);
    }
}
