#include "tools/align_reads/write.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

/* --- Columns ----------------------------------------------------------------------------------------------------- */

/* Visits a read's letters in order: letters with a site, and letters without one. The latter come before old column `before`, as number
   `rank` of the read's letters there. */
typedef struct {
    const int32_t *column; // [length]
    uint32_t length, j;
    int32_t before; // where inserted letters go now
    uint32_t rank;
} visitor;

static visitor visit(const papara_data *data, const papara_aligned *aligned, size_t r) {
    visitor v = {.column = aligned->column + data->start[r], .length = data->length[r]};
    uint32_t first = 0;
    while (first < v.length && v.column[first] < 0) first++;
    if (first < v.length) v.before = v.column[first];
    return v;
}

/* Goes on after a letter, which had `site` or, if that is below 0, none. */
static void step(visitor *v, int32_t site) {
    if (site >= 0) {
        v->before = site + 1;
        v->rank = 0;
    } else {
        v->rank++;
    }
    v->j++;
}

wl_status papara_layout_make(const papara_data *data, const papara_aligned *aligned, int keep_insertions,
                             papara_layout *layout) {
    size_t sites = data->reference.columns;
    *layout = (papara_layout){0};
    if (!WL_ALLOCATE(WL_ZEROS(layout->before, sites + 1), WL_ARRAY(layout->place, sites + 1)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu columns", sites);
    for (size_t r = 0; r < data->reads.count && keep_insertions; r++) {
        for (visitor v = visit(data, aligned, r); v.j < v.length; step(&v, v.column[v.j]))
            if (v.column[v.j] < 0 && layout->before[v.before] <= v.rank) layout->before[v.before] = v.rank + 1;
    }
    for (size_t c = 0; c <= sites; c++) {
        layout->added += layout->before[c];
        layout->place[c] = c + layout->added;
    }
    layout->columns = layout->place[sites];
    return WL_OK;
}

void papara_layout_free(papara_layout *layout) {
    WL_FREE(layout->before, layout->place);
    *layout = (papara_layout){0};
}

/* --- Rows -------------------------------------------------------------------------------------------------------- */

static void lay_reference(const papara_data *data, const papara_layout *layout, size_t i, char *letters) {
    for (size_t c = 0; c < data->reference.columns; c++) letters[layout->place[c]] = data->row[i][c];
}

static void lay_read(const papara_data *data, const papara_aligned *aligned, const papara_layout *layout, size_t r,
                     char *letters) {
    const char *read = data->sequences.items[r].letters;
    for (visitor v = visit(data, aligned, r); v.j < v.length; step(&v, v.column[v.j])) {
        int32_t site = v.column[v.j];
        if (site >= 0)
            letters[layout->place[site]] = read[v.j];
        else if (layout->added > 0)
            letters[layout->place[v.before] - layout->before[v.before] + v.rank] = read[v.j];
    }
}

void papara_layout_row(const papara_data *data, const papara_aligned *aligned, const papara_layout *layout, size_t row,
                       char *letters) {
    memset(letters, '-', layout->columns);
    if (row < data->reference.count)
        lay_reference(data, layout, row, letters);
    else
        lay_read(data, aligned, layout, row - data->reference.count, letters);
}

wl_status papara_write_alignment(FILE *stream, wl_alignment_format format, int rows, const papara_data *data,
                                 const papara_aligned *aligned, const papara_layout *layout) {
    size_t references = rows & PAPARA_ROWS_REFERENCE ? data->reference.count : 0;
    size_t reads = rows & PAPARA_ROWS_READS ? data->reads.count : 0;
    char *letters = malloc(layout->columns + 1);
    if (letters == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a row of %zu letters", layout->columns);
    letters[layout->columns] = 0;
    wl_alignment_write_header(stream, format, references + reads, layout->columns);
    for (size_t i = 0; i < references && !ferror(stream); i++) {
        papara_layout_row(data, aligned, layout, i, letters);
        wl_alignment_write_row(stream, format, data->name[i], letters, layout->columns);
    }
    for (size_t r = 0; r < reads && !ferror(stream); r++) {
        papara_layout_row(data, aligned, layout, data->reference.count + r, letters);
        wl_alignment_write_row(stream, format, data->sequences.items[r].name, letters, layout->columns);
    }
    free(letters);
    return WL_OK;
}

/* --- The table --------------------------------------------------------------------------------------------------- */

void papara_write_table(FILE *stream, const papara_data *data, const papara_aligned *aligned) {
    fputs("read\tedge\tscore\trunner_up_edge\trunner_up_score\tletters\tinserted\tfirst_column\tlast_column\tstrand\n",
          stream);
    for (size_t r = 0; r < data->reads.count; r++) {
        const papara_best *best = &aligned->best[r];
        const int32_t *column = aligned->column + data->start[r];
        int32_t first = 0, last = 0;
        uint32_t inserted = 0;
        for (uint32_t j = 0; j < data->length[r]; j++) {
            inserted += column[j] < 0;
            if (column[j] < 0) continue;
            last = column[j] + 1;
            if (first == 0) first = last;
        }
        fprintf(stream, "%s\t%u\t%d\t%u\t%d\t%u\t%u\t", data->sequences.items[r].name,
                papara_tree_edge_number(&data->tree, best->vector), best->score,
                papara_tree_edge_number(&data->tree, best->second_vector), best->second_score, data->length[r],
                inserted);
        if (last > 0)
            fprintf(stream, "%d\t%d", first, last);
        else
            fputs("NA\tNA", stream);
        fputs(aligned->turned[r] ? "\t-\n" : "\t+\n", stream);
    }
}

/* --- What is left out -------------------------------------------------------------------------------------------- */

void papara_write_left(FILE *stream, const papara_data *data) {
    static const char *const names[] = {[PAPARA_LEFT_UNKNOWN] = "nothing but N or X",
                                        [PAPARA_LEFT_ROW_NAME] = "name of a row",
                                        [PAPARA_LEFT_READ_NAME] = "name of another read"};
    for (size_t i = 0; i < data->left_count; i++) {
        const papara_left *left = &data->left[i];
        const wl_sequence *read = &left->sequence;
        fprintf(stream, ">%s left out: ", read->name);
        if (left->reason == PAPARA_LEFT_EMPTY)
            fputs("no letters", stream);
        else if (left->reason == PAPARA_LEFT_LONG)
            fprintf(stream, "%zu letters, %zu sites", read->length, data->reference.columns);
        else if (left->reason == PAPARA_LEFT_SCORE)
            fprintf(stream, "score per letter %.3f", (double)left->score / (double)read->length);
        else
            fputs(names[left->reason], stream);
        fprintf(stream, ", line %zu\n%s%s", read->line, read->letters, read->length > 0 ? "\n" : "");
    }
}
