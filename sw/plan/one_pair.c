#include "sw/plan/one_pair.h"

#include <stdlib.h>

#include "io/database/set.h"
#include "sw/limits.h"
#include "sw/plan/cut.h"

static const int heights[SW_ONE_HEIGHTS] = {4, 8, 16};

/* How fast the kernels are on an H100, in clock cycles. A step is a column of a band. */
typedef struct {
    double alone;  // a step of a warp that has its scheduler to itself
    double shared; // a scheduler's time for a step, if several warps share it
} pace_of_height;
static const pace_of_height paces[SW_ONE_HEIGHTS] = {{179, 165}, {200, 244}, {350, 232}};
static const double lag = 40; // steps from a band to the next: 31 for the lanes, the others for global memory
static const double launch_cycles = 2e4;

typedef struct {
    int rows_are_queries, height;
    double cycles;
} choice;

size_t sw_one_band_rows(int height) { return (size_t)SW_WARP * (size_t)heights[height]; }

/* The least time, in clock cycles, of all columns with all rows: the schedulers' time for all bands, or the time until the last band
   of the largest pair has followed all others. */
static double cycles_of(const wl_device *device, const sw_set *rows, const sw_set *columns, int height) {
    enum { SCHEDULERS = 4 };
    const double band = (double)sw_one_band_rows(height), count = (double)rows->count;
    const double bands = (double)rows->letters / band + count / 2, most = (double)rows->longest / band + 1;
    const double steps = (double)columns->letters + SW_WARP * (double)columns->count;
    const double all = bands * steps * paces[height].shared / (SCHEDULERS * device->multiprocessors);
    const double last = ((double)columns->longest + most * lag) * paces[height].alone;
    return launch_cycles + (all > last ? all : last);
}

static choice choose(const wl_device *device, const sw_input *in) {
    choice best = {1, 0, 0};
    for (int k = 0; k < 2 * SW_ONE_HEIGHTS; k++) {
        const int by_query = k < SW_ONE_HEIGHTS, height = k % SW_ONE_HEIGHTS;
        const sw_set *rows = by_query ? &in->queries : &in->database,
                     *columns = by_query ? &in->database : &in->queries;
        const double cycles = cycles_of(device, rows, columns, height);
        if (k == 0 || cycles < best.cycles) best = (choice){by_query, height, cycles};
    }
    return best;
}

/* --- Which subjects it is for ------------------------------------------------------------------------------------------------- */

/* A second stage must save a fifth of the time, and what the host needs for it: a block is prepared and collected twice. */
static const double gain = 0.8, second_stage = 4e6;

/* The stages before take no less for what is left, however many of the first `most` subjects they are spared. */
static double bound(const wl_device *device, const sw_input *in, size_t most) {
    const sw_set first = sw_set_part(&in->database, 0, in->database.count < most ? in->database.count : most);
    const sw_set rest = {.letters = in->database.letters - first.letters};
    const sw_cut cut = sw_choose_stream_bands(&rest, device->multiprocessors);
    return sw_cut_cost(&cut, &in->queries);
}

size_t sw_one_share(const wl_device *device, const void *input) {
    enum { MOST = 4096 };
    const sw_input *in = input;
    const sw_pace *pace = &sw_pace_two_subjects;
    const size_t count = in->database.count;
    size_t best = 0;
    double least = 0;
    if (count == 0 || in->queries.count == 0) return 0;
    for (size_t k = 0; k <= count && k <= MOST; k = k == 0 ? 1 : 2 * k < count || k == count ? 2 * k : count) {
        sw_input first = *in, rest = *in;
        first.database = sw_set_part(&in->database, 0, k);
        rest.database = sw_set_part(&in->database, k, count - k);
        double cycles = k > 0 ? choose(device, &first).cycles : 0;
        if (k < count) {
            const sw_outline outline = sw_outline_of(pace, &rest, device->multiprocessors, SW_BANDED_LANES);
            const sw_cut cut = sw_choose_stream_bands(&outline.database, device->multiprocessors);
            cycles += sw_cut_cost(&cut, &in->queries) + (k > 0 ? second_stage : 0);
        }
        if (k == 0) {
            least = gain * cycles;
            if (bound(device, in, MOST) >= least) return 0; // before it looks at all lengths, again and again
        } else if (cycles < least) {
            least = cycles, best = k;
        }
    }
    return best;
}

int sw_one_faster(const wl_device *device, const void *input) {
    return sw_one_share(device, input) == ((const sw_input *)input)->database.count;
}

/* --- Memory ---------------------------------------------------------------------------------------------------------- */

static size_t words_of(uint32_t length) { return ((size_t)length + 3) / 4; }

/* Words of an edge of one pair, and of all pairs, of those whose rows are several bands. Returns how many rows' sequences are. */
static size_t edges_of(const sw_input *in, const choice *plan, size_t *one, size_t *all) {
    const sw_set *rows = plan->rows_are_queries ? &in->queries : &in->database;
    const sw_set *columns = plan->rows_are_queries ? &in->database : &in->queries;
    size_t several = 0, words = 0;
    for (size_t r = 0; r < rows->count; r++) several += rows->length[r] > sw_one_band_rows(plan->height);
    for (size_t c = 0; c < columns->count; c++) words += words_of(columns->length[c]);
    *one = several > 0 ? words_of(columns->longest) : 0;
    *all = several * words;
    return several;
}

/* Device memory, besides the edges. */
static size_t bytes_without_edges(const sw_input *in) {
    enum { ENDS = 16 << 20 }; // what allocations lose at their ends
    const size_t sequences = in->queries.count + in->database.count + 2;
    return sw_upload_bytes(in, 1) + sequences * sizeof(sw_one_sequence) + ENDS;
}

const char *sw_one_supports(const wl_device *device, const void *input) {
    enum { VOLTA = 70 };
    const sw_input *in = input;
    if (device->compute_capability < VOLTA)
        return "its warps wait for each other, which they can from compute capability 7.0 on";
    if (in->database.count > INT32_MAX) return "more than 2 billion sequences; give them in parts";
    if (sw_refuse_scores(in) != NULL) return sw_refuse_scores(in);
    const choice plan = choose(device, in);
    size_t least, all;
    edges_of(in, &plan, &least, &all);
    if (bytes_without_edges(in) + SW_ONE_EDGE_BYTES * least > device->memory_free)
        return "the sequences, scores and edges of bands do not fit into device memory";
    return NULL;
}

/* --- Sequences ------------------------------------------------------------------------------------------------------- */

static int longer(const void *left, const void *right) {
    const sw_one_sequence *a = left, *b = right;
    if (a->length != b->length) return a->length < b->length ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

/* first_word: of each sequence on the device; NULL: as in the set. */
static sw_one_sequence *list_of(const sw_set *set, const uint64_t *first_word) {
    sw_one_sequence *list = calloc(set->count + 1, sizeof *list);
    for (size_t k = 0; list != NULL && k < set->count; k++)
        list[k] = (sw_one_sequence){.word = first_word ? first_word[k] : (set->start[k] - set->start[0]) / SW_ALIGN,
                                    .length = set->length[k],
                                    .number = (uint32_t)k};
    if (list != NULL) qsort(list, set->count, sizeof *list, longer);
    return list;
}

static wl_status make_lists(const sw_input *in, const uint64_t *first_word, sw_one_plan *plan) {
    const int by_query = plan->rows_are_queries;
    sw_one_sequence *queries = list_of(&in->queries, NULL), *subjects = list_of(&in->database, first_word);
    plan->rows = by_query ? queries : subjects;
    plan->columns = by_query ? subjects : queries;
    if (queries == NULL || subjects == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for lists of sequences");
    plan->row_count = by_query ? in->queries.count : in->database.count;
    plan->column_count = by_query ? in->database.count : in->queries.count;
    const size_t band = sw_one_band_rows(plan->height);
    for (size_t r = 0; r < plan->row_count; r++)
        plan->rows[r + 1].before = plan->rows[r].before + (plan->rows[r].length + band - 1) / band;
    for (size_t c = 0; c < plan->column_count; c++)
        plan->columns[c + 1].before = plan->columns[c].before + words_of(plan->columns[c].length);
    return WL_OK;
}

wl_status sw_one_make(const wl_device *device, const sw_input *in, const uint64_t *first_word, sw_one_plan *plan) {
    const choice best = choose(device, in);
    size_t least, all;
    *plan = (sw_one_plan){.rows_are_queries = best.rows_are_queries, .height = best.height};
    for (int column = 0; column < SW_CODES; column++)
        for (int row = 0; row < SW_CODES; row++)
            plan->scores[column][row] =
                best.rows_are_queries ? in->scoring.matrix[row][column] : in->scoring.matrix[column][row];
    plan->several = edges_of(in, &best, &least, &all);
    const size_t taken = bytes_without_edges(in),
                 free_bytes = device->memory_free > taken ? device->memory_free - taken : 0;
    const size_t most = free_bytes / 2 / SW_ONE_EDGE_BYTES; // another worker may want the rest
    plan->edge_words = all < most ? all : most > least ? most : least;
    return make_lists(in, first_word, plan);
}

void sw_one_free(sw_one_plan *plan) {
    free(plan->rows);
    free(plan->columns);
}
