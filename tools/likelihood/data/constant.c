/* Columns of one letter, which alignments of variable columns lack and of which only the numbers are known. */
#include <stdlib.h>
#include <string.h>

#include "tools/likelihood/data/columns.h"

uint64_t peeling_columns_repeats(const peeling_columns *columns, uint32_t c) {
    const uint32_t others = columns->columns - columns->constants;
    return c < others ? 1 : columns->constant[c - others];
}

uint64_t peeling_columns_total(const peeling_columns *columns) {
    uint64_t total = columns->columns - columns->constants;
    for (uint32_t k = 0; k < columns->constants; k++) total += columns->constant[k];
    return total;
}

/* The alignment, and one column of each letter that is in a column at all. */
static wl_status with_letters(const wl_alignment *alignment, const char *letters, wl_alignment *made) {
    const size_t columns = alignment->columns, more = strlen(letters);
    *made = *alignment;
    made->columns = columns + more;
    made->count = 0;
    made->rows = calloc(alignment->count, sizeof *made->rows);
    for (; made->rows && made->count < alignment->count; made->count++) {
        wl_alignment_row *row = &made->rows[made->count];
        *row = alignment->rows[made->count];
        char *text = malloc(columns + more + 1);
        if (text == NULL) break;
        memcpy(text, row->letters, columns);
        memcpy(text + columns, letters, more + 1);
        row->letters = text;
    }
    if (made->count == alignment->count) return WL_OK;
    wl_alignment_free(made);
    return wl_fail(WL_NO_MACHINE, "not enough memory for %zu rows of an alignment", alignment->count);
}

wl_status peeling_columns_make_constant(const char *path, const wl_alignment *alignment, const uint64_t counts[4],
                                        int threads, peeling_columns *made) {
    char letters[5] = "";
    uint32_t more = 0;
    for (int k = 0; k < 4; k++)
        if (counts[k] > 0) letters[more++] = "ACGT"[k];
    wl_alignment longer;
    WL_TRY(with_letters(alignment, letters, &longer));
    const wl_status status =
        peeling_columns_make(path, &longer, PEELING_NUCLEOTIDES, PEELING_CODE_STANDARD, threads, made);
    wl_alignment_free(&longer);
    if (status != WL_OK) return status;
    for (int k = 0; k < 4; k++) {
        if (counts[k] == 0) continue;
        const uint32_t column = made->columns - more + made->constants;
        const double rest = (double)(counts[k] - 1);
        ((double *)made->data.weight)[made->pattern_of[column]] += rest; // whose memory is this struct's
        made->counts[k] += rest * made->tips;
        made->counts[12 + k] += rest * made->tips;
        made->constant[made->constants++] = counts[k];
    }
    return WL_OK;
}
