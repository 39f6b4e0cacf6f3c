#include "harness/bench/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/bench/result_file.h"

/* --- Reading ----------------------------------------------------------------------------------------------------- */

/* The columns that are looked at, in the order of wl_compared's texts; then the numbers. */
enum { PROBLEM, VARIANT, BACKEND, DEVICE, SHAPE, CACHE, THREADS, TEXTS, CHECK = TEXTS, MS, NOISE, COLUMNS };
static const char *const names[COLUMNS] = {"problem", "variant", "backend", "device",           "shape",
                                           "cache",   "threads", "check",   "kernel_ms_median", "noise"};

static char **texts_of(wl_compared *row) { return &row->problem; }

typedef struct {
    wl_comparison *c;
    size_t side;
} reader;

static wl_status find_columns(const wl_result_file *file, int places[COLUMNS]) {
    for (int i = 0; i < COLUMNS; i++) {
        places[i] = wl_result_column(file, names[i]);
        if (places[i] < 0)
            return wl_fail(WL_BAD_INPUT, "%s:%zu: found no column '%s'; expected a result file of 'warpladder run'",
                           file->path, file->lines[0], names[i]);
    }
    return WL_OK;
}

static wl_status no_memory(void) { return wl_fail(WL_NO_MACHINE, "no memory for the rows"); }

static wl_compared *row_of(wl_comparison *c, char *const *values) {
    for (size_t i = 0; i < c->count; i++) {
        int t = 0;
        while (t < TEXTS && strcmp(texts_of(&c->rows[i])[t], values[t]) == 0) t++;
        if (t == TEXTS) return &c->rows[i];
    }
    if (!WL_GROW(c->rows, c->count, 1)) return NULL;
    wl_compared *row = &c->rows[c->count];
    memset(row, 0, sizeof *row);
    row->sides = calloc(c->sides, sizeof *row->sides);
    if (row->sides == NULL) return NULL;
    c->count++;
    for (size_t s = 0; s < c->sides; s++) row->sides[s].noise = NAN;
    for (int t = 0; t < TEXTS; t++) texts_of(row)[t] = strdup(values[t]);
    for (int t = 0; t < TEXTS; t++)
        if (texts_of(row)[t] == NULL) return NULL;
    return row;
}

/* "62x100 alpha=0.5": of a sweep the shape with the values of its axes, not all of which a shape says. The caller frees it. */
static char *shape_of(const wl_result_file *file, size_t number, const char *shape) {
    char *text = NULL, *axes = NULL, *rest = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) return NULL;
    fputs(shape, stream);
    for (size_t i = 0; i < file->fact_count && axes == NULL; i++)
        if (strcmp(file->facts[2 * i], "axes") == 0) axes = strdup(file->facts[2 * i + 1]);
    for (char *name = axes == NULL ? NULL : strtok_r(axes, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        fprintf(stream, " %s=%s", name, wl_result_cell(file, number, name));
    free(axes);
    return fclose(stream) == 0 ? text : (free(text), NULL);
}

static wl_status take_row(reader *r, const wl_result_file *file, const int places[COLUMNS], size_t number) {
    char *values[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) values[i] = file->cells[(number + 1) * file->columns + (size_t)places[i]];
    char *shape = shape_of(file, number, values[SHAPE]);
    if (shape == NULL) return no_memory();
    values[SHAPE] = shape;
    wl_compared *row = row_of(r->c, values);
    free(shape);
    if (row == NULL) return no_memory();
    wl_side *side = &row->sides[r->side];
    char *end;
    const double ms = strtod(values[MS], &end), noise = strtod(values[NOISE], NULL);
    const int is_number = *values[MS] && *end == 0;
    if (!is_number && strcmp(values[MS], "NA") != 0)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found '%s' for %s; expected a number or NA", file->path,
                       file->lines[number + 1], values[MS], names[MS]);
    if (!is_number || !(ms > 0) || strcmp(values[CHECK], "ok") != 0) {
        if (strncmp(values[CHECK], "FAILED", 6) == 0)
            side->lacks = "failed";
        else if (side->lacks == NULL)
            side->lacks = "not timed";
        return WL_OK;
    }
    if (!WL_GROW(side->ms, side->count, 1)) return no_memory();
    side->ms[side->count++] = ms;
    if (noise > 0 && !(side->noise >= noise)) side->noise = noise;
    return WL_OK;
}

/* "gpu", "NVIDIA H200". Of several files of a side the first. */
static wl_status take_fact(reader *r, const char *name, const char *value) {
    wl_comparison *c = r->c;
    if (wl_compare_fact(c, r->side, name) != NULL) return WL_OK;
    if (!WL_GROW(c->facts, c->fact_count, 1)) return no_memory();
    const wl_compared_fact fact = {strdup(name), strdup(value), r->side};
    c->facts[c->fact_count++] = fact;
    return fact.name == NULL || fact.value == NULL ? no_memory() : WL_OK;
}

static wl_status take_file(void *context, const char *path) {
    reader *r = context;
    wl_result_file file;
    int places[COLUMNS];
    wl_status status = wl_result_file_read(path, &file);
    if (status == WL_OK) status = find_columns(&file, places);
    for (size_t i = 0; i < file.fact_count && status == WL_OK; i++)
        status = take_fact(r, file.facts[2 * i], file.facts[2 * i + 1]);
    for (size_t i = 0; i < file.rows && status == WL_OK; i++) status = take_row(r, &file, places, i);
    wl_result_file_free(&file);
    return status;
}

wl_status wl_compare_read(wl_comparison *c, size_t side, const char *path) {
    return wl_result_files_each(path, take_file, &(reader){c, side});
}

void wl_compare_free(wl_comparison *c) {
    for (size_t i = 0; i < c->count; i++) {
        for (int t = 0; t < TEXTS; t++) free(texts_of(&c->rows[i])[t]);
        for (size_t s = 0; s < c->sides; s++) free(c->rows[i].sides[s].ms);
        free(c->rows[i].sides);
    }
    for (size_t i = 0; i < c->fact_count; i++) {
        WL_FREE(c->facts[i].name, c->facts[i].value);
    }
    WL_FREE(c->rows, c->facts);
}

const char *wl_compare_fact(const wl_comparison *c, size_t side, const char *name) {
    for (size_t i = 0; i < c->fact_count; i++)
        if (c->facts[i].side == side && strcmp(c->facts[i].name, name) == 0) return c->facts[i].value;
    return NULL;
}

/* --- Comparing --------------------------------------------------------------------------------------------------- */

static int has_time(const wl_side *side) { return side->count > 0 && side->lacks == NULL; }

/* Mean of the logarithms, and the sum of the squares around it. */
static double logarithms(const wl_side *side, double *squares) {
    double mean = 0;
    for (size_t i = 0; i < side->count; i++) mean += log(side->ms[i]) / (double)side->count;
    for (size_t i = 0; i < side->count; i++) *squares += (log(side->ms[i]) - mean) * (log(side->ms[i]) - mean);
    return mean;
}

wl_ratio wl_compare_ratio(const wl_side *first, const wl_side *other) {
    if (!has_time(first) || !has_time(other)) return (wl_ratio){NAN, NAN, NAN};
    const double n = (double)first->count, m = (double)other->count;
    double squares = 0, half;
    const double middle = logarithms(other, &squares) - logarithms(first, &squares);
    const double a = isnan(first->noise) ? 0 : first->noise, b = isnan(other->noise) ? 0 : other->noise;
    const double both = sqrt(1 / n + 1 / m);
    half = 2 * WL_COMPARE_PROCESS * both;
    if (first->count > 1 && other->count > 1)
        half = fmax(half, wl_student_95(first->count + other->count - 2) * sqrt(squares / (n + m - 2)) * both);
    half = fmax(half, fmax(sqrt(a * a + b * b), WL_COMPARE_LEAST));
    return (wl_ratio){exp(middle), exp(middle - half), exp(middle + half)};
}

const char *wl_compare_word(const wl_side *first, const wl_side *other) {
    if (first->count == 0 && first->lacks == NULL) return "only there";
    if (other->count == 0 && other->lacks == NULL) return "only here";
    const wl_ratio ratio = wl_compare_ratio(first, other);
    if (isnan(ratio.median))
        return first->lacks && (!other->lacks || strcmp(first->lacks, "failed") == 0) ? first->lacks : other->lacks;
    if (ratio.low <= 1 && ratio.high >= 1) return "same";
    return ratio.median > 1 ? "slower" : "faster";
}
