/* For the tests of distances: instances whose values are kept as plain numbers, the bit planes that distances/problem.h describes, and
   distances computed from the numbers alone. Nothing of distances/ is used, so it is an oracle for all of it. */
#pragma once

#include "tests/support/unit.h"
#include "distances/problem.h"
#include "harness/base/random.h"

#define GONE (-1) // a value that is missing

/* How an input is to be. values: of each site; share of GONE in hundredths; kind: see value_at. */
typedef enum { RANDOM, ALL_EQUAL, FARTHEST, FIRST_SITE, LAST_SITE, ROW_MISSING, KINDS } kind;

typedef struct {
    size_t rows, columns; // columns 0: symmetric
    uint64_t sites;
    distances_sum sum;
    int values, missing;
    kind what;
} recipe;

typedef struct {
    distances_input input;
    int *value; // [instances][sites], 0 .. values - 1 or GONE; columns after rows
    uint64_t *bits;
    size_t columns_at; // the first column's instance
} example;

static int value_at(const recipe *r, size_t i, uint64_t k, wl_random *random) {
    const int far = i % 2 ? r->values - 1 : 0; // as different as can be
    if (r->what == ROW_MISSING && i % 3 == 1) return GONE;
    if (r->missing > 0 && (int)wl_random_below(random, 100) < r->missing) return GONE;
    switch (r->what) {
        case ALL_EQUAL:
            return r->values - 1;
        case FARTHEST:
            return far;
        case FIRST_SITE:
            return k == 0 ? far : 0;
        case LAST_SITE:
            return k + 1 == r->sites ? far : 0;
        default:
            return (int)wl_random_below(random, (uint32_t)r->values);
    }
}

static inline int planes_for(distances_sum sum, int values) {
    int planes = 0;
    if (sum == DISTANCES_STEPS) return values > 2 ? values - 1 : 1;
    do planes++;
    while (1 << planes < values);
    return planes;
}

/* Bits as problem.h says, one at a time. bits [planes + 1][words], zero beforehand. */
static inline void set_bits(const recipe *r, int planes, size_t words, const int *value, uint64_t *bits) {
    for (uint64_t k = 0; k < r->sites; k++) {
        const uint64_t bit = (uint64_t)1 << (k % 64);
        if (value[k] == GONE) continue;
        bits[(size_t)planes * words + k / 64] |= bit;
        for (int p = 0; p < planes; p++)
            if (r->sum == DISTANCES_STEPS ? value[k] > p : value[k] >> p & 1) bits[(size_t)p * words + k / 64] |= bit;
    }
}

static inline example make(recipe r) {
    const size_t count = r.rows + r.columns, words = (size_t)((r.sites + 511) / 512 * 8);
    const int planes = planes_for(r.sum, r.values);
    const size_t each = (size_t)(planes + 1) * words;
    example e = {.columns_at = r.columns > 0 ? r.rows : 0};
    e.value = malloc(sizeof *e.value * (count * r.sites + 1));
    e.bits = aligned_alloc(64, sizeof *e.bits * each * count + 64);
    assert_non_null(e.value);
    assert_non_null(e.bits);
    memset(e.bits, 0, sizeof *e.bits * each * count);
    wl_random random = wl_random_stream(count, r.sites << 16 ^ (uint64_t)r.values << 8 ^ (uint64_t)r.what);
    int complete = 1;
    for (size_t i = 0; i < count; i++) {
        int *value = e.value + i * r.sites;
        for (uint64_t k = 0; k < r.sites; k++) {
            value[k] = value_at(&r, i, k, &random);
            complete &= value[k] != GONE;
        }
        set_bits(&r, planes, words, value, e.bits + i * each);
    }
    e.input = (distances_input){.sum = r.sum,
                                .planes = planes,
                                .sites = r.sites,
                                .words = words,
                                .complete = complete,
                                .symmetric = r.columns == 0,
                                .rows = {r.rows, e.bits},
                                .columns = {r.columns > 0 ? r.columns : r.rows, e.bits + e.columns_at * each}};
    return e;
}

static inline void discard(example *e) {
    free(e->value);
    free(e->bits);
}

static inline size_t pairs_of(const example *e) { return e->input.rows.count * e->input.columns.count; }

/* uint32_t [2][rows][columns], filled with what nobody would write; the caller frees it. It is exactly as long as it must be: a
   sanitizer sees a write past its end. */
static inline uint32_t *poisoned(const example *e) {
    uint32_t *output = malloc(sizeof *output * (2 * pairs_of(e) + (pairs_of(e) == 0)));
    assert_non_null(output);
    memset(output, 0xA5, 2 * sizeof *output * pairs_of(e));
    return output;
}

static inline uint32_t *brute_force(const example *e) {
    const distances_input *in = &e->input;
    uint32_t *output = poisoned(e);
    for (size_t i = 0; i < in->rows.count; i++) {
        for (size_t j = 0; j < in->columns.count; j++) {
            const int *a = e->value + i * in->sites, *b = e->value + (e->columns_at + j) * in->sites;
            uint32_t distance = 0, compared = 0;
            for (uint64_t k = 0; k < in->sites; k++) {
                if (a[k] == GONE || b[k] == GONE) continue;
                compared++;
                distance += (uint32_t)(in->sum == DISTANCES_STEPS ? abs(a[k] - b[k]) : a[k] != b[k]);
            }
            output[i * in->columns.count + j] = distance;
            output[pairs_of(e) + i * in->columns.count + j] = compared;
        }
    }
    return output;
}

static inline void same(const example *e, const uint32_t *expected, const uint32_t *actual, const char *who) {
    const distances_input *in = &e->input;
    for (size_t at = 0; at < 2 * pairs_of(e); at++) {
        const size_t pair = at % pairs_of(e);
        if (expected[at] != actual[at])
            fail_msg("%s, %zu x %zu, %d sites, %d planes, sum %d, complete %d: %s of %zu and %zu is %u, not %u", who,
                     in->rows.count, in->columns.count, (int)in->sites, in->planes, (int)in->sum, in->complete,
                     at == pair ? "distance" : "compared", pair / in->columns.count, pair % in->columns.count,
                     actual[at], expected[at]);
    }
}
