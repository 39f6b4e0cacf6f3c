#include "tools/distances/read/alleles.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distances/planes.h"
#include "harness/base/memory.h"

#define MOST_NUMBER 9007199254740992.0 // 2^53, from which on a double no longer tells numbers apart
enum { CODES_MOST = 1 << DISTANCES_PLANES_MOST };

static int is_one_of(wl_table_field f, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == f.length && memcmp(words[i], f.text, f.length) == 0) return 1;
    return 0;
}

int distances_alleles_begin(const char *corner) {
    static const char *const words[] = {"FILE", "ST", "cgST"};
    return corner != NULL && is_one_of((wl_table_field){corner, strlen(corner)}, words, sizeof words / sizeof *words);
}

/* What chewBBACA writes where a locus is not found, or not well. */
static int is_missing_word(wl_table_field f) {
    static const char *const words[] = {"LNF",  "NIPH", "NIPHEM", "PLOT3", "PLOT5", "PLOT", "LOTSC",
                                        "PLNF", "ASM",  "ALM",    "PAMA",  "EXC",   "N",    "INF"};
    return is_one_of(f, words, sizeof words / sizeof *words);
}

/* Without what says that an allele is a new one. */
static wl_table_field without_mark(wl_table_field f) {
    static const char inferred[] = "INF-";
    const size_t length = sizeof inferred - 1;
    if (f.length > length && memcmp(f.text, inferred, length) == 0) {
        f.text += length;
        f.length -= length;
    }
    if (f.length > 1 && *f.text == '*') f.text++, f.length--;
    return f;
}

int distances_is_allele_word(wl_table_field field) {
    return is_missing_word(field) || (without_mark(field).length < field.length && distances_allele(field) >= 0);
}

double distances_allele(wl_table_field field) {
    if (wl_table_is_missing(field) || is_missing_word(field)) return 0;
    wl_table_field f = without_mark(field);
    const int negative = f.length > 1 && *f.text == '-';
    double value = 0;
    for (size_t i = (size_t)negative; i < f.length; i++) {
        if (!isdigit((unsigned char)f.text[i])) return -1;
        value = 10 * value + (f.text[i] - '0');
        if (value >= MOST_NUMBER) return -1;
    }
    return negative ? 0 : value;
}

/* --- Codes ------------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The numbers of column k in order, each once, into sorted [count]; returns how many. */
static size_t distinct(const distances_data *data, uint64_t k, double *sorted) {
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < data->count; i++) {
        const double value = data->real[i * data->sites + k];
        if (!isnan(value)) sorted[count++] = value;
    }
    qsort(sorted, count, sizeof *sorted, by_value);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[kept - 1]) sorted[kept++] = sorted[i];
    return kept;
}

/* The numbers of each column become their ranks, from 0. Returns how many ranks there are at most. */
static size_t rank_columns(distances_data *data, double *sorted) {
    size_t most = 1;
    for (uint64_t k = 0; k < data->sites; k++) {
        const size_t count = distinct(data, k, sorted);
        if (count > most) most = count;
        for (size_t i = 0; i < data->count; i++) {
            double *value = &data->real[i * data->sites + k];
            if (isnan(*value)) continue;
            *value = (double)((const double *)bsearch(value, sorted, count, sizeof *sorted, by_value) - sorted);
        }
    }
    return most;
}

/* Ranks to planes, in place of the numbers. */
static wl_status pack(distances_rows *rows, int planes) {
    distances_data *data = &rows->data;
    const distances_data numbers = *data;
    const size_t old_bytes = rows->row_capacity * numbers.sites * sizeof(double);
    data->real = NULL;
    data->count = 0;
    rows->row_capacity = 0;
    distances_rows_shape(rows, numbers.sites, planes);
    uint8_t *codes = calloc(data->words, 64); // [words][64]
    wl_status status = codes ? distances_rows_reserve(rows, numbers.count)
                             : wl_fail(WL_NO_MACHINE, "%s: not enough memory for a row", rows->file);
    for (size_t i = 0; i < numbers.count && status == WL_OK; i++) {
        for (uint64_t k = 0; k < numbers.sites; k++) {
            const double rank = numbers.real[i * numbers.sites + k];
            codes[k] = isnan(rank) ? 0 : (uint8_t)(DISTANCES_PRESENT | (int)rank);
        }
        status = distances_rows_codes(rows, codes);
    }
    WL_FREE(codes, numbers.real);
    distances_rows_return(rows, old_bytes);
    return status;
}

wl_status distances_alleles_finish(distances_rows *rows) {
    distances_data *data = &rows->data;
    double *sorted = malloc(data->count * sizeof *sorted); // [count]
    if (sorted == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory for a column", rows->file);
    for (size_t at = 0; at < data->count * data->sites; at++)
        if (data->real[at] <= 0) data->real[at] = NAN;
    const size_t most = rank_columns(data, sorted);
    free(sorted);
    data->kind = DISTANCES_CATEGORIES;
    data->sum = DISTANCES_DIFFERENT;
    return most <= CODES_MOST ? pack(rows, distances_planes(DISTANCES_DIFFERENT, (int)most)) : WL_OK;
}
