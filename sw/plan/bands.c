#include "sw/plan/bands.h"

#include <stdlib.h>

#include "sw/plan/cut.h"

size_t sw_profile_word(size_t lanes, size_t W, int code, int lane, int word) {
    const size_t whole = W / 4 * 4, letter = (size_t)code * lanes * W, l = (size_t)lane, w = (size_t)word;
    if (w < whole) return letter + w / 4 * lanes * 4 + l * 4 + w % 4;
    return letter + whole * lanes + l * (W - whole) + (w - whole);
}

size_t sw_profile_words(const sw_shape *shape) {
    return (size_t)SW_PROFILE_CODES * (size_t)shape->lanes * (size_t)(shape->rows / 2);
}

/* Writes the bands of all queries to bands [*count]; if `bands` is NULL, it only counts them. Returns the words of their profiles. */
static size_t cut_queries(const sw_cut *cut, const sw_set *queries, sw_band *bands, size_t *count) {
    size_t n = 0, profile = 0;
    for (size_t q = 0; q < queries->count; q++)
        for (size_t left = queries->length[q], rows; left > 0; left -= rows < left ? rows : left, n++) {
            const int k = sw_cut_first(cut, left);
            rows = sw_shape_rows(&cut->shapes[k]);
            if (bands != NULL)
                bands[n] = (sw_band){.query = q,
                                     .shape = k,
                                     .profile = profile,
                                     .above = left < queries->length[q],
                                     .below = rows < left};
            profile += sw_profile_words(&cut->shapes[k]);
        }
    *count = n;
    return profile;
}

static size_t device_bytes(const sw_cut *cut, const sw_input *in, const sw_outline *outline) {
    size_t bands;
    const size_t profile = cut_queries(cut, &in->queries, NULL, &bands);
    return sw_banded_bytes(in, outline, profile, bands, bands > in->queries.count);
}

const char *sw_stream_supports(const wl_device *device, const void *input) {
    enum { VOLTA = 70 };
    const sw_input *in = input;
    if (device->compute_capability < VOLTA)
        return "a block needs 61 KB of shared memory, which devices have from compute capability 7.0 on";
    const sw_outline outline = sw_outline_of(&sw_pace_two_subjects, in, device->multiprocessors, SW_BANDED_LANES);
    if (sw_refuse_banded(in, &outline) != NULL) return sw_refuse_banded(in, &outline);
    const sw_cut cut = sw_choose_stream_bands(&outline.database, device->multiprocessors);
    return device_bytes(&cut, in, &outline) > device->memory_free ? SW_BANDED_TOO_LARGE : NULL;
}

/* The profile of a band that begins at row first_row of query [m]. */
static void fill_profile(const sw_scoring *scoring, const uint8_t *query, size_t m, size_t first_row,
                         const sw_shape *shape, const sw_numbers *numbers, uint32_t *profile) {
    for (int code = 0; code < SW_PROFILE_CODES; code++)
        for (int lane = 0; lane < shape->lanes; lane++)
            for (int word = 0; word < shape->rows / 2; word++) {
                uint32_t both = 0;
                for (int k = 1; k >= 0; k--) {
                    const size_t row = first_row + (size_t)(lane * shape->rows + 2 * word + k);
                    const int real = row < m && code < SW_END;
                    both = both << 16 | (real ? numbers->as_bits(scoring->matrix[query[row]][code]) : numbers->none);
                }
                profile[sw_profile_word((size_t)shape->lanes, (size_t)shape->rows / 2, code, lane, word)] = both;
            }
}

static void fill_profiles(const sw_input *in, const sw_numbers *numbers, const sw_band *bands, size_t count,
                          uint32_t *profile) {
    size_t row = 0;
    for (const sw_band *band = bands; band < bands + count; band++) {
        const sw_shape *shape = &sw_shapes[band->shape];
        const uint8_t *query = in->queries.residues + in->queries.start[band->query];
        if (!band->above) row = 0;
        fill_profile(&in->scoring, query, in->queries.length[band->query], row, shape, numbers,
                     profile + band->profile);
        row += sw_shape_rows(shape);
    }
}

wl_status sw_plan_bands(const wl_device *device, const sw_input *in, const sw_numbers *numbers, sw_scan_plan *plan) {
    const sw_outline outline = sw_outline_of(&sw_pace_two_subjects, in, device->multiprocessors, SW_BANDED_LANES);
    const sw_cut cut = sw_choose_stream_bands(&outline.database, device->multiprocessors);
    *plan = (sw_scan_plan){.size = outline.size, .lanes = 1, .most = numbers->most(in)};
    plan->device_bytes = device_bytes(&cut, in, &outline);
    plan->profile_words = cut_queries(&cut, &in->queries, NULL, &plan->kernels);
    plan->edges = plan->kernels > in->queries.count;
    plan->launches = malloc(sizeof(sw_band) * (plan->kernels + 1));
    plan->profile = malloc(sizeof *plan->profile * (plan->profile_words + 1));
    if (plan->launches == NULL || plan->profile == NULL) {
        sw_free_plan(plan);
        return wl_fail(WL_NO_MACHINE, "not enough memory for the bands of %zu queries", in->queries.count);
    }
    cut_queries(&cut, &in->queries, plan->launches, &plan->kernels);
    fill_profiles(in, numbers, plan->launches, plan->kernels, plan->profile);
    return WL_OK;
}
