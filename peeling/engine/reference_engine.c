/* The serial variant as an engine: the reference's equations, in its order of operations, with partials that are kept
   from one list of work to the next. In double precision whatever the input asks for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peeling/engine/engine.h"
#include "peeling/reference.h"
#include "harness/base/memory.h"

typedef struct {
    peeling_input input; // whose model is `model`
    peeling_model model;
    double *matrix;  // [matrices][rates][states][states]
    double *partial; // [partials][rates][patterns][states]
    int *exponent;   // [partials][rates][patterns]
    double *site;    // [patterns]
} serial_state;

static void release(void *state) {
    serial_state *s = state;
    if (s == NULL) return;
    WL_FREE(s->matrix, s->partial, s->exponent, s->site, s);
}

static wl_status open_serial(const wl_device *device, const peeling_input *input, void **state) {
    (void)device;
    const size_t S = (size_t)input->model->states, R = (size_t)input->model->rates, C = input->data.patterns;
    serial_state *s = calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a state");
    s->model = *input->model;
    s->input = *input;
    s->input.model = &s->model;
    /* Zeros, so that a list that uses what it has not computed gets a wrong number and no overflow. */
    if (!WL_ALLOCATE(WL_ARRAY(s->matrix, input->matrices * R * S * S),
                     WL_ARRAY(s->partial, input->partials * R * C * S), WL_ZEROS(s->exponent, input->partials * R * C),
                     WL_ARRAY(s->site, C))) {
        release(s);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %u partials of %u patterns, %d rates and %d states",
                       input->partials, input->data.patterns, input->model->rates, input->model->states);
    }
    *state = s;
    return WL_OK;
}

static wl_status set_model(void *state, const peeling_model *model) {
    ((serial_state *)state)->model = *model;
    return WL_OK;
}

/* --- Partial likelihoods ----------------------------------------------------------------------------------------- */

/* sum_j P[s][j] F[j] of vector `vector` for all s; returns the vector's exponent. */
static int through_branch(const serial_state *s, const double *P, uint32_t vector, size_t r, size_t c, double *sum) {
    const size_t S = (size_t)s->model.states, R = (size_t)s->model.rates, C = s->input.data.patterns;
    const peeling_data *data = &s->input.data;
    if (vector >= data->tips) {
        const size_t place = ((vector - data->tips) * R + r) * C + c;
        const double *F = s->partial + place * S;
        for (size_t i = 0; i < S; i++) {
            sum[i] = 0;
            for (size_t j = 0; j < S; j++) sum[i] += P[i * S + j] * F[j];
        }
        return s->exponent[place];
    }
    const uint64_t set = data->set[data->code[(size_t)vector * C + c]];
    for (size_t i = 0; i < S; i++) {
        sum[i] = 0;
        for (uint64_t left = set; left != 0; left &= left - 1) sum[i] += P[i * S + (size_t)__builtin_ctzll(left)];
    }
    return 0;
}

static void join_vectors(serial_state *s, const peeling_join *join) {
    const size_t S = (size_t)s->model.states, R = (size_t)s->model.rates, C = s->input.data.patterns;
    for (size_t r = 0; r < R; r++)
        for (size_t c = 0; c < C; c++) {
            const size_t place = ((join->to - s->input.data.tips) * R + r) * C + c;
            double sum[2][PEELING_STATES_MOST], *F = s->partial + place * S, largest = 0;
            int exponent = 0, shift;
            for (int child = 0; child < 2; child++)
                exponent += through_branch(s, s->matrix + (join->matrix[child] * R + r) * S * S, join->child[child], r,
                                           c, sum[child]);
            for (size_t i = 0; i < S; i++) {
                F[i] = sum[0][i] * sum[1][i];
                if (F[i] > largest) largest = F[i];
            }
            frexp(largest, &shift);
            const double scale = ldexp(1, -shift / 2), rest = ldexp(1, -shift - -shift / 2); // 2^1074 is no double
            for (size_t i = 0; i < S; i++) F[i] = F[i] * scale * rest;
            s->exponent[place] = exponent + shift;
        }
}

/* --- Sites ------------------------------------------------------------------------------------------------------- */

static double site(const serial_state *s, uint32_t root, size_t c) {
    const peeling_model *model = &s->model;
    const peeling_data *data = &s->input.data;
    const size_t S = (size_t)model->states, C = data->patterns;
    double likelihood[PEELING_RATES_MOST], sum = 0;
    int exponent[PEELING_RATES_MOST] = {0}, largest = INT32_MIN;
    for (size_t r = 0; r < (size_t)model->rates; r++) {
        likelihood[r] = 0;
        if (root < data->tips) {
            const uint64_t set = data->set[data->code[(size_t)root * C + c]];
            for (size_t i = 0; i < S; i++) likelihood[r] += set >> i & 1 ? model->frequency[i] : 0;
        } else {
            const size_t place = ((root - data->tips) * (size_t)model->rates + r) * C + c;
            for (size_t i = 0; i < S; i++) likelihood[r] += model->frequency[i] * s->partial[place * S + i];
            exponent[r] = s->exponent[place];
        }
        if (likelihood[r] > 0 && exponent[r] > largest) largest = exponent[r];
    }
    for (int r = 0; r < model->rates; r++)
        if (likelihood[r] > 0) sum += model->share[r] * ldexp(likelihood[r], exponent[r] - largest);
    return sum > 0 ? log(sum) + largest * log(2) : -INFINITY;
}

static wl_status load(void *state, const peeling_work *work) {
    ((serial_state *)state)->input.work = *work;
    return WL_OK;
}

static wl_status launch(void *state) {
    serial_state *s = state;
    const peeling_work *work = &s->input.work;
    peeling_reference_matrices(&s->input, s->matrix);
    for (uint32_t j = 0; j < work->join_count; j++) join_vectors(s, &work->joins[j]);
    for (size_t c = 0; c < s->input.data.patterns; c++) s->site[c] = site(s, work->root, c);
    return WL_OK;
}

static wl_status result(void *state, double *total, double *site, int poison) {
    (void)poison;
    const serial_state *s = state;
    *total = peeling_reference_total(&s->input, s->site);
    if (site != NULL) memcpy(site, s->site, sizeof *site * s->input.data.patterns);
    return WL_OK;
}
static peeling_engine engine = {
    .keeps_partials = 1,
    .open = open_serial,
    .set_model = set_model,
    .load = load,
    .launch = launch,
    .result = result,
    .release = release,
};

__attribute__((constructor)) static void register_engine(void) {
    engine.variant = peeling_serial();
    peeling_register_engine(&engine);
}
