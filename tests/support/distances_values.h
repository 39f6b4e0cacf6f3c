/* Random instances as plain values, the data a reader would make of them, and all distances by a double loop over the values: the
   oracle of the matrix's tests, which knows no planes, tiles or variants. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/distances/matrix/matrix.h"
#include "distances/planes.h"
#include "tests/support/unit.h"
#include "distances/data.h"
#include "harness/base/random.h"

typedef struct {
    size_t count;
    uint64_t sites;
    double *value; // [count][sites], NaN where missing
    distances_data data;
} values;

typedef struct {
    distances_kind kind;
    int count, sites, most; // values 0 .. most
    int unary;
    double missing;
} value_shape;

static inline values values_make(const value_shape *shape, uint64_t seed) {
    values v = {.count = (size_t)shape->count, .sites = (uint64_t)shape->sites};
    wl_random random = wl_random_stream(seed, 0);
    v.value = malloc((v.count * v.sites + 1) * sizeof *v.value);
    assert_non_null(v.value);
    int complete = 1;
    for (size_t k = 0; k < v.count * v.sites; k++) {
        int missing = wl_random_unit(&random) < shape->missing;
        double value = shape->kind == DISTANCES_REALS ? 20 * wl_random_unit(&random) - 10
                                                      : wl_random_below(&random, (uint32_t)shape->most + 1);
        v.value[k] = missing ? NAN : value;
        complete &= !missing;
    }
    v.data = (distances_data){.kind = shape->kind, .count = v.count, .sites = v.sites};
    if (shape->kind == DISTANCES_REALS) {
        v.data.real = malloc(v.count * v.sites * sizeof *v.data.real);
        v.data.names = calloc(v.count, sizeof *v.data.names);
        memcpy(v.data.real, v.value, v.count * v.sites * sizeof *v.data.real);
    } else {
        v.data.sum = shape->unary ? DISTANCES_STEPS : DISTANCES_DIFFERENT;
        v.data.planes = distances_planes(v.data.sum, shape->most + 1);
        assert_int_equal(distances_data_allocate("test", &v.data), WL_OK);
        uint8_t *bytes = malloc(v.sites);
        for (size_t i = 0; i < v.count; i++) {
            for (size_t k = 0; k < v.sites; k++) {
                double value = v.value[i * v.sites + k];
                bytes[k] = isnan(value) ? DISTANCES_MISSING : (uint8_t)value;
            }
            distances_pack(v.data.sum, v.data.planes, v.sites, bytes, v.data.words,
                           v.data.bits + i * (size_t)(v.data.planes + 1) * v.data.words);
        }
        free(bytes);
    }
    v.data.complete = complete;
    for (size_t i = 0; i < v.count; i++) {
        char name[32];
        snprintf(name, sizeof name, "instance %zu", i);
        v.data.names[i] = strdup(name);
    }
    return v;
}

static inline void values_free(values *v) {
    distances_data_free(&v->data);
    free(v->value);
}

static inline double values_distance(const values *v, distances_measure measure, int rescale, size_t i, size_t j,
                                     uint32_t *compared) {
    double sum = 0, present = 0;
    for (size_t k = 0; k < v->sites; k++) {
        double a = v->value[i * v->sites + k], b = v->value[j * v->sites + k];
        if (isnan(a) || isnan(b)) continue;
        present++;
        sum += measure == DISTANCES_COUNT ? a != b : measure == DISTANCES_EUCLIDEAN2 ? (a - b) * (a - b) : fabs(a - b);
    }
    *compared = (uint32_t)present;
    if ((rescale || measure == DISTANCES_IBS) && present == 0) return NAN;
    if (measure == DISTANCES_IBS) return 1 - sum / (2 * present);
    return rescale ? sum / present * (double)v->sites : sum;
}

static inline int values_same(double expected, double found, int exactly) {
    if (isnan(expected) || isnan(found)) return isnan(expected) && isnan(found);
    return exactly ? expected == found : fabs(expected - found) <= 1e-11 * fabs(expected) + 1e-300;
}

/* Every row, from first to last: equal to the double loop, and so symmetric. Returns how many are wrong. */
static inline size_t values_wrong(const values *v, distances_measure measure, int rescale, int with_compared,
                                  distances_matrix *matrix) {
    double *distance = malloc(v->count * sizeof *distance);
    uint32_t *compared = malloc(v->count * sizeof *compared);
    size_t wrong = 0;
    int exactly = v->data.kind != DISTANCES_REALS && !rescale && measure != DISTANCES_IBS;
    for (size_t i = 0; i < v->count; i++) {
        assert_int_equal(distances_matrix_row(matrix, i, distance, with_compared ? compared : NULL), WL_OK);
        for (size_t j = 0; j < v->count; j++) {
            uint32_t present;
            double expected = values_distance(v, measure, rescale, i, j, &present);
            int right = values_same(expected, distance[j], exactly) && (!with_compared || compared[j] == present);
            if (!right && wrong++ == 0)
                print_error("measure %d, [%zu][%zu]: expected %.17g of %u, found %.17g of %u\n", (int)measure, i, j,
                            expected, present, distance[j], with_compared ? compared[j] : 0);
        }
    }
    free(distance);
    free(compared);
    return wrong;
}
