/* Instances that another program has in memory already. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distances/planes.h"
#include "tools/distances/read/formats.h"

#define MOST_INTEGER 127

static wl_status check_shape(const char *who, size_t count, size_t sites) {
    if (count == 0 || sites == 0)
        return wl_fail(WL_BAD_INPUT, "%s: found %zu rows of %zu values; expected at least one of each", who, count,
                       sites);
    if (sites > DISTANCES_SITES_MOST)
        return wl_fail(WL_BAD_INPUT, "%s: found %zu values in a row; expected at most %llu", who, sites,
                       (unsigned long long)DISTANCES_SITES_MOST);
    return WL_OK;
}

static wl_status end(distances_rows *rows, wl_status status, distances_data *data) {
    if (status == WL_OK) status = distances_rows_finish(rows, data);
    if (status != WL_OK) distances_rows_drop(rows);
    return status;
}

/* --- Letters ----------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *who, *letters;
    size_t count, sites;
    char *row; // [sites + 1]
} letter_rows;

static wl_status each_row(void *source, wl_sequence_taker *take, void *context) {
    const letter_rows *l = source;
    char name[24], comment[] = "";
    for (size_t i = 0; i < l->count; i++) {
        memcpy(l->row, l->letters + i * l->sites, l->sites);
        for (size_t k = 0; k < l->sites; k++)
            if (!wl_sequence_has((unsigned char)l->row[k])) {
                char shown[16];
                return wl_fail(WL_BAD_INPUT,
                               "%s:%zu: found %s at position %zu; expected a letter, '-', '.', '*' or '?'", l->who,
                               i + 1, wl_bytes_show((unsigned char)l->row[k], shown), k + 1);
            }
        snprintf(name, sizeof name, "%zu", i + 1);
        const wl_sequence sequence = {name, comment, l->row, l->sites, i + 1, NULL};
        WL_TRY(take(context, &sequence));
    }
    return WL_OK;
}

wl_status distances_of_letters(const char *letters, size_t count, size_t sites, const distances_reading *reading,
                               FILE *notes, distances_data *data) {
    distances_rows rows = {.file = "letters", .reading = reading, .notes = notes, .place = "row"};
    letter_rows source = {rows.file, letters, count, sites, NULL};
    WL_TRY(check_shape(rows.file, count, sites));
    if ((source.row = malloc(sites + 1)) == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a row");
    source.row[sites] = 0;
    const wl_status status = distances_take_letters(&rows, each_row, &source);
    free(source.row);
    return end(&rows, status, data);
}

/* --- Numbers ----------------------------------------------------------------------------------------------------- */

/* -1: they are real numbers; else the largest, 0 where all are missing. */
static int largest_integer(const double *values, size_t count, int most) {
    int largest = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i])) continue;
        if (!(values[i] >= 0 && values[i] <= most) || values[i] != (int)values[i]) return -1;
        if (values[i] > largest) largest = (int)values[i];
    }
    return largest;
}

static void codes_of(const distances_rows *rows, const double *values, uint8_t *codes) {
    for (uint64_t k = 0; k < rows->data.sites; k++) {
        const int value = isnan(values[k]) ? 0 : (int)values[k];
        const int code = rows->data.sum == DISTANCES_STEPS ? (1 << value) - 1 : value;
        codes[k] = isnan(values[k]) ? 0 : (uint8_t)(DISTANCES_PRESENT | code);
    }
}

static wl_status check_finite(const distances_rows *rows, const double *values, size_t count) {
    const size_t sites = rows->data.sites;
    for (size_t i = 0; i < count; i++)
        if (isinf(values[i]))
            return wl_fail(WL_BAD_INPUT,
                           "%s:%zu: found infinity at position %zu; expected a number, or NaN where there is none",
                           rows->file, i / sites + 1, i % sites + 1);
    return WL_OK;
}

static wl_status refuse_genotypes(const distances_rows *rows, const double *values, size_t count, size_t sites) {
    size_t i = 0;
    while (i + 1 < count && (isnan(values[i]) || values[i] == 0 || values[i] == 1 || values[i] == 2)) i++;
    return wl_fail(WL_BAD_INPUT, "%s:%zu: found %g at position %zu; expected 0, 1 or 2 alleles, or NaN", rows->file,
                   i / sites + 1, values[i], i % sites + 1);
}

wl_status distances_of_numbers(const double *values, size_t count, size_t sites, int are_genotypes,
                               const distances_reading *reading, distances_data *data) {
    distances_rows rows = {.file = "values", .reading = reading, .place = "row"};
    const int unary = are_genotypes || reading->integers_in_unary;
    WL_TRY(check_shape(rows.file, count, sites));
    const int most = are_genotypes ? 2 : unary ? DISTANCES_PLANES_MOST : MOST_INTEGER;
    const int largest = largest_integer(values, count * sites, most), are_reals = largest < 0;
    if (are_genotypes && are_reals) return refuse_genotypes(&rows, values, count * sites, sites);
    rows.data.kind = are_genotypes ? DISTANCES_GENOTYPES : are_reals ? DISTANCES_REALS : DISTANCES_INTEGERS;
    rows.data.sum = are_reals || !unary ? DISTANCES_DIFFERENT : DISTANCES_STEPS;
    const int levels = are_genotypes ? 3 : largest > 0 ? largest + 1 : 2;
    distances_rows_shape(&rows, sites, are_reals ? 0 : distances_planes(rows.data.sum, levels));
    wl_status status = are_reals ? check_finite(&rows, values, count * sites) : WL_OK;
    uint8_t *codes = calloc(rows.data.words, 64); // [words][64]
    if (codes == NULL && status == WL_OK) status = wl_fail(WL_NO_MACHINE, "no memory for a row");
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        char name[24];
        status = distances_rows_name(&rows, name, (size_t)snprintf(name, sizeof name, "%zu", i + 1), i + 1);
        if (status != WL_OK) break;
        if (are_reals) {
            status = distances_rows_reals(&rows, values + i * sites);
        } else {
            codes_of(&rows, values + i * sites, codes);
            status = distances_rows_codes(&rows, codes);
        }
    }
    free(codes);
    return end(&rows, status, data);
}
