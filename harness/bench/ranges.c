#include "harness/bench/ranges.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/bench/trial.h"
#include "sim/sim.h"

/* More than any index of shared or constant memory, which grows with the shape only until a tile is full. */
enum { SMALLEST = 1 << 18, MOST_SHAPES = 16 };

struct wl_ranges {
    const char *const *shapes;
    size_t shape_count; // without the larger and the largest
    const wl_sim_range *places;
    size_t place_count;
    int32_t *most; // [shape_count + 1][place_count]; the larger shape's come last
};

/* What follows `word` in the line; NULL: the line begins otherwise. */
static const char *after(const char *word, const char *line) {
    return strncmp(line, word, strlen(word)) == 0 ? line + strlen(word) : NULL;
}

size_t wl_ranges_shapes(const wl_ranges *r) { return r->shape_count; }
const char *wl_ranges_larger(const wl_ranges *r) { return after("larger ", r->shapes[r->shape_count]); }
const char *wl_ranges_largest(const wl_ranges *r) { return after("largest ", r->shapes[r->shape_count + 1]); }

wl_ranges *wl_ranges_new(const char *const *shapes) {
    wl_ranges *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    r->shapes = shapes;
    while (wl_ranges_larger(r) == NULL) r->shape_count++;
    r->places = wl_sim_ranges(&r->place_count);
    r->most = calloc((r->shape_count + 1) * r->place_count + 1, sizeof *r->most);
    if (r->most != NULL) return r;
    free(r);
    return NULL;
}

void wl_ranges_free(wl_ranges *r) {
    if (r != NULL) free(r->most);
    free(r);
}

void wl_ranges_add(wl_ranges *r, size_t k, wl_inputs *inputs, const wl_variant *variant, const wl_device *device) {
    wl_sim_forget_ranges();
    wl_try_last_block(inputs, 0, variant, device);
    for (size_t i = 0; i < r->place_count; i++) r->most[k * r->place_count + i] = r->places[i].most;
}

/* By which factor the option that shape k has doubled is larger in `shape` than in the first one. */
static double factor_of(const wl_ranges *r, size_t k, const char *shape, const wl_option *options) {
    wl_arguments base = {0}, doubled = {0}, large = {0};
    double factor = 1;
    if (wl_arguments_parse(options, r->shapes[0], &base) == WL_OK &&
        wl_arguments_parse(options, r->shapes[k], &doubled) == WL_OK &&
        wl_arguments_parse(options, shape, &large) == WL_OK)
        for (size_t i = 0; i < base.count; i++) {
            const char *less = base.values[i], *more = large.values[i], *end;
            if (less && more && doubled.values[i] && strcmp(less, doubled.values[i]) != 0)
                factor = wl_decimal(more, &end) / wl_decimal(less, &end);
        }
    WL_FREE(base.values, doubled.values, large.values);
    return factor;
}

/* What the place's number would be at a shape whose options are larger by these factors. */
static double grown(const wl_ranges *r, size_t place, const double *factors) {
    double number = r->most[place];
    for (size_t k = 1; k < r->shape_count && number > 0; k++) {
        const double times = r->most[k * r->place_count + place] / (double)r->most[place];
        if (times > 1) number *= pow(factors[k], round(log2(times)));
    }
    return number;
}

/* The first place whose number would overflow at the largest shape, and that number. -1: none. After the larger shape: of those that have grown
   as far there. */
static long overflows(const wl_ranges *r, const wl_option *options, int after_larger, double *number) {
    double larger[MOST_SHAPES] = {1}, largest[MOST_SHAPES] = {1};
    for (size_t k = 1; k < r->shape_count; k++) {
        larger[k] = factor_of(r, k, wl_ranges_larger(r), options);
        largest[k] = factor_of(r, k, wl_ranges_largest(r), options);
    }
    for (size_t i = 0; i < r->place_count; i++) {
        const int32_t there = r->most[r->shape_count * r->place_count + i];
        *number = grown(r, i, largest);
        if (*number <= (r->places[i].kind == WL_SIM_INDEX ? (double)INT32_MAX : (double)UINT32_MAX)) continue;
        const double expected = grown(r, i, larger);
        if (expected >= SMALLEST && (!after_larger || (there >= SMALLEST && there > expected / 2))) return (long)i;
    }
    return -1;
}

int wl_ranges_suspect(const wl_ranges *r, const wl_option *options) {
    double number;
    return overflows(r, options, 0, &number) >= 0;
}

wl_status wl_ranges_judge(const wl_ranges *r, const wl_option *options, wl_verdict *verdict) {
    char where[256];
    double number;
    const long i = overflows(r, options, 1, &number);
    if (i < 0) return WL_OK;
    wl_sim_place_name(r->places[i].place, where, sizeof where);
    static const char *const wrong[] = {"an index of 32 bits overflows", "a product of 32 bits overflows",
                                        "a number of 64 bits is cut to 32"};
    const wl_sim_range_kind kind = r->places[i].kind;
    return wl_verdict_set(verdict, WL_CHECK_FAILED, "%s: %s: it is %d at %s, and would be %.3g at %s; %s it in size_t",
                          where, wrong[kind], r->most[r->shape_count * r->place_count + (size_t)i], wl_ranges_larger(r),
                          number, wl_ranges_largest(r), kind == WL_SIM_CUT ? "keep" : "compute");
}
