/* BEAGLE's CPU code as variants of the problem peeling, for programs of tests/beagle only: evaluated, checked and timed as ours are. */
#include <libhmsbeagle/beagle.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/variant.h"
#include "peeling/model/model.h"
#include "peeling/work.h"

typedef struct {
    const peeling_input *input;
    int instance, scaled;
    int *matrix;                // [edges]
    double *length;             // [edges]
    BeagleOperation *operation; // [joins]
    double total;
} beagle_state;

static wl_status failed(const char *what, int code) {
    return wl_fail(WL_CHECK_FAILED, "BEAGLE: %s: error %d", what, code);
}

static const char *supports(const wl_device *device, const void *input) {
    (void)device;
    const peeling_input *in = input;
    if (in->precision != PEELING_DOUBLE) return "BEAGLE's SSE code knows double precision only";
    if (in->data.patterns == 0) return "BEAGLE wants a column";
    return NULL;
}

/* A set at this tip that is neither one state nor all. */
static int has_sets(const peeling_input *in, uint32_t tip) {
    const uint64_t all = ~(uint64_t)0 >> (64 - in->model->states);
    for (uint32_t c = 0; c < in->data.patterns; c++) {
        const uint16_t code = in->data.code[(size_t)tip * in->data.patterns + c];
        if (code >= in->model->states && (in->data.set[code] & all) != all) return 1;
    }
    return 0;
}

/* States as such; the number of states stands for all of them. */
static int set_states(const beagle_state *s, uint32_t tip, int *states) {
    const peeling_data *data = &s->input->data;
    for (uint32_t c = 0; c < data->patterns; c++) {
        const uint16_t code = data->code[(size_t)tip * data->patterns + c];
        states[c] = code < s->input->model->states ? code : s->input->model->states;
    }
    return beagleSetTipStates(s->instance, (int)tip, states);
}

static int set_partials(const beagle_state *s, uint32_t tip, double *partials) {
    const peeling_data *data = &s->input->data;
    const size_t S = (size_t)s->input->model->states;
    for (size_t c = 0; c < data->patterns; c++) {
        const uint64_t set = data->set[data->code[(size_t)tip * data->patterns + c]];
        for (size_t i = 0; i < S; i++) partials[c * S + i] = (double)(set >> i & 1);
    }
    return beagleSetTipPartials(s->instance, (int)tip, partials);
}

static int set_tips(const beagle_state *s) {
    const size_t numbers = (size_t)s->input->model->states * s->input->data.patterns;
    double *memory = malloc(sizeof *memory * numbers);
    int code = memory == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : BEAGLE_SUCCESS;
    for (uint32_t tip = 0; tip < s->input->data.tips && code == BEAGLE_SUCCESS; tip++)
        code = has_sets(s->input, tip) ? set_partials(s, tip, memory) : set_states(s, tip, (int *)memory);
    free(memory);
    return code;
}

static int set_model(const beagle_state *s) {
    const peeling_model *model = s->input->model;
    int code = beagleSetEigenDecomposition(s->instance, 0, model->right, model->left, model->eigenvalue);
    if (code == BEAGLE_SUCCESS) code = beagleSetStateFrequencies(s->instance, 0, model->frequency);
    if (code == BEAGLE_SUCCESS) code = beagleSetCategoryWeights(s->instance, 0, model->share);
    if (code == BEAGLE_SUCCESS) code = beagleSetCategoryRates(s->instance, model->rate);
    if (code == BEAGLE_SUCCESS) code = beagleSetPatternWeights(s->instance, s->input->data.weight);
    return code;
}

/* The work as BEAGLE has it. Vectors, matrices and scales are numbered alike. */
static int list_work(beagle_state *s) {
    const peeling_work *work = &s->input->work;
    s->matrix = malloc(sizeof *s->matrix * (work->edge_count + (size_t)1));
    s->length = malloc(sizeof *s->length * (work->edge_count + (size_t)1));
    s->operation = malloc(sizeof *s->operation * (work->join_count + (size_t)1));
    if (s->matrix == NULL || s->length == NULL || s->operation == NULL) return 0;
    for (uint32_t e = 0; e < work->edge_count; e++) {
        s->matrix[e] = (int)work->edges[e].matrix;
        s->length[e] = work->edges[e].length;
    }
    for (uint32_t j = 0; j < work->join_count; j++) {
        const peeling_join *join = &work->joins[j];
        s->operation[j] =
            (BeagleOperation){(int)join->to,        s->scaled ? (int)(join->to - s->input->data.tips) : BEAGLE_OP_NONE,
                              BEAGLE_OP_NONE,       (int)join->child[0],
                              (int)join->matrix[0], (int)join->child[1],
                              (int)join->matrix[1]};
    }
    return 1;
}

static void release(void *state) {
    beagle_state *s = state;
    if (s == NULL) return;
    if (s->instance >= 0) beagleFinalizeInstance(s->instance);
    free(s->matrix);
    free(s->length);
    free(s->operation);
    free(s);
}

static wl_status prepare(const wl_device *device, const peeling_input *in, long vector, int scaled, void **state) {
    const char *why = supports(device, in);
    if (why != NULL) return wl_fail(WL_NO_MACHINE, "%s", why);
    beagle_state *s = calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for BEAGLE");
    *s = (beagle_state){.input = in, .instance = -1, .scaled = scaled};
    const int tips = (int)in->data.tips, joins = (int)in->partials, threads = device->multiprocessors;
    int sets = 0;
    for (uint32_t tip = 0; tip < in->data.tips; tip++) sets += has_sets(in, tip);
    const long flags = BEAGLE_FLAG_PRECISION_DOUBLE | BEAGLE_FLAG_PROCESSOR_CPU | BEAGLE_FLAG_SCALING_MANUAL | vector |
                       (threads > 1 ? BEAGLE_FLAG_THREADING_CPP : BEAGLE_FLAG_THREADING_NONE);
    BeagleInstanceDetails details;
    s->instance = beagleCreateInstance(tips, joins + sets, tips - sets, in->model->states, (int)in->data.patterns, 1,
                                       (int)in->matrices, in->model->rates, joins + 1, NULL, 0, 0, flags, &details);
    int code = s->instance;
    if (code >= 0 && threads > 1) code = beagleSetCPUThreadCount(s->instance, threads);
    if (code >= 0) code = set_tips(s);
    if (code == BEAGLE_SUCCESS) code = set_model(s);
    if (code != BEAGLE_SUCCESS || !list_work(s)) {
        release(s);
        return failed("no instance", code);
    }
    *state = s;
    return WL_OK;
}

/* All of it again: matrices, partials, and with scales every join's anew, as ours are. */
static wl_status launch(void *state) {
    beagle_state *s = state;
    const peeling_work *work = &s->input->work;
    const int root = (int)work->root, first = 0, sum = s->scaled ? (int)s->input->partials : BEAGLE_OP_NONE;
    int code = beagleUpdateTransitionMatrices(s->instance, 0, s->matrix, NULL, NULL, s->length, (int)work->edge_count);
    if (code == BEAGLE_SUCCESS && s->scaled) code = beagleResetScaleFactors(s->instance, sum);
    if (code == BEAGLE_SUCCESS) code = beagleUpdatePartials(s->instance, s->operation, (int)work->join_count, sum);
    if (code == BEAGLE_SUCCESS)
        code = beagleCalculateRootLogLikelihoods(s->instance, &root, &first, &first, &sum, 1, &s->total);
    return code == BEAGLE_SUCCESS ? WL_OK : failed("the likelihood", code);
}

static wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    const beagle_state *s = state;
    double *to = output; // [patterns + 1]
    const int code = beagleGetSiteLogLikelihoods(s->instance, to);
    to[s->input->data.patterns] = s->total;
    return code == BEAGLE_SUCCESS ? WL_OK : failed("the sites", code);
}

static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    cost->operations = peeling_operations_done(input);
    cost->rate = WL_RATE_FP64;
}

static const char *sse(void) { return "SSE2"; }
static const char *scalar(void) { return "scalar"; }

void beagle_register(void);

#define BEAGLE_VARIANT(id, vector, scaled, text, isa)                                           \
    static wl_status prepare_##id(const wl_device *device, const void *input, void **state) {   \
        return prepare(device, input, vector, scaled, state);                                   \
    }                                                                                           \
    static const wl_variant id = {.problem = "peeling",                                         \
                                  .name = #id,                                                  \
                                  .idea = text,                                                 \
                                  .source = "BEAGLE, https://github.com/beagle-dev/beagle-lib", \
                                  .backend = WL_CPU,                                            \
                                  .supports = supports,                                         \
                                  .prepare = prepare_##id,                                      \
                                  .launch = launch,                                             \
                                  .collect = collect,                                           \
                                  .release = release,                                           \
                                  .cost = cost,                                                 \
                                  .instruction_set = isa}

BEAGLE_VARIANT(beagle_sse, BEAGLE_FLAG_VECTOR_SSE, 1, "BEAGLE, rescaled at every join", sse);
BEAGLE_VARIANT(beagle_sse_unscaled, BEAGLE_FLAG_VECTOR_SSE, 0, "BEAGLE without rescaling", sse);
BEAGLE_VARIANT(beagle_plain, BEAGLE_FLAG_VECTOR_NONE, 1, "BEAGLE's plain C++, rescaled at every join", scalar);

void beagle_register(void) {
    wl_register(&beagle_sse);
    wl_register(&beagle_sse_unscaled);
    wl_register(&beagle_plain);
}

#ifdef BEAGLE_IN_THE_LADDER // warpladder-more lists them beside ours; compare.c asks for them itself
__attribute__((constructor)) static void register_at_start(void) { beagle_register(); }
#endif
