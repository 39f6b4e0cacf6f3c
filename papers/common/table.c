#include "papers/common/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plots/chart.h"

wl_status wl_paper_read(const char *name, wl_paper *paper) {
    char *relative = NULL, *path = NULL;
    if (asprintf(&relative, "plots/papers/%s.tsv", name) >= 0) path = wl_data_path(relative);
    free(relative);
    if (path == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a paper table");
    wl_status status = wl_result_file_read(path, paper);
    if (status == WL_OK && paper->rows == 0)
        status = wl_fail(WL_BAD_INPUT, "%s: found no rows; expected a paper table", path);
    if (status != WL_OK) wl_result_file_free(paper);
    free(path);
    return status;
}

static double number_of(const char *text) {
    char *end;
    if (text == NULL || text[0] == 0) return NAN;
    double number = strtod(text, &end);
    return *end ? NAN : number; // NA reads as no number
}

const char *wl_paper_header(const wl_paper *paper, const char *key) {
    for (size_t i = 0; i < paper->fact_count; i++)
        if (strcmp(paper->facts[2 * i], key) == 0) return paper->facts[2 * i + 1];
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
    return row < paper->rows && wl_result_column(paper, column) >= 0 ? wl_result_cell(paper, row, column) : NULL;
}

double wl_paper_number(const wl_paper *paper, size_t row, const char *column) {
    return number_of(wl_paper_text(paper, row, column));
}

size_t wl_paper_row(const wl_paper *paper, const char *column, const char *text) {
    for (size_t row = 0; row < paper->rows; row++) {
        const char *cell = wl_paper_text(paper, row, column);
        if (cell != NULL && strcmp(cell, text) == 0) return row;
    }
    return paper->rows;
}

void wl_paper_rows(wl_rows *rows, const void *of, int table) {
    const wl_paper *paper = of;
    for (size_t row = 0; row < paper->rows; row++) {
        if (table != 0) wl_rows_put(rows, WL_COUNT("table", table));
        for (size_t c = 0; c < paper->columns; c++) {
            const char *name = paper->cells[c], *text = wl_paper_text(paper, row, name);
            const double number = wl_paper_number(paper, row, name);
            if (isfinite(number) || text == NULL || strcmp(text, "NA") == 0)
                wl_rows_put(rows, WL_NUMBER(name, number));
            else
                wl_rows_put(rows, WL_TEXT(name, text));
        }
        wl_rows_end(rows);
    }
}
