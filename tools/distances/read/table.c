/* A table of values, one instance a row: small integers as planes; real numbers when one value is no such integer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distances/planes.h"
#include "harness/base/text.h"
#include "tools/distances/read/alleles.h"
#include "tools/distances/read/formats.h"
#include "io/table.h"

#define MOST_INTEGER 127
#define LONGEST_NUMBER 63 // bytes; others are no numbers that anybody means
#define SHOWN 40          // bytes of a field in an error line

typedef struct {
    distances_rows *rows;
    size_t columns;
    int numbered; // rows have no names
    int most;     // integers above are real numbers, or allele numbers
    int may_be_alleles;
    int alleles;    // values are allele numbers, in `reals`
    uint8_t *codes; // [words][64], integers
    double *reals;  // [columns]
} reader;

static wl_status no_memory(const reader *r, size_t line) {
    return wl_fail(WL_NO_MACHINE, "%s:%zu: not enough memory for the table up to this line", r->rows->file, line);
}

/* --- Fields ------------------------------------------------------------------------------------------------------ */

/* 0 .. 127, or -1 where the field is no such integer. */
static int integer_of(wl_table_field f) {
    int value = 0;
    for (size_t i = 0; i < f.length; i++) {
        if (f.text[i] < '0' || f.text[i] > '9') return -1;
        value = 10 * value + (f.text[i] - '0');
        if (value > MOST_INTEGER) return -1;
    }
    return f.length > 0 ? value : -1;
}

static int real_of(wl_table_field f, double *value) {
    char text[LONGEST_NUMBER + 1];
    const char *end;
    if (f.length == 0 || f.length > LONGEST_NUMBER) return 0;
    memcpy(text, f.text, f.length);
    text[f.length] = 0;
    *value = wl_decimal(text, &end);
    return *end == 0 && isfinite(*value);
}

static int shown(wl_table_field f) { return f.length < SHOWN ? (int)f.length : SHOWN; }

static size_t column_in_file(const wl_table_row *row, size_t k) { return k + 1 + (row->name.text != NULL); }

/* --- Rows -------------------------------------------------------------------------------------------------------- */

/* One integer a column; returns the first that is none or too large, `columns` when all went well. */
static size_t integers_of(reader *r, const wl_table_row *row, int *highest) {
    *highest = 0;
    for (size_t k = 0; k < row->columns; k++) {
        int value = integer_of(row->values[k]);
        if (value < 0 && wl_table_is_missing(row->values[k])) {
            r->codes[k] = 0;
            continue;
        }
        if (value < 0 || value > r->most) return k;
        if (value > *highest) *highest = value;
        int code = r->rows->data.sum == DISTANCES_STEPS ? (1 << value) - 1 : value;
        r->codes[k] = (uint8_t)(DISTANCES_PRESENT | code);
    }
    return row->columns;
}

static wl_status refuse(const reader *r, const wl_table_row *row, size_t k) {
    wl_table_field f = row->values[k];
    return wl_fail(WL_BAD_INPUT, "%s:%zu: column %zu: found '%.*s'; expected a number, or NA where there is none%s",
                   r->rows->file, row->line, column_in_file(row, k), shown(f), f.text,
                   row->columns == 1 ? ", fields separated by tabs" : "");
}

static wl_status add_alleles(reader *r, const wl_table_row *row) {
    for (size_t k = 0; k < row->columns; k++) {
        const wl_table_field f = row->values[k];
        r->reals[k] = distances_allele(f);
        if (r->reals[k] < 0)
            return wl_fail(WL_BAD_INPUT,
                           "%s:%zu: column %zu: found '%.*s'; expected an allele's number, INF- and a number, or 0, NA "
                           "or a word such as LNF where there is none",
                           r->rows->file, row->line, column_in_file(row, k), shown(f), f.text);
    }
    return distances_rows_reals(r->rows, r->reals);
}

static wl_status add_reals(reader *r, const wl_table_row *row) {
    if (r->alleles) return add_alleles(r, row);
    for (size_t k = 0; k < row->columns; k++)
        if (wl_table_is_missing(row->values[k]))
            r->reals[k] = NAN;
        else if (!real_of(row->values[k], &r->reals[k]))
            return refuse(r, row, k);
    return distances_rows_reals(r->rows, r->reals);
}

/* From here on, and backwards, the table holds real numbers. */
static wl_status turn(reader *r, const wl_table_row *row) {
    WL_TRY(distances_rows_to_reals(r->rows));
    WL_TRY(distances_rows_memory(r->rows, row->columns * sizeof *r->reals));
    r->reals = malloc(row->columns * sizeof *r->reals);
    return r->reals ? add_reals(r, row) : no_memory(r, row->line);
}

/* A value that only allele numbers have: all are, where nothing but equality counts. */
static wl_status turn_to_alleles(reader *r, const wl_table_row *row, size_t k) {
    const wl_table_field f = row->values[k];
    r->alleles = 1;
    distances_rows_note(r->rows,
                        "line %zu, column %zu has %.*s: values are allele numbers, and 0 is a missing one "
                        "(--input-format table, if not)",
                        row->line, column_in_file(row, k), shown(f), f.text);
    return turn(r, row);
}

/* A value that is no small integer. */
static wl_status turn_to_reals(reader *r, const wl_table_row *row, size_t k) {
    wl_table_field f = row->values[k];
    double value;
    if (r->may_be_alleles && (distances_is_allele_word(f) || (integer_of(f) < 0 && distances_allele(f) > r->most)))
        return turn_to_alleles(r, row, k);
    if (!real_of(f, &value)) return refuse(r, row, k);
    if (integer_of(f) >= 0 || strspn(f.text, "+-0123456789") >= f.length)
        distances_rows_note(r->rows,
                            "line %zu, column %zu has %.*s, which is no integer from 0 to %d: values are real numbers",
                            row->line, column_in_file(row, k), shown(f), f.text, r->most);
    return turn(r, row);
}

static wl_status begin(reader *r, const wl_table_row *row) {
    if (row->columns > DISTANCES_SITES_MOST)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found %zu values; expected at most %llu", r->rows->file, row->line,
                       row->columns, (unsigned long long)DISTANCES_SITES_MOST);
    r->columns = row->columns;
    distances_rows_shape(r->rows, row->columns, 1);
    size_t bytes = r->rows->data.words * 64;
    wl_status status = distances_rows_memory(r->rows, bytes);
    if (status == WL_OK && (r->codes = calloc(bytes, 1)) == NULL) status = no_memory(r, row->line);
    return status;
}

static wl_status take(void *context, const wl_table_row *row) {
    reader *r = context;
    distances_rows *rows = r->rows;
    wl_status status = r->columns == 0 ? begin(r, row) : WL_OK;
    if (status != WL_OK) return status;
    if (row->columns != r->columns)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found %zu values; expected %zu, as in %s", rows->file, row->line,
                       row->columns, r->columns, rows->before);
    char number[32];
    r->numbered = row->name.text == NULL;
    if (row->name.text)
        status = distances_rows_name(rows, row->name.text, row->name.length, row->line);
    else // rows without names are numbered
        status = distances_rows_name(rows, number, (size_t)snprintf(number, sizeof number, "%zu", rows->data.count + 1),
                                     row->line);
    if (status != WL_OK) return status;
    if (r->reals) return add_reals(r, row);
    if (rows->data.count == 0 && r->may_be_alleles && distances_alleles_begin(row->corner)) {
        distances_rows_note(rows,
                            "the header begins with %s: values are allele numbers, and 0 is a missing one "
                            "(--input-format table, if not)",
                            row->corner);
        r->alleles = 1;
    }
    if (r->alleles) return turn(r, row);
    int highest;
    size_t other = integers_of(r, row, &highest);
    if (other < row->columns) return turn_to_reals(r, row, other);
    status = distances_rows_widen(rows, distances_planes(rows->data.sum, highest + 1));
    return status == WL_OK ? distances_rows_codes(rows, r->codes) : status;
}

wl_status distances_read_table(distances_rows *rows, const distances_source *sources, size_t count) {
    const distances_reading *reading = rows->reading;
    const distances_format format = reading->format;
    const int unary = reading->integers_in_unary;
    reader r = {.rows = rows,
                .most = unary ? DISTANCES_PLANES_MOST : MOST_INTEGER,
                .may_be_alleles = format == DISTANCES_AUTO && reading->equality,
                .alleles = format == DISTANCES_CGMLST};
    rows->data.kind = DISTANCES_INTEGERS;
    rows->data.sum = unary ? DISTANCES_STEPS : DISTANCES_DIFFERENT;
    const wl_table_reading table = {.value = "a number", .has_names = reading->names};
    wl_status status = WL_OK;
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        if (i > 0) distances_rows_split(rows, rows->data.count, sources[i].bytes);
        status = wl_table_each(sources[i].bytes, &table, take, &r);
    }
    if (status == WL_OK && r.numbered)
        distances_rows_note(rows, "the first column has values like the others, not names: rows are numbered (--names, "
                                  "if they are names)");
    if (status == WL_OK && r.alleles) status = distances_alleles_finish(rows);
    if (r.codes) distances_rows_return(rows, distances_words(r.columns) * 64);
    if (r.reals) distances_rows_return(rows, r.columns * sizeof *r.reals);
    free(r.codes);
    free(r.reals);
    return status;
}
