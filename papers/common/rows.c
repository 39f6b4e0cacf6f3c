#include "papers/common/rows.h"

#include <math.h>

#include "harness/base/quantity.h"

const char wl_two_digits[] = "%.2g"; // compared by address

static void show(wl_grid *grid, const wl_field *f) {
    char text[WL_QUANTITY];
    if (f->put == NULL)
        wl_grid_put_if(grid, f->text != NULL, f->head, "%s", f->text);
    else if (f->format == wl_two_digits)
        wl_grid_put_if(grid, isfinite(f->number), f->head, "%s", wl_cpu_factor_text(f->number, NAN, NAN, text));
    else if (f->format != NULL)
        wl_grid_put_if(grid, isfinite(f->number), f->head, f->format, f->number);
    else
        wl_grid_number(grid, f->head, f->number);
}

void wl_rows_fields(wl_rows *rows, int ends, const wl_field *fields, size_t count) {
    if (rows->grid != NULL && !rows->is_open) wl_grid_row(rows->grid);
    rows->is_open = !ends || rows->is_beside;
    for (const wl_field *f = fields; f < fields + count; f++) {
        if (rows->grid != NULL && f->head != NULL) show(rows->grid, f);
        if (rows->record != NULL && f->name != NULL) wl_record_fields(rows->record, 0, f, 1);
    }
    if (ends && rows->record != NULL) wl_record_end(rows->record);
}

void wl_rows_begin_line(wl_rows *rows, const wl_field *fields, size_t count) {
    rows->is_open = 0;
    rows->is_beside = 1;
    wl_rows_fields(rows, 0, fields, count);
}

void wl_rows_file(FILE *stream, wl_rows_of *rows, const void *run, int table) {
    wl_record record = wl_record_begin(stream, 0);
    rows(&(wl_rows){.record = &record}, run, table);
}

void wl_rows_json(FILE *stream, const char *name, wl_rows_of *rows, const void *run, int table) {
    wl_record record = wl_record_begin(stream, 1);
    fprintf(stream, ", \"%s\": [", name);
    rows(&(wl_rows){.record = &record}, run, table);
    fputs("\n]", stream);
}

void wl_rows_print(FILE *stream, size_t left, wl_rows_of *rows, const void *run, int table) {
    wl_grid grid = {.left = left};
    rows(&(wl_rows){.grid = &grid}, run, table);
    wl_grid_print(stream, &grid, "");
}
