/* The state of 10_one_pair: its sequences, and the row between two bands. */
#ifndef SW_10_ONE_PAIR_STATE_H
#define SW_10_ONE_PAIR_STATE_H

#include "sw/10_one_pair/plan.h"

typedef struct {
    sw_state *s; // the database in groups of one subject
    one_plan plan;
    one_sequence *rows, *columns;               // host, [row_count + 1], [column_count + 1]: how the launches are cut
    one_sequence *device_rows, *device_columns; // device, copies
    size_t row_count, column_count, several;    // several: rows' sequences with several bands, which come first
    uint8_t *scores;                            // device, [SW_CODES][SW_CODES]: [a column's code][a row's]
    ulonglong2 *edge; // device, [pair][word][2]: see edge.h; of the pairs of a launch whose rows are several bands
    size_t edge_words;
    unsigned long long *turn; // device: bands that have been handed out
    size_t multiprocessors;
} one_state;

static void one_release(void *state) {
    one_state *one = (one_state *)state;
    if (one == NULL) return;
    wl_cuda_free_all(one->device_rows, one->device_columns, one->scores, one->edge, one->turn);
    free(one->rows);
    free(one->columns);
    sw_release(one->s);
    free(one);
}

static wl_status one_collect(void *state, void *output, int poison) {
    return sw_collect(((const one_state *)state)->s, output, poison);
}

/* --- Memory ---------------------------------------------------------------------------------------------------------- */

enum { ONE_EDGE_BYTES = 2 * sizeof(ulonglong2) }; // of four columns

static inline size_t one_words(uint32_t length) { return ((size_t)length + 3) / 4; }

/* Words of an edge of one pair, and of all pairs, of those whose rows are several bands. Returns how many rows' sequences are. */
static size_t one_edges(const sw_input *in, const one_plan *plan, size_t *one, size_t *all) {
    const sw_set *rows = plan->rows_are_queries ? &in->queries : &in->database;
    const sw_set *columns = plan->rows_are_queries ? &in->database : &in->queries;
    size_t several = 0, words = 0;
    for (size_t r = 0; r < rows->count; r++) several += rows->length[r] > one_band_rows(plan->height);
    for (size_t c = 0; c < columns->count; c++) words += one_words(columns->length[c]);
    *one = several > 0 ? one_words(columns->longest) : 0;
    *all = several * words;
    return several;
}

/* Device memory, besides the edges. */
static size_t one_bytes(const sw_input *in) {
    enum { ENDS = 16 << 20 }; // what allocations lose at their ends
    const size_t sequences = in->queries.count + in->database.count + 2;
    return sw_upload_bytes(in, 1) + sequences * sizeof(one_sequence) + ENDS;
}

static const char *one_supports(const wl_device *device, const void *input) {
    enum { VOLTA = 70 };
    const sw_input *in = (const sw_input *)input;
    if (device->compute_capability < VOLTA)
        return "its warps wait for each other, which they can from compute capability 7.0 on";
    if (in->database.count > INT32_MAX) return "more than 2 billion sequences; give them in parts";
    if (sw_refuse_scores(in) != NULL) return sw_refuse_scores(in);
    const one_plan plan = one_choose(device, in);
    size_t least, all;
    one_edges(in, &plan, &least, &all);
    if (one_bytes(in) + ONE_EDGE_BYTES * least > device->memory_free)
        return "the sequences, scores and edges of bands do not fit into device memory";
    return NULL;
}

static wl_status one_allocate_edge(const wl_device *device, one_state *one) {
    size_t least, all;
    one->several = one_edges(one->s->input, &one->plan, &least, &all);
    const size_t taken = one_bytes(one->s->input),
                 free_bytes = device->memory_free > taken ? device->memory_free - taken : 0;
    const size_t most = free_bytes / 2 / ONE_EDGE_BYTES; // another worker may want the rest
    one->edge_words = all < most ? all : most > least ? most : least;
    return wl_cuda_allocate(&one->edge, ONE_EDGE_BYTES * one->edge_words);
}

/* --- Sequences ------------------------------------------------------------------------------------------------------- */

static int one_longer(const void *left, const void *right) {
    const one_sequence *a = (const one_sequence *)left, *b = (const one_sequence *)right;
    if (a->length != b->length) return a->length < b->length ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

/* first_word: of each sequence on the device; NULL: as in the set. */
static one_sequence *one_list(const sw_set *set, const uint64_t *first_word) {
    one_sequence *list = (one_sequence *)calloc(set->count + 1, sizeof *list);
    for (size_t k = 0; list != NULL && k < set->count; k++)
        list[k] = (one_sequence){.word = first_word ? first_word[k] : (set->start[k] - set->start[0]) / SW_ALIGN,
                                 .length = set->length[k],
                                 .number = (uint32_t)k};
    if (list != NULL) qsort(list, set->count, sizeof *list, one_longer);
    return list;
}

static wl_status one_make_lists(one_state *one) {
    const sw_input *in = one->s->input;
    const int by_query = one->plan.rows_are_queries;
    one_sequence *queries = one_list(&in->queries, NULL), *subjects = one_list(&in->database, one->s->first_word);
    one->rows = by_query ? queries : subjects;
    one->columns = by_query ? subjects : queries;
    if (queries == NULL || subjects == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for lists of sequences");
    one->row_count = by_query ? in->queries.count : in->database.count;
    one->column_count = by_query ? in->database.count : in->queries.count;
    const size_t band = one_band_rows(one->plan.height);
    for (size_t r = 0; r < one->row_count; r++)
        one->rows[r + 1].before = one->rows[r].before + (one->rows[r].length + band - 1) / band;
    for (size_t c = 0; c < one->column_count; c++)
        one->columns[c + 1].before = one->columns[c].before + one_words(one->columns[c].length);
    WL_TRY(wl_cuda_copy(&one->device_rows, one->rows, sizeof *one->rows * (one->row_count + 1)));
    return wl_cuda_copy(&one->device_columns, one->columns, sizeof *one->columns * (one->column_count + 1));
}

static wl_status one_copy_scores(one_state *one) {
    const sw_scoring *scoring = &one->s->input->scoring;
    int8_t scores[SW_CODES][SW_CODES];
    for (int column = 0; column < SW_CODES; column++)
        for (int row = 0; row < SW_CODES; row++)
            scores[column][row] =
                one->plan.rows_are_queries ? scoring->matrix[row][column] : scoring->matrix[column][row];
    return wl_cuda_copy(&one->scores, scores, sizeof scores);
}

static wl_status one_prepare(const wl_device *device, const void *input, void **state) {
    const sw_input *in = (const sw_input *)input;
    one_state *one = (one_state *)calloc(1, sizeof *one);
    if (one == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    one->plan = one_choose(device, in);
    one->multiprocessors = (size_t)device->multiprocessors;
    wl_status status = sw_upload(device, in, &in->database, 1, INT_MAX, &one->s);
    if (status == WL_OK) status = one_make_lists(one);
    if (status == WL_OK) status = one_copy_scores(one);
    if (status == WL_OK) status = one_allocate_edge(device, one);
    if (status == WL_OK) status = wl_cuda_allocate(&one->turn, sizeof *one->turn);
    return wl_prepared(status, one, one_release, state);
}

#endif
