/* Likelihoods of a tree: laid out once, evaluated often. */
#include "tools/likelihood/likelihood.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/sequences.h"
#include "library/session.h"
#include "harness/base/memory.h"

struct warpladder_likelihood {
    warpladder *session;
    peeling_likelihood_request request;
    peeling_likelihood data;
    peeling_evaluator *evaluator;
    int keeps;              // what has not changed need not be computed again
    int all;                // everything has changed
    unsigned char *changed; // [nodes]: the branch above, since the last evaluation; then what is above it, too
    peeling_edge *edges;    // [nodes - 1], of the next evaluation
    peeling_join *joins;    // [rows - 1]
};

/* --- The model --------------------------------------------------------------------------------------------------- */

static wl_status read_frequencies(const warpladder_model *model, peeling_settings *settings) {
    if (model->own_frequencies) {
        settings->frequencies = PEELING_GIVEN;
        memcpy(settings->frequency, model->own_frequencies,
               (size_t)peeling_states_of(settings) * sizeof *settings->frequency);
        return peeling_frequencies_check(settings->frequency, peeling_states_of(settings));
    }
    if (model->frequencies == NULL) return WL_OK;
    if (!peeling_frequencies_named(model->frequencies, &settings->frequencies) ||
        (strcmp(model->frequencies, "f61") == 0 && settings->kind != PEELING_GY94))
        return wl_fail(
            WL_BAD_USAGE,
            "frequencies: found '%.40s'; expected equal, observed, published, or of codons f1x4, f3x4 or f61",
            model->frequencies);
    return WL_OK;
}

static wl_status read_model(const warpladder_model *given, peeling_settings *settings) {
    warpladder_model model = WARPLADDER_MODEL;
    WL_TRY(library_options(given, &model));
    if (model.name == NULL) return wl_fail(WL_BAD_USAGE, "model: found no name; expected one, as in GTR+G4");
    WL_TRY(peeling_model_parse(model.name, settings));
    if (settings->free_frequencies)
        return wl_fail(WL_BAD_USAGE,
                       "model: found %.40s, whose +FO is to be estimated; expected +FC, which is counted, or numbers",
                       model.name);
    const unsigned named = settings->given; // in the name, as in GTR+G4{0.5}
    if (!(named & PEELING_GIVEN_ALPHA)) settings->alpha = model.alpha;
    if (!(named & PEELING_GIVEN_KAPPA)) settings->kappa = model.kappa;
    if (!(named & PEELING_GIVEN_OMEGA)) settings->omega = model.omega;
    if (!(named & PEELING_GIVEN_EXCHANGE)) memcpy(settings->exchange, model.exchange, sizeof model.exchange);
    if (model.median && settings->rates > 1) settings->median = 1;
    if (model.mitochondrial && settings->kind == PEELING_GY94) settings->code = PEELING_CODE_VERTEBRATE_MITOCHONDRIAL;
    return read_frequencies(&model, settings);
}

/* --- Opening ----------------------------------------------------------------------------------------------------- */

static wl_status read_data(warpladder_likelihood *l, const warpladder_sequence *rows, size_t count,
                           const char *newick) {
    wl_alignment alignment;
    wl_newick tree;
    if (newick == NULL) return wl_fail(WL_BAD_USAGE, "tree: found NULL; expected a string");
    WL_TRY(library_alignment(l->request.alignment, rows, count, &alignment));
    wl_status status = wl_newick_parse(l->request.tree, newick, strlen(newick), &tree);
    if (status == WL_OK) {
        status = peeling_likelihood_make(&l->request, &alignment, &tree, &l->data);
        wl_newick_free(&tree);
    }
    wl_alignment_free(&alignment);
    return status;
}

static wl_status lay_out(warpladder_likelihood *l) {
    const uint32_t nodes = l->data.tree.nodes;
    l->changed = calloc(nodes, 1);
    l->edges = malloc(nodes * sizeof *l->edges);
    l->joins = malloc(nodes * sizeof *l->joins);
    if (l->changed == NULL || l->edges == NULL || l->joins == NULL)
        return wl_fail(WL_NO_MACHINE, "not enough memory for a tree of %u nodes", nodes);
    WL_TRY(peeling_evaluator_open(l->request.devices, l->request.device_count, NULL, &l->data.input, &l->evaluator));
    l->keeps = peeling_evaluator_keeps_partials(l->evaluator);
    l->all = 1;
    return WL_OK;
}

LIBRARY_API warpladder_status warpladder_likelihood_open(warpladder *session, const warpladder_model *model,
                                                         const warpladder_sequence *rows, size_t count,
                                                         const char *newick, int single,
                                                         warpladder_likelihood **likelihood) {
    *likelihood = NULL;
    if (library_begin(session) != WL_OK) return WARPLADDER_BAD_ARGUMENT;
    warpladder_likelihood *l = calloc(1, sizeof *l);
    if (l == NULL) return library_end(session, wl_fail(WL_NO_MACHINE, "no memory for a likelihood"));
    l->session = session;
    l->request = (peeling_likelihood_request){.tree = "tree",
                                              .alignment = "alignment",
                                              .precision = single ? PEELING_SINGLE : PEELING_DOUBLE,
                                              .devices = session->devices.items,
                                              .device_count = session->devices.count,
                                              .keeps_partials = 1};
    wl_status status = read_model(model, &l->request.settings);
    if (status == WL_OK) status = read_data(l, rows, count, newick);
    if (status == WL_OK) status = lay_out(l);
    if (status == WL_OK)
        *likelihood = l;
    else
        warpladder_likelihood_close(l);
    return library_end(session, status);
}

LIBRARY_API void warpladder_likelihood_close(warpladder_likelihood *likelihood) {
    if (likelihood == NULL) return;
    peeling_evaluator_close(likelihood->evaluator);
    peeling_likelihood_free(&likelihood->data);
    WL_FREE(likelihood->changed, likelihood->edges, likelihood->joins, likelihood);
}

/* --- What it is of ----------------------------------------------------------------------------------------------- */

LIBRARY_API size_t warpladder_likelihood_nodes(const warpladder_likelihood *likelihood) {
    return likelihood->data.tree.nodes;
}

LIBRARY_API size_t warpladder_likelihood_columns(const warpladder_likelihood *likelihood) {
    return likelihood->data.columns.columns;
}

LIBRARY_API void warpladder_likelihood_tree(const warpladder_likelihood *likelihood, uint32_t *parent, double *length) {
    const peeling_tree *tree = &likelihood->data.tree;
    if (parent) memcpy(parent, tree->parent, tree->nodes * sizeof *parent);
    if (length) memcpy(length, tree->length, tree->nodes * sizeof *length);
}

/* --- Changes ----------------------------------------------------------------------------------------------------- */

static wl_status set_lengths(warpladder_likelihood *l, const double *length) {
    const peeling_tree *tree = &l->data.tree;
    if (length == NULL) return wl_fail(WL_BAD_USAGE, "length: found NULL; expected an array");
    for (uint32_t v = 0; v + 1 < tree->nodes; v++)
        if (!(length[v] >= 0) || isinf(length[v]))
            return wl_fail(WL_BAD_USAGE, "length: found %g at node %u; expected 0 or more", length[v], v);
    for (uint32_t v = 0; v + 1 < tree->nodes; v++) {
        l->changed[v] |= tree->length[v] != length[v];
        tree->length[v] = length[v];
    }
    return WL_OK;
}

LIBRARY_API warpladder_status warpladder_likelihood_set_lengths(warpladder_likelihood *likelihood,
                                                                const double *length) {
    warpladder *session = likelihood->session;
    if (library_begin(session) != WL_OK) return WARPLADDER_BAD_ARGUMENT;
    return library_end(session, set_lengths(likelihood, length));
}

/* On failure the old model stays. */
static wl_status change_model(warpladder_likelihood *l, const peeling_settings *settings, peeling_model *old) {
    const peeling_settings asked = l->request.settings, made = l->data.settings;
    *old = l->data.model;
    l->request.settings = *settings;
    const wl_status status = peeling_likelihood_model(&l->request, &l->data);
    if (status == WL_OK) {
        l->all = 1;
        return peeling_evaluator_set_model(l->evaluator, &l->data.model);
    }
    l->request.settings = asked;
    l->data.settings = made;
    l->data.model = *old;
    return status == WL_BAD_INPUT ? wl_fail(WL_BAD_USAGE, "%s", wl_error()) : status;
}

static wl_status set_model(warpladder_likelihood *l, const warpladder_model *model) {
    peeling_settings settings;
    WL_TRY(read_model(model, &settings));
    if (peeling_alphabet_of(settings.kind) != peeling_alphabet_of(l->data.settings.kind) ||
        settings.code != l->data.settings.code || peeling_classes_of(&settings) != l->data.model.rates ||
        settings.variable_only != l->data.settings.variable_only) {
        char found[PEELING_NAME], expected[PEELING_NAME];
        return wl_fail(WL_BAD_USAGE, "model: found %s; expected one with the states and rate classes of %s",
                       peeling_model_name(&settings, found), peeling_model_name(&l->data.settings, expected));
    }
    peeling_model *old = malloc(sizeof *old);
    if (old == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a model");
    const wl_status status = change_model(l, &settings, old);
    free(old);
    return status;
}

LIBRARY_API warpladder_status warpladder_likelihood_set_model(warpladder_likelihood *likelihood,
                                                              const warpladder_model *model) {
    warpladder *session = likelihood->session;
    if (library_begin(session) != WL_OK) return WARPLADDER_BAD_ARGUMENT;
    return library_end(session, set_model(likelihood, model));
}

/* --- Evaluating -------------------------------------------------------------------------------------------------- */

/* The branches that have changed, and the nodes above them: all of them where the stage keeps nothing. */
static peeling_work list_work(warpladder_likelihood *l) {
    const peeling_tree *tree = &l->data.tree;
    const peeling_work *whole = &l->data.input.work;
    peeling_work work = {.edges = l->edges, .joins = l->joins, .root = whole->root};
    if (l->all || !l->keeps) memset(l->changed, 1, tree->nodes);
    for (uint32_t e = 0; e < whole->edge_count; e++) {
        const uint32_t v = whole->edges[e].matrix; // the node below the branch, too
        if (l->changed[v]) l->edges[work.edge_count++] = (peeling_edge){.matrix = v, .length = tree->length[v]};
    }
    for (uint32_t k = 0; k < whole->join_count; k++) {
        const peeling_join *join = &whole->joins[k];
        if (!l->changed[join->child[0]] && !l->changed[join->child[1]]) continue;
        l->changed[join->to] = 1;
        l->joins[work.join_count++] = *join;
    }
    return work;
}

static wl_status evaluate(warpladder_likelihood *l, double *total, double *column) {
    peeling_likelihood *data = &l->data;
    if (total == NULL) return wl_fail(WL_BAD_USAGE, "total: found NULL; expected a number's place");
    const peeling_work work = list_work(l);
    if (work.join_count > 0) {
        l->all = 1; // unless this succeeds
        WL_TRY(peeling_evaluator_run(l->evaluator, &work, &data->total, data->site));
        peeling_likelihood_correct(data);
        l->all = 0;
        memset(l->changed, 0, data->tree.nodes);
    }
    *total = data->total;
    for (uint32_t c = 0; column && c < data->columns.columns; c++) column[c] = data->site[data->columns.pattern_of[c]];
    return WL_OK;
}

LIBRARY_API warpladder_status warpladder_likelihood_evaluate(warpladder_likelihood *likelihood, double *total,
                                                             double *column) {
    warpladder *session = likelihood->session;
    if (library_begin(session) != WL_OK) return WARPLADDER_BAD_ARGUMENT;
    return library_end(session, evaluate(likelihood, total, column));
}
