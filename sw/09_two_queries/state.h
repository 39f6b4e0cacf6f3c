/* The state of 09_two_queries: which inputs it takes, and what it has on the device. */
#ifndef SW_09_TWO_QUERIES_STATE_H
#define SW_09_TWO_QUERIES_STATE_H

#include "sw/09_two_queries/tracks.h"
#include "sw/kit/short.h"

enum {
    TWO_MOST = 2047, // the largest integer n of which n + 1 is the next float of its kind
    TWO_EDGE_WORDS = 2
};

/* --- Kernels' shapes --------------------------------------------------------------------------------------------- */

/* The number of rows is a multiple of four, because a lane loads four scores at a time. */
// clang-format off
#define TWO_SHAPES(X)                                                                                        \
    X(1, 4) X(1, 8) X(1, 12) X(1, 16) X(1, 20) X(1, 24) X(1, 28) X(1, 32)                                      \
    X(8, 4) X(8, 8) X(8, 12) X(8, 16) X(8, 20) X(8, 24) X(8, 28) X(8, 32) X(8, 36) X(8, 40) X(8, 44) \
    X(16, 28) X(16, 32) X(16, 36) X(16, 40) X(16, 44)                                                \
    X(32, 8) X(32, 12) X(32, 16) X(32, 20) X(32, 24) X(32, 28) X(32, 32) X(32, 36) X(32, 40) X(32, 44)
// clang-format on
static const sw_shape two_shapes[] = {TWO_SHAPES(SW_SHAPE)};
enum { TWO_SHAPE_COUNT = sizeof two_shapes / sizeof *two_shapes };
static const sw_pace two_pace = {.subjects = 1, .clocks = 8.6, .column = 4.4, .launch = 4e4};

/* --- State ------------------------------------------------------------------------------------------------------- */

typedef struct {
    sw_pieces pieces; // what is scanned
    sw_state *s;      // the database in groups of one subject
    sw_two_plan plan;
    uint32_t *profile; // device, [kernel]: see sw_fill_two_profiles
    unsigned *turn;    // device, [kernel]: subjects that it has handed out
    uint4 *edge;       // device, [word][2]: four columns' H and four columns' F of the row above; or NULL
    uint4 *kept;       // a copy made after the cut query's first rows; or NULL
    size_t multiprocessors;
} two_state;

/* The gap costs for which the build has its own kernels: BLOSUM62's. */
enum { TWO_OPEN = 12, TWO_EXTEND = 1 };
typedef struct {
    int open, extend;
} two_costs;

/* A gap that costs more than any score here is never opened, so a larger cost changes nothing. */
static inline two_costs two_costs_of(const sw_scoring *scoring) {
    return (two_costs){scoring->gap_open < TWO_MOST ? scoring->gap_open : TWO_MOST,
                       scoring->gap_extend < TWO_MOST ? scoring->gap_extend : TWO_MOST};
}
static inline int two_is_built_in(const two_costs *costs) {
    return costs->open == TWO_OPEN && costs->extend == TWO_EXTEND;
}

/* The float whose bits are the score's absolute value, with the score's sign. */
static uint16_t as_float(int score) { return (uint16_t)(score < 0 ? 0x8000 | -score : score); }
#define LOWEST_FLOAT 0xFBFF // -65504: no sum with it is above zero, and none is infinite

static int two_most(const sw_input *) { return TWO_MOST; }
static const sw_numbers two_numbers = {two_most, as_float, LOWEST_FLOAT};

static sw_outline two_outline_of(const wl_device *device, const sw_input *in) {
    return sw_outline_of(&two_pace, in, device->multiprocessors, SW_BANDED_LANES);
}

/* If the queries are short, each lane works alone and has all rows of both (short.h). */
static int two_is_short(const wl_device *device, const sw_input *in) {
    return sw_is_short(&sw_short_two_queries, &two_pace, device, in);
}

static sw_cut two_cut_of(const wl_device *device, const sw_outline *outline) {
    return sw_choose_bands(&two_pace, two_shapes, TWO_SHAPE_COUNT, &outline->database, device->multiprocessors);
}

static int two_has_shared_memory(int capability) {
    return capability == 80 || capability == 87 || (capability >= 90 && capability < 120);
}

static const char *two_supports(const wl_device *device, const void *input) {
    const sw_input *in = (const sw_input *)input;
    if (!two_has_shared_memory(device->compute_capability))
        return "a block needs 162 KB of shared memory, which devices of compute capability 8.0, 8.7, 9.0 and 10 have";
    if (two_is_short(device, in)) return sw_short_supports(&sw_short_two_queries, device, in);
    const sw_outline outline = two_outline_of(device, in);
    if (sw_refuse_banded(in, &outline) != NULL) return sw_refuse_banded(in, &outline);
    const sw_cut cut = two_cut_of(device, &outline);
    sw_two_plan plan;
    if (!sw_plan_queries(&cut, &in->queries, 0, &plan)) return "not enough memory for the bands of so many queries";
    const size_t bytes = sw_banded_bytes(in, &outline, plan.profile_words, plan.count, TWO_EDGE_WORDS * plan.edges);
    return bytes > device->memory_free ? SW_BANDED_TOO_LARGE : NULL;
}

static double two_cost_before(const wl_device *device, const sw_input *in) {
    if (sw_is_short(&sw_short_two_subjects, &sw_pace_two_subjects, device, in))
        return sw_short_cost(&sw_short_two_subjects, in, device->multiprocessors);
    const sw_outline outline = sw_outline_of(&sw_pace_two_subjects, in, device->multiprocessors, SW_BANDED_LANES);
    const sw_cut cut =
        sw_choose_bands(&sw_pace_two_subjects, sw_shapes, SW_SHAPE_COUNT, &outline.database, device->multiprocessors);
    return sw_cut_cost(&cut, &in->queries);
}

/* Does this stage take less time than the stage before, by the paces of both? A single query leaves half of every register empty
   here. GPUs without DPX instructions were not measured. */
static int two_faster(const wl_device *device, const void *input) {
    enum { HOPPER = 90 };
    const sw_input *in = (const sw_input *)input;
    if (device->compute_capability < HOPPER || !two_has_shared_memory(device->compute_capability)) return 0;
    const double before = two_cost_before(device, in);
    if (two_is_short(device, in)) return sw_short_cost(&sw_short_two_queries, in, device->multiprocessors) < before;
    const sw_outline outline = two_outline_of(device, in);
    const sw_cut cut = two_cut_of(device, &outline);
    sw_two_plan plan;
    return sw_plan_queries(&cut, &in->queries, 0, &plan) && plan.cost < before;
}

static void two_release(void *state) {
    two_state *two = (two_state *)state;
    if (two == NULL) return;
    if (sw_state_is_short(two->s)) return sw_short_release(state);
    wl_cuda_free_all(two->profile, two->turn, two->edge, two->kept);
    free(two->plan.kernels);
    sw_release(two->s);
    sw_release_pieces(&two->pieces);
    free(two);
}

static wl_status two_collect(void *state, void *output, int poison) {
    const two_state *two = (const two_state *)state;
    return sw_collect_pieces(&two->pieces, two->s, output, poison);
}

static wl_status two_make_profile(two_state *two) {
    const sw_input *in = two->s->input;
    uint32_t *profile = (uint32_t *)malloc(sizeof *profile * (two->plan.profile_words + 1));
    if (profile == NULL)
        return wl_fail(WL_NO_MACHINE, "not enough memory for the profiles of %zu queries", two->s->queries);
    for (size_t k = 0; k < two->plan.count; k++) {
        const sw_two_bands *bands = &two->plan.kernels[k];
        sw_fill_two_profiles(in, &two_shapes[bands->shape], bands, as_float, LOWEST_FLOAT, profile + bands->profile);
    }
    const wl_status status = wl_cuda_copy(&two->profile, profile, sizeof *profile * two->plan.profile_words);
    free(profile);
    return status;
}

static wl_status two_allocate(two_state *two, const sw_cut *cut) {
    const sw_input *in = two->s->input;
    if (!sw_plan_queries(cut, &in->queries, 1, &two->plan))
        return wl_fail(WL_NO_MACHINE, "not enough memory for the bands of %zu queries", in->queries.count);
    WL_TRY(two_make_profile(two));
    WL_TRY(wl_cuda_allocate(&two->turn, sizeof *two->turn * (two->plan.count + 1)));
    const size_t edge = TWO_EDGE_WORDS * sizeof(uint4) * (two->s->first_word[two->s->groups] + 1);
    if (two->plan.edges > 0) WL_TRY(wl_cuda_allocate(&two->edge, edge));
    if (two->plan.edges > 1) WL_TRY(wl_cuda_allocate(&two->kept, edge));
    return WL_OK;
}

static wl_status two_prepare(const wl_device *device, const void *input, void **state) {
    const sw_input *in = (const sw_input *)input;
    if (two_is_short(device, in)) return sw_short_prepare(&sw_short_two_queries, device, in, &two_numbers, state);
    two_state *two = (two_state *)calloc(1, sizeof *two);
    if (two == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    const sw_outline outline = two_outline_of(device, in);
    const sw_cut cut = two_cut_of(device, &outline);
    two->multiprocessors = (size_t)device->multiprocessors;
    wl_status status = sw_make_pieces(in, &outline.size, &two->pieces);
    if (status == WL_OK) status = sw_upload(device, &two->pieces.input, &in->database, 1, TWO_MOST, &two->s);
    if (status == WL_OK) status = two_allocate(two, &cut);
    if (status == WL_OK) {
        const sw_two_plan *plan = &two->plan;
        const size_t bytes =
            sw_banded_bytes(in, &outline, plan->profile_words, plan->count, TWO_EDGE_WORDS * plan->edges);
        two->s->room = device->memory_free > bytes ? device->memory_free - bytes : 0;
        status = sw_prepare_recompute(device, two->s);
    }
    return wl_prepared(status, two, two_release, state);
}

#endif
