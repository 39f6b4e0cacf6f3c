#define _GNU_SOURCE /* asprintf, scandir's versionsort */
#include "harness/bench/compare.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"

/* --- Reading ----------------------------------------------------------------------------------------------------- */

/* The columns that are looked at, in the order of wl_compared's texts; then the numbers. */
enum { PROBLEM, VARIANT, BACKEND, DEVICE, SHAPE, CACHE, THREADS, TEXTS, CHECK = TEXTS, MS, NOISE, COLUMNS };
static const char *const names[COLUMNS] = {"problem", "variant", "backend", "device",           "shape",
                                           "cache",   "threads", "check",   "kernel_ms_median", "noise"};

static char **texts_of(wl_compared *row) { return &row->problem; }

typedef struct {
    wl_comparison *c;
    size_t side;
    const char *path;
    size_t line;
    int places[COLUMNS]; /* of the columns, from 0; -1: none */
    int has_columns;
} reader;

static wl_status take_heads(reader *r, char *line) {
    for (int i = 0; i < COLUMNS; i++) r->places[i] = -1;
    for (int place = 0; line != NULL; place++) {
        const char *name = wl_text_field(&line);
        for (int i = 0; i < COLUMNS; i++)
            if (strcmp(name, names[i]) == 0) r->places[i] = place;
    }
    for (int i = 0; i < COLUMNS; i++)
        if (r->places[i] < 0)
            return wl_fail(WL_BAD_INPUT, "%s:%zu: found no column '%s'; expected a result file of 'warpladder run'",
                           r->path, r->line, names[i]);
    r->has_columns = 1;
    return WL_OK;
}

static wl_status no_memory(void) { return wl_fail(WL_NO_MACHINE, "no memory for the rows"); }

static wl_compared *row_of(wl_comparison *c, char *const *values) {
    for (size_t i = 0; i < c->count; i++) {
        int t = 0;
        while (t < TEXTS && strcmp(texts_of(&c->rows[i])[t], values[t]) == 0) t++;
        if (t == TEXTS) return &c->rows[i];
    }
    if (!wl_memory_grow(&c->since, &c->rows, &c->room, c->count + 1, sizeof *c->rows)) return NULL;
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

static wl_status take_row(reader *r, char *line) {
    char *values[COLUMNS] = {0}, *rest = line;
    for (int place = 0; rest != NULL; place++) {
        char *field = wl_text_field(&rest);
        for (int i = 0; i < COLUMNS; i++)
            if (r->places[i] == place) values[i] = field;
    }
    for (int i = 0; i < COLUMNS; i++)
        if (values[i] == NULL)
            return wl_fail(WL_BAD_INPUT, "%s:%zu: found a row without its column '%s'", r->path, r->line, names[i]);
    wl_compared *row = row_of(r->c, values);
    if (row == NULL) return no_memory();
    wl_side *side = &row->sides[r->side];
    char *end;
    const double ms = strtod(values[MS], &end), noise = strtod(values[NOISE], NULL);
    const int is_number = *values[MS] && *end == 0;
    if (!is_number && strcmp(values[MS], "NA") != 0)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found '%s' for %s; expected a number or NA", r->path, r->line, values[MS],
                       names[MS]);
    if (!is_number || !(ms > 0) || strcmp(values[CHECK], "ok") != 0) {
        side->failed = 1;
        return WL_OK;
    }
    if (!wl_memory_grow(&side->since, &side->ms, &side->room, side->count + 1, sizeof *side->ms)) return no_memory();
    side->ms[side->count++] = ms;
    if (noise > 0 && !(side->noise >= noise)) side->noise = noise;
    return WL_OK;
}

/* "# gpu: NVIDIA H200". Of several files of a side the first. */
static wl_status take_fact(reader *r, char *line) {
    wl_comparison *c = r->c;
    char *value = strstr(line, ": ");
    if (strncmp(line, "# ", 2) != 0 || value == NULL) return WL_OK;
    *value = 0;
    if (wl_compare_fact(c, r->side, line + 2) != NULL) return WL_OK;
    if (!wl_memory_grow(&c->fact_since, &c->facts, &c->fact_room, c->fact_count + 1, sizeof *c->facts))
        return no_memory();
    const wl_compared_fact fact = {strdup(line + 2), strdup(value + 2), r->side};
    c->facts[c->fact_count++] = fact;
    return fact.name == NULL || fact.value == NULL ? no_memory() : WL_OK;
}

static wl_status read_file(wl_comparison *c, size_t side, const char *path) {
    reader r = {.c = c, .side = side, .path = path};
    char *text;
    WL_TRY(wl_text_read(path, &text));
    wl_status status = WL_OK;
    for (char *line = text, *next; status == WL_OK && line != NULL && *line; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) *next++ = 0;
        r.line++;
        const size_t length = strlen(line);
        if (length > 0 && line[length - 1] == '\r') line[length - 1] = 0;
        if (*line == 0) continue;
        status = *line == '#' ? take_fact(&r, line) : r.has_columns ? take_row(&r, line) : take_heads(&r, line);
    }
    free(text);
    if (status == WL_OK && !r.has_columns)
        status = wl_fail(WL_BAD_INPUT, "%s: found no rows; expected a result file of 'warpladder run'", path);
    return status;
}

static int is_shown(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* A file, or what lies in a folder: *.tsv, and to a depth of two the folders in it. */
static wl_status read_path(wl_comparison *c, size_t side, const char *path, int depth, size_t *files) {
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISDIR(found.st_mode)) {
        ++*files;
        return read_file(c, side, path);
    }
    struct dirent **entries;
    const int count = scandir(path, &entries, is_shown, versionsort);
    if (count < 0)
        return wl_fail(WL_BAD_INPUT, "%s: %s; expected a result file or a folder of them", path, strerror(errno));
    wl_status status = WL_OK;
    for (int i = 0; i < count; i++) {
        char *inner;
        const size_t length = strlen(entries[i]->d_name);
        const int is_table = length > 4 && strcmp(entries[i]->d_name + length - 4, ".tsv") == 0;
        if (status == WL_OK && asprintf(&inner, "%s/%s", path, entries[i]->d_name) < 0)
            status = no_memory();
        else if (status == WL_OK) {
            const int is_folder = stat(inner, &found) == 0 && S_ISDIR(found.st_mode);
            if (is_table || (is_folder && depth > 0)) status = read_path(c, side, inner, depth - 1, files);
            free(inner);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

wl_status wl_compare_read(wl_comparison *c, size_t side, const char *path) {
    size_t files = 0;
    WL_TRY(read_path(c, side, path, 2, &files));
    return files > 0 ? WL_OK : wl_fail(WL_BAD_INPUT, "%s: found no .tsv in this folder; expected result files", path);
}

void wl_compare_free(wl_comparison *c) {
    for (size_t i = 0; i < c->count; i++) {
        for (int t = 0; t < TEXTS; t++) free(texts_of(&c->rows[i])[t]);
        for (size_t s = 0; s < c->sides; s++) free(c->rows[i].sides[s].ms);
        free(c->rows[i].sides);
    }
    for (size_t i = 0; i < c->fact_count; i++) {
        free(c->facts[i].name);
        free(c->facts[i].value);
    }
    free(c->rows);
    free(c->facts);
}

const char *wl_compare_fact(const wl_comparison *c, size_t side, const char *name) {
    for (size_t i = 0; i < c->fact_count; i++)
        if (c->facts[i].side == side && strcmp(c->facts[i].name, name) == 0) return c->facts[i].value;
    return NULL;
}

/* --- Comparing --------------------------------------------------------------------------------------------------- */

static int has_time(const wl_side *side) { return side->count > 0 && !side->failed; }

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
    if (first->count > 1 && other->count > 1) {
        half = wl_student_95(first->count + other->count - 2) * sqrt(squares / (n + m - 2) * (1 / n + 1 / m));
    } else {
        const double a = isnan(first->noise) ? 0 : first->noise, b = isnan(other->noise) ? 0 : other->noise;
        half = fmax(sqrt(a * a + b * b), WL_COMPARE_PROCESS);
    }
    half = fmax(half, WL_COMPARE_LEAST);
    return (wl_ratio){exp(middle), exp(middle - half), exp(middle + half)};
}

const char *wl_compare_word(const wl_side *first, const wl_side *other) {
    if (first->count == 0 && !first->failed) return "only there";
    if (other->count == 0 && !other->failed) return "only here";
    const wl_ratio ratio = wl_compare_ratio(first, other);
    if (isnan(ratio.median)) return "failed";
    if (ratio.low <= 1 && ratio.high >= 1) return "same";
    return ratio.median > 1 ? "slower" : "faster";
}
