/* Data without constant columns: Lewis 2001. */
#include "tools/likelihood/variable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "tools/likelihood/partitions.h"

typedef peeling_likelihood_request request;

/* "1-3, 7, 9", as much as fits. */
static void list_columns(const uint32_t *column, uint32_t count, char *text, size_t size) {
    size_t length = 0;
    for (uint32_t i = 0, last; i < count; i = last + 1) {
        for (last = i; last + 1 < count && column[last + 1] == column[last] + 1; last++) continue;
        if (size - length < 40) {
            snprintf(text + length, size - length, ", ..");
            return;
        }
        length += (size_t)snprintf(text + length, size - length, "%s%u", i > 0 ? ", " : "", column[i] + 1);
        if (last > i) length += (size_t)snprintf(text + length, size - length, "-%u", column[last] + 1);
    }
}

static wl_status refuse_constant(const request *r, const uint32_t *constant, uint32_t count) {
    char list[200];
    list_columns(constant, count, list, sizeof list);
    return wl_fail(WL_BAD_INPUT,
                   "%s: found %u column%s in which all rows may have the same state, the first of them column %u; "
                   "expected none, since +ASC is for data from which they were left out (--drop-constant leaves them "
                   "out): %s",
                   r->alignment, count, wl_plural(count), constant[0] + 1, list);
}

/* The alignment without the columns `constant` [count], which rise; l->column are those that stay. */
static wl_status drop_columns(const request *r, const wl_alignment *alignment, const uint32_t *constant, uint32_t count,
                              peeling_likelihood *l) {
    const uint32_t all = l->columns.columns, width = l->columns.alphabet == PEELING_CODONS ? 3 : 1;
    peeling_partition kept = {.column = malloc((size_t)width * all * sizeof *kept.column)};
    l->column = malloc(all * sizeof *l->column);
    wl_status status = kept.column && l->column
                           ? WL_OK
                           : wl_fail(WL_NO_MACHINE, "%s: not enough memory for its columns", r->alignment);
    for (uint32_t c = 0, next = 0, left = 0; c < all && status == WL_OK; c++) {
        if (next < count && constant[next] == c) {
            next++;
            continue;
        }
        l->column[left++] = c;
        for (uint32_t k = 0; k < width; k++) kept.column[kept.columns++] = (size_t)width * c + k;
    }
    if (status == WL_OK && kept.columns == 0)
        status = wl_fail(WL_BAD_INPUT, "%s: found no column that is variable; expected one for +ASC", r->alignment);
    wl_alignment cut;
    if (status == WL_OK) status = peeling_partition_cut(alignment, &kept, &cut);
    free(kept.column);
    if (status != WL_OK) return status;
    peeling_columns_free(&l->columns);
    status = likelihood_make_columns(r, &cut, &l->columns);
    wl_alignment_free(&cut);
    return status;
}

wl_status likelihood_look_for_constant(const request *r, const wl_alignment *alignment, peeling_likelihood *l) {
    const peeling_columns *columns = &l->columns;
    uint32_t count = 0, *constant = malloc((columns->columns + (size_t)1) * sizeof *constant);
    if (constant == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory for its columns", r->alignment);
    for (uint32_t c = 0; c < columns->columns; c++)
        if (peeling_columns_may_be_constant(columns, columns->pattern_of[c])) constant[count++] = c;
    wl_status status = WL_OK;
    if (count > 0 && r->drops_constant) {
        status = drop_columns(r, alignment, constant, count, l);
        if (status == WL_OK)
            peeling_likelihood_note(r, "%s: %u column%s may be constant, and %s left out", r->alignment, count,
                                    wl_plural(count), count == 1 ? "is" : "are");
    } else if (count > 0) {
        status = refuse_constant(r, constant, count);
    }
    free(constant);
    return status;
}

/* One more pattern for each state, which all tips have. */
wl_status likelihood_add_constant(peeling_likelihood *l) {
    peeling_data *data = &l->input.data;
    const size_t before = data->patterns, states = (size_t)l->model.states, patterns = before + states;
    l->code = malloc(data->tips * patterns * sizeof *l->code);
    l->weight = calloc(patterns, sizeof *l->weight);
    if (l->code == NULL || l->weight == NULL)
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu patterns", patterns);
    memcpy(l->weight, data->weight, before * sizeof *l->weight);
    for (size_t t = 0; t < data->tips; t++) {
        uint16_t *row = l->code + t * patterns;
        memcpy(row, data->code + t * before, before * sizeof *row);
        for (size_t k = 0; k < states; k++) row[before + k] = (uint16_t)k;
    }
    data->code = l->code;
    data->weight = l->weight;
    data->patterns = (uint32_t)patterns;
    return WL_OK;
}

void peeling_likelihood_correct(peeling_likelihood *l) {
    if (!l->settings.variable_only) return;
    const uint32_t patterns = l->columns.data.patterns;
    double constant = 0;
    for (uint32_t p = patterns; p < l->input.data.patterns; p++) constant += exp(l->site[p]);
    const double variable = log1p(-constant);
    for (uint32_t p = 0; p < patterns; p++) l->site[p] -= variable;
    l->total -= l->columns.columns * variable;
}
