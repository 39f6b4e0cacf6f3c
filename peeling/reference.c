/* Equations 1 to 5 as peeling/problem.h states them, one pattern and rate class at a time, in double precision. */
#include "peeling/reference.h"

#include "harness/bench/serial.h"
#include "harness/base/memory.h"
#include "peeling/model/generator.h"
#include "peeling/work.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The oracle has no way to say so, and a check without it would mean nothing. */
static void *allocate(size_t bytes, const char *what) {
    void *memory = malloc(bytes ? bytes : 1);
    if (memory == NULL) {
        fprintf(stderr, "warpladder: no memory for the reference's %s: %zu bytes\n", what, bytes);
        exit(WL_NO_MACHINE);
    }
    return memory;
}

/* --- Transition matrices ----------------------------------------------------------------------------------------- */

/* P [S][S]: identity + E expm1(lambda mu t) E^-1. The eigenvalue 0 is taken out, since t may be infinite. */
static void transition(const peeling_model *model, double mu, double t, double *P) {
    const int S = model->states;
    double grown[PEELING_STATES_MOST];
    for (int k = 0; k < S; k++)
        grown[k] = model->eigenvalue[k] < 0 && mu * t > 0 ? expm1(model->eigenvalue[k] * mu * t) : 0;
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) {
            double sum = i == j;
            for (int k = 0; k < S; k++) sum += model->right[i * S + k] * grown[k] * model->left[k * S + j];
            P[i * S + j] = sum > 0 ? sum : 0;
        }
}

/* Matrices are numbered [edge][rate]. */
void peeling_reference_some_matrices(const peeling_input *input, size_t first, size_t count, double *matrix) {
    const peeling_model *model = input->model;
    const size_t R = (size_t)model->rates, SS = (size_t)model->states * (size_t)model->states;
    for (size_t i = first; i < first + count; i++) {
        const peeling_edge *edge = &input->work.edges[i / R];
        transition(model, model->rate[i % R], edge->length, matrix + (edge->matrix * R + i % R) * SS);
    }
}

static size_t matrix_count(const peeling_input *input) {
    return (size_t)input->work.edge_count * (size_t)input->model->rates;
}

void peeling_reference_matrices(const peeling_input *input, double *matrix) {
    peeling_reference_some_matrices(input, 0, matrix_count(input), matrix);
}

/* --- Partial likelihoods ----------------------------------------------------------------------------------------- */

/* The partial likelihoods of one pattern under one rate. The F [states] of vector tips + k begin at F + k states, and are
   to be multiplied by 2 to the power of exponent[k]. */
typedef struct {
    double *F;
    int *exponent;
} partials;

/* sum_j P[s][j] F_vector[j] for all s; returns the vector's exponent. A tip's F are 1 for the states in its set,
   else 0. */
static int through_branch(const peeling_input *input, const double *P, uint32_t vector, size_t pattern,
                          const partials *partial, double *sum) {
    const int S = input->model->states;
    const peeling_data *data = &input->data;
    if (vector >= data->tips) {
        const double *F = partial->F + (size_t)(vector - data->tips) * (size_t)S;
        for (int s = 0; s < S; s++) {
            sum[s] = 0;
            for (int j = 0; j < S; j++) sum[s] += P[s * S + j] * F[j];
        }
        return partial->exponent[vector - data->tips];
    }
    const uint64_t set = data->set[data->code[(size_t)vector * data->patterns + pattern]];
    for (int s = 0; s < S; s++) {
        sum[s] = 0;
        for (int j = 0; j < S; j++)
            if (set >> j & 1) sum[s] += P[s * S + j];
    }
    return 0;
}

/* Equation 3, and then the largest brought into [1/2, 1) by a power of two, which changes no digit. */
static void join(const peeling_input *input, const double *matrix, int rate, size_t pattern, const peeling_join *join,
                 const partials *partial) {
    const size_t S = (size_t)input->model->states, R = (size_t)input->model->rates;
    const uint32_t to = join->to - input->data.tips;
    double sum[2][PEELING_STATES_MOST], largest = 0;
    double *F = partial->F + to * S;
    int exponent = 0;
    for (int child = 0; child < 2; child++)
        exponent += through_branch(input, matrix + (join->matrix[child] * R + (size_t)rate) * S * S, join->child[child],
                                   pattern, partial, sum[child]);
    for (size_t s = 0; s < S; s++) {
        F[s] = sum[0][s] * sum[1][s];
        if (F[s] > largest) largest = F[s];
    }
    int shift;
    frexp(largest, &shift); // 0 for 0: an impossible column stays one
    for (size_t s = 0; s < S; s++) F[s] = ldexp(F[s], -shift);
    partial->exponent[to] = exponent + shift;
}

/* Equation 4 for one pattern: log sum_r share[r] likelihood[r] 2^exponent[r]. */
static double site(const peeling_model *model, const double *likelihood, const int *exponent) {
    int largest = INT32_MIN;
    double sum = 0;
    for (int r = 0; r < model->rates; r++)
        if (likelihood[r] > 0 && exponent[r] > largest) largest = exponent[r];
    for (int r = 0; r < model->rates; r++)
        if (likelihood[r] > 0) sum += model->share[r] * ldexp(likelihood[r], exponent[r] - largest);
    return sum > 0 ? log(sum) + largest * log(2) : -INFINITY;
}

static void peel(const peeling_input *input, const double *matrix, size_t first, size_t count, double *output) {
    const peeling_model *model = input->model;
    const peeling_work *work = &input->work;
    const int S = model->states;
    const partials partial = {allocate(sizeof(double) * input->partials * (size_t)S, "partial likelihoods"),
                              allocate(sizeof(int) * input->partials, "exponents")};
    double identity[PEELING_STATES_MOST * PEELING_STATES_MOST] = {0};
    for (int s = 0; s < S; s++) identity[s * S + s] = 1;
    for (size_t c = first; c < first + count; c++) {
        double likelihood[PEELING_RATES_MOST], root[PEELING_STATES_MOST];
        int exponent[PEELING_RATES_MOST];
        for (int r = 0; r < model->rates; r++) {
            for (uint32_t j = 0; j < work->join_count; j++) join(input, matrix, r, c, &work->joins[j], &partial);
            exponent[r] = through_branch(input, identity, work->root, c, &partial, root);
            likelihood[r] = 0;
            for (int s = 0; s < S; s++) likelihood[r] += model->frequency[s] * root[s];
        }
        output[c] = site(model, likelihood, exponent);
    }
    WL_FREE(partial.F, partial.exponent);
}

void peeling_reference(const void *input, size_t first_slice, size_t slice_count, void *output) {
    const peeling_input *in = input;
    if (in->reference_matrix) {
        peel(in, in->reference_matrix, first_slice, slice_count, output);
        return;
    }
    const size_t SS = (size_t)in->model->states * (size_t)in->model->states;
    double *matrix = allocate(sizeof(double) * in->matrices * (size_t)in->model->rates * SS, "transition matrices");
    peeling_reference_matrices(in, matrix);
    peel(in, matrix, first_slice, slice_count, output);
    free(matrix);
}

double peeling_reference_total(const peeling_input *input, const double *site) {
    double total = 0;
    for (uint32_t c = 0; c < input->data.patterns; c++) total += input->data.weight[c] * site[c];
    return total;
}

/* --- The one-thread variants ------------------------------------------------------------------------------------- */

typedef struct {
    peeling_input input; // whose reference_matrix is `matrix`
    double *matrix;      // [matrices][rates][states][states]
} with_matrices;

static void end(void *own) {
    with_matrices *s = own;
    WL_FREE(s->matrix, s);
}

static wl_status begin(const void *input, void **own) {
    const peeling_input *in = input;
    const size_t SS = (size_t)in->model->states * (size_t)in->model->states;
    with_matrices *s;
    double *matrix;
    if (!WL_ALLOCATE(WL_ARRAY(s, 1), WL_ARRAY(matrix, in->matrices * (size_t)in->model->rates * SS)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %u matrices of %d x %d numbers and %d rates", in->matrices,
                       in->model->states, in->model->states, in->model->rates);
    *s = (with_matrices){*in, matrix};
    s->input.reference_matrix = matrix;
    peeling_reference_matrices(in, matrix); // a prefix of the slices needs all of them, and is charged for its part
    *own = s;
    return WL_OK;
}

/* A whole evaluation computes all matrices once, whatever the number of patterns. Of `count` slices each call
   computes the same part of the matrices, count / patterns, again, so that the time of a prefix, scaled, is an
   estimate of the whole. */
static void slices(void *own, size_t first, size_t count, void *output) {
    const with_matrices *s = own;
    const size_t patterns = s->input.data.patterns;
    if (count > 0) {
        const double all = (double)matrix_count(&s->input), slices = patterns;
        const size_t from = (size_t)(all * ((double)first / slices));
        const size_t matrices = (size_t)(all * ((double)(first + count) / slices)) - from;
        peeling_reference_some_matrices(&s->input, from, matrices, s->matrix);
        peeling_reference(&s->input, first, count, output);
    }
    if (first + count == patterns) ((double *)output)[patterns] = peeling_reference_total(&s->input, output);
}

/* Codes, sets and the output once; the matrices, which are written and read again by every pattern, once each. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const peeling_input *in = (const peeling_input *)input;
    const double matrix = (double)in->model->rates * in->model->states * in->model->states;
    cost->bytes = (double)in->data.patterns * (sizeof(uint16_t) * (double)in->data.tips + 2 * sizeof(double)) +
                  2 * sizeof(double) * in->work.edge_count * matrix;
    cost->operations = peeling_operations_done(in);
    cost->rate = WL_RATE_SCALAR;
}

WL_SERIAL_OF(begin, slices, end, "the paper's equations, one pattern and rate at a time",
             .source = "Suchard & Rambaut 2009, equations 1 to 5", .cost = cost)

#ifndef WL_REFERENCE_O0
const wl_variant *peeling_serial(void) { return &wl_this_variant; }
#endif
