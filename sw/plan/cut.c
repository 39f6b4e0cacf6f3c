#include "sw/plan/cut.h"

#include "sw/limits.h"
#include "sw/plan/narrow.h"

#define SHAPE(lanes, rows) {lanes, rows},
const sw_shape sw_shapes[] = {SW_SHAPES(SHAPE)};
enum { SHAPE_COUNT = sizeof sw_shapes / sizeof *sw_shapes };

const sw_pace sw_pace_two_subjects = {.subjects = 2, .clocks = 9.4, .column = 6, .launch = 0};
const sw_pace sw_pace_two_queries = {.subjects = 1, .clocks = 8.6, .column = 4.4, .launch = 4e4};

size_t sw_shape_rows(const sw_shape *shape) { return (size_t)shape->lanes * (size_t)shape->rows; }

size_t sw_at_a_time(const sw_pace *pace, int multiprocessors, int lanes) {
    enum { WARPS = 16 };
    return (size_t)pace->subjects * (size_t)multiprocessors * WARPS * SW_WARP / (size_t)lanes;
}

/* A multiprocessor has four schedulers, each with several warps in turn. A scan takes as long as all schedulers need for all
   columns, or as one group needs for the longest subject. While the device waits for that one, kernels of another host thread can
   use it (`search` has two per device), so this time counts a quarter. With a small database, wide groups with few rows are
   cheapest. */
double sw_shape_cost(const sw_pace *pace, const sw_shape *shape, const sw_set *database, int multiprocessors) {
    enum { SCHEDULERS = 4, WARPS_EACH = 4 };
    double all = (double)database->letters / pace->subjects * shape->lanes / SW_WARP / (SCHEDULERS * multiprocessors);
    double longest = (double)database->longest * WARPS_EACH;
    return pace->launch +
           pace->clocks * (shape->rows + pace->column) * (longest > all ? all + (longest - all) / 4 : all);
}

/* A dynamic program over the rows that are left. */
sw_cut sw_choose_bands(const sw_pace *pace, const sw_shape *shapes, int shape_count, const sw_set *database,
                       int multiprocessors) {
    sw_cut cut = {.shapes = shapes};
    double *cost = cut.cost;
    for (int k = 0; k < shape_count; k++) {
        cut.shape_cost[k] = sw_shape_cost(pace, &shapes[k], database, multiprocessors);
        if (sw_shape_rows(&shapes[k]) > sw_shape_rows(&shapes[cut.largest])) cut.largest = k;
    }
    for (int units = 1; units <= SW_CUT_ROWS / SW_CUT_UNIT; units++)
        for (int k = 0; k < shape_count; k++) {
            const int rest = units - (int)sw_shape_rows(&shapes[k]) / SW_CUT_UNIT;
            const double all = cut.shape_cost[k] + cost[rest > 0 ? rest : 0];
            if (k == 0 || all < cost[units]) cost[units] = all, cut.take[units] = k;
        }
    return cut;
}

sw_cut sw_choose_stream_bands(const sw_set *database, int multiprocessors) {
    return sw_choose_bands(&sw_pace_two_subjects, sw_shapes, SHAPE_COUNT, database, multiprocessors);
}

int sw_cut_first(const sw_cut *cut, size_t rows) {
    return rows > SW_CUT_ROWS ? cut->largest : cut->take[(rows + SW_CUT_UNIT - 1) / SW_CUT_UNIT];
}

double sw_cut_cost(const sw_cut *cut, const sw_set *queries) {
    const size_t largest = sw_shape_rows(&cut->shapes[cut->largest]);
    double cost = 0;
    for (size_t q = 0; q < queries->count; q++) {
        size_t left = queries->length[q];
        for (; left > SW_CUT_ROWS; left -= largest) cost += cut->shape_cost[cut->largest];
        cost += cut->cost[(left + SW_CUT_UNIT - 1) / SW_CUT_UNIT];
    }
    return cost;
}

/* --- Memory ------------------------------------------------------------------------------------------------------ */

sw_outline sw_outline_of(const sw_pace *pace, const sw_input *in, int multiprocessors, int lanes) {
    sw_outline outline = {.size = sw_choose_pieces(in, sw_at_a_time(pace, multiprocessors, lanes))};
    outline.database = sw_measure_pieces(&outline.size, &in->database, &outline.words);
    return outline;
}

size_t sw_banded_bytes(const sw_input *in, const sw_outline *outline, size_t profile, size_t kernels, int edges) {
    enum { ENDS = 64 << 20, EDGE = 4 * sizeof(uint32_t) };
    size_t bytes = sw_upload_bytes_of(in, &outline->database, outline->words, outline->database.count);
    if (outline->size.step > 0)
        bytes += sizeof(uint32_t) * outline->database.count + sizeof(int) * in->queries.count * in->database.count;
    return bytes + sizeof(uint32_t) * profile + sizeof(unsigned) * kernels + EDGE * outline->words * (size_t)edges +
           sw_recompute_edge(in) + ENDS;
}

const char *sw_refuse_banded(const sw_input *in, const sw_outline *outline) {
    if (outline->database.count > INT32_MAX) return "more than 2 billion sequences; give them in parts";
    if (sw_refuse_scores(in) != NULL) return sw_refuse_scores(in);
    if (outline->words > UINT32_MAX) return "more than 16 billion residues; give them in parts";
    return NULL;
}
