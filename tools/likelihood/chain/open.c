/* How a chain begins and ends, is saved and restored. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "peeling/work.h"
#include "tools/likelihood/chain/internal.h"

/* --- Beginning and end ------------------------------------------------------------------------------------------- */

static wl_status allocate(peeling_chain *chain) {
    const size_t n = chain->nodes;
    if (WL_ALLOCATE(WL_ZEROS(chain->matrix_flip, n), WL_ZEROS(chain->partial_flip, n), WL_ARRAY(chain->edges, n),
                    WL_ARRAY(chain->joins, n), WL_ARRAY(chain->first_edges, n), WL_ARRAY(chain->first_joins, n),
                    WL_ARRAY(chain->edge_node, n), WL_ARRAY(chain->order, 2 * n), WL_ARRAY(chain->need, n),
                    WL_ZEROS(chain->tip_additions, chain->tips)))
        return WL_OK;
    return wl_fail(WL_NO_MACHINE, "not enough memory for a chain of %u taxa", chain->tips);
}

static wl_status copy_tree(peeling_chain *chain, const peeling_tree *tree) {
    WL_TRY(peeling_tree_allocate(tree->tips, &chain->tree));
    const size_t n = tree->nodes;
    const uint32_t *top = tree->child[chain->root];
    double *length = chain->tree.length;
    memcpy(chain->tree.child, tree->child, n * sizeof *tree->child);
    memcpy(chain->tree.parent, tree->parent, n * sizeof *tree->parent);
    memcpy(length, tree->length, n * sizeof *length);
    length[top[0]] += length[top[1]];
    for (uint32_t v = 0; v < chain->root; v++) length[v] = fmin(fmax(length[v], PEELING_START_LOW), PEELING_START_HIGH);
    length[top[1]] = 0;
    peeling_tree_work(&chain->tree, chain->first_edges, chain->first_joins, &chain->input.work);
    return WL_OK;
}

static wl_status open_evaluator(peeling_chain *chain, const wl_device *devices, size_t count, const char *variant) {
    peeling_input *in = &chain->input;
    in->matrices = 2 * (chain->nodes - 1);
    in->partials = 2 * chain->joins_of_tree;
    const peeling_engine *engine = peeling_engine_find(&devices[0], variant, in, NULL);
    if (engine && !engine->keeps_partials) {
        in->matrices /= 2;
        in->partials /= 2;
    }
    if (engine) variant = engine->variant->name; // the same on all devices, for what they keep to be the same
    wl_status status = peeling_evaluator_open(devices, count, variant, in, &chain->evaluator);
    if (status == WL_OK) status = peeling_ahead_start(&chain->ahead);
    chain->keeps = status == WL_OK && peeling_evaluator_keeps_partials(chain->evaluator);
    return status;
}

/* Numbers that no move changes would stay as they were given, while those that they depend on move; and Lewis's correction changes with
   every step. */
static wl_status refuse_model(const peeling_settings *settings) {
    char name[PEELING_NAME];
    const char *what = settings->has_invariant   ? "+I"
                       : settings->free_rates    ? "+R"
                       : settings->variable_only ? "+ASC"
                                                 : NULL;
    peeling_model_name(settings, name);
    if (what)
        return wl_fail(WL_BAD_USAGE,
                       "option --chain: the model %s has %s, which no chain samples; expected one without it", name,
                       what);
    if (settings->kind == PEELING_GTR && strcmp(settings->alike, "012345") != 0)
        return wl_fail(
            WL_BAD_USAGE,
            "option --chain: the model %s has exchange rates that are equal; expected GTR, HKY85, K80 or JC69", name);
    return WL_OK;
}

/* The prior of the start must not be 0: every proposal would be as good as any other. */
static wl_status check_start(peeling_settings *settings) {
    for (int p = 0; p < PEELING_PARAMETERS; p++) {
        const peeling_parameter *known = &peeling_chain_parameters[p];
        const double value = *peeling_parameter_of(settings, p);
        if (peeling_has_parameter(settings, p) && !(value >= known->low && value <= known->high))
            return wl_fail(WL_BAD_USAGE, "option --%s: the chain starts with %s %g; expected %g to %g",
                           known->move == PEELING_MOVE_EXCHANGE ? "rates" : known->name, known->name, value, known->low,
                           known->high);
    }
    return WL_OK;
}

static wl_status start(peeling_chain *chain, const wl_device *devices, size_t count, const char *variant,
                       const peeling_tree *tree) {
    WL_TRY(allocate(chain));
    WL_TRY(copy_tree(chain, tree));
    WL_TRY(refuse_model(&chain->now.settings));
    WL_TRY(check_start(&chain->now.settings));
    WL_TRY(peeling_model_make(&chain->now.settings, &chain->model));
    chain->now.log_prior = peeling_chain_prior(chain, &chain->now.settings);
    if (chain->options.prior_only) return WL_OK;
    for (uint32_t t = 0; t < chain->tips; t++) chain->tip_additions[t] = peeling_tip_additions(&chain->input.data, t);
    WL_TRY(open_evaluator(chain, devices, count, variant));
    peeling_chain_clear(chain);
    peeling_chain_touch_all(chain);
    WL_TRY(peeling_chain_evaluate_touched(chain, &chain->model, chain->stamp, &chain->now.log_likelihood));
    if (isinf(chain->now.log_likelihood)) return wl_fail(WL_BAD_INPUT, "the chain starts where the likelihood is 0");
    peeling_chain_look_ahead(chain, 0);
    return WL_OK;
}

wl_status peeling_chain_open(const wl_device *devices, size_t count, const char *variant, const peeling_input *input,
                             const peeling_tree *tree, const peeling_settings *settings,
                             const peeling_chain_options *options, peeling_chain **made) {
    peeling_chain *chain = calloc(1, sizeof *chain);
    if (!chain) return wl_fail(WL_NO_MACHINE, "no memory for a chain");
    chain->options = *options;
    chain->now.settings = *settings;
    peeling_chain_share_out(&chain->now.settings);
    chain->tips = tree->tips;
    chain->nodes = tree->nodes;
    chain->root = tree->nodes - 1;
    chain->joins_of_tree = tree->tips - 1;
    chain->input = (peeling_input){.precision = input->precision, .model = &chain->model, .data = input->data};
    const wl_status status = start(chain, devices, count, variant, tree);
    if (status == WL_OK)
        *made = chain;
    else
        peeling_chain_close(chain);
    return status;
}

/* --- Saved and restored ------------------------------------------------------------------------------------------ */

const peeling_tree *peeling_chain_save(const peeling_chain *chain, peeling_chain_state *state) {
    peeling_settings settings = chain->now.settings;
    memset(state, 0, sizeof *state); // it is written to files as it is
    state->step = chain->now.step;
    state->log_likelihood = chain->now.log_likelihood;
    state->log_prior = chain->now.log_prior;
    for (int p = 0; p < PEELING_PARAMETERS; p++) state->parameter[p] = *peeling_parameter_of(&settings, p);
    memcpy(state->size, chain->options.size, sizeof state->size);
    memcpy(state->proposed, chain->now.proposed, sizeof state->proposed);
    memcpy(state->accepted, chain->now.accepted, sizeof state->accepted);
    return &chain->tree;
}

/* A rooted binary tree of as many tips: each node but the root is one node's child, and climbing from it ends at the root. */
static int is_tree(const peeling_chain *chain, const peeling_tree *tree) {
    if (tree->nodes != chain->nodes || tree->parent[chain->root] != WL_NO_NODE) return 0;
    for (uint32_t v = 0; v < chain->nodes; v++) {
        uint32_t steps = 0;
        if (v < chain->tips ? tree->child[v][0] != WL_NO_NODE : tree->child[v][0] == tree->child[v][1]) return 0;
        for (int k = 0; k < 2 && v >= chain->tips; k++)
            if (tree->child[v][k] >= chain->root || tree->parent[tree->child[v][k]] != v) return 0;
        for (uint32_t up = v; up != chain->root; up = tree->parent[up])
            if (tree->parent[up] >= chain->nodes || steps++ > chain->nodes) return 0;
        if (!(tree->length[v] >= 0 && tree->length[v] < INFINITY)) return 0;
    }
    return 1;
}

wl_status peeling_chain_restore(peeling_chain *chain, const peeling_chain_state *state, const peeling_tree *tree) {
    double total;
    if (!is_tree(chain, tree))
        return wl_fail(WL_BAD_INPUT, "found a chain's tree that is none of %u tips", chain->tips);
    memcpy(chain->tree.child, tree->child, chain->nodes * sizeof *tree->child);
    memcpy(chain->tree.parent, tree->parent, chain->nodes * sizeof *tree->parent);
    memcpy(chain->tree.length, tree->length, chain->nodes * sizeof *tree->length);
    for (int p = 0; p < PEELING_PARAMETERS; p++) *peeling_parameter_of(&chain->now.settings, p) = state->parameter[p];
    WL_TRY(peeling_model_make(&chain->now.settings, &chain->model));
    chain->stamp = ++chain->newest;
    chain->now.step = state->step;
    memcpy(chain->options.size, state->size, sizeof state->size);
    memcpy(chain->now.proposed, state->proposed, sizeof state->proposed);
    memcpy(chain->now.accepted, state->accepted, sizeof state->accepted);
    peeling_chain_clear(chain);
    peeling_chain_touch_all(chain);
    WL_TRY(peeling_chain_evaluate_touched(chain, &chain->model, chain->stamp, &total));
    if (fabs(total - state->log_likelihood) > 1e-6 * fmax(1, fabs(total)))
        return wl_fail(WL_CHECK_FAILED, "the chain was saved at the log-likelihood %.12g, which is %.12g here",
                       state->log_likelihood, total);
    chain->now.log_likelihood = state->log_likelihood;
    chain->now.log_prior = state->log_prior;
    peeling_chain_look_ahead(chain, chain->now.step);
    return WL_OK;
}

void peeling_chain_close(peeling_chain *chain) {
    if (!chain) return;
    peeling_ahead_stop(&chain->ahead);
    peeling_evaluator_close(chain->evaluator);
    peeling_tree_free(&chain->tree);
    WL_FREE(chain->matrix_flip, chain->partial_flip, chain->edges, chain->joins, chain->first_edges, chain->first_joins,
            chain->edge_node, chain->order, chain->need, chain->tip_additions, chain);
}
