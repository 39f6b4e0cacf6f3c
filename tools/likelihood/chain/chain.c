#include "tools/likelihood/chain/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/random.h"
#include "harness/base/memory.h"
#include "tools/likelihood/chain/internal.h"
#include "peeling/work.h"

#define LENGTH_MEAN 0.1
#define LENGTH_LOW PEELING_START_LOW
#define LENGTH_HIGH PEELING_START_HIGH
#define TARGET 0.3 // of the proposals accepted, while their sizes are tuned

/* --- Priors ------------------------------------------------------------------------------------------------------ */

static double log_exponential(double value, double mean) { return -value / mean - log(mean); }

/* So that their sum is 1, as a chain keeps them. */
static void share_out(peeling_settings *settings) {
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += settings->exchange[k];
    for (int k = 0; k < 6; k++) settings->exchange[k] /= sum;
}

/* Of the limits' small shares nothing is said: they are the same for all values. So is Dirichlet's density, 5!. */
static double log_prior(const peeling_chain *chain, peeling_settings *settings) {
    double sum = 0;
    for (uint32_t which = 0; which < 2 * chain->tips - 3; which++)
        sum += log_exponential(chain->tree.length[peeling_chain_branch(chain, which)], LENGTH_MEAN);
    for (int p = 0; p < PEELING_PARAMETERS; p++) {
        const peeling_parameter *known = &peeling_chain_parameters[p];
        const double value = *peeling_parameter_of(settings, p);
        if (!peeling_has_parameter(settings, p)) continue;
        if (!(value >= known->low && value <= known->high)) return -INFINITY;
        if (known->move != PEELING_MOVE_EXCHANGE) sum += log_exponential(value, known->mean);
    }
    return sum + (chain->now.settings.kind == PEELING_GTR ? log(120) : 0);
}

/* --- Proposals --------------------------------------------------------------------------------------------------- */

peeling_chain_options peeling_chain_defaults(uint64_t seed) {
    return (peeling_chain_options){.seed = seed,
                                   .share = {[PEELING_MOVE_BRANCH] = 60,
                                             [PEELING_MOVE_NNI] = 25,
                                             [PEELING_MOVE_ALPHA] = 5,
                                             [PEELING_MOVE_KAPPA] = 5,
                                             [PEELING_MOVE_OMEGA] = 5,
                                             [PEELING_MOVE_EXCHANGE] = 10},
                                   .size = {[PEELING_MOVE_BRANCH] = 1.5,
                                            [PEELING_MOVE_ALPHA] = 0.5,
                                            [PEELING_MOVE_KAPPA] = 0.25,
                                            [PEELING_MOVE_OMEGA] = 0.25,
                                            [PEELING_MOVE_EXCHANGE] = 0.5}};
}

static int has_move(const peeling_chain *chain, peeling_move move) {
    if (move == PEELING_MOVE_BRANCH) return 1;
    if (move == PEELING_MOVE_NNI) return chain->tips > 3;
    for (int p = 0; p < PEELING_PARAMETERS; p++)
        if (peeling_chain_parameters[p].move == move && peeling_has_parameter(&chain->now.settings, p)) return 1;
    return 0;
}

/* Four numbers from 0 to 1 a step, of the seed and the step alone: what a step is going to be is known before those
   before it are done. */
typedef struct {
    peeling_move move;
    double which, size, odds;
} drawn;

static drawn draw(const peeling_chain *chain, uint64_t step) {
    wl_random random = wl_random_stream(chain->options.seed ^ 0x6d65747261706f6cu, step);
    double all = 0, place;
    drawn made = {.move = PEELING_MOVE_BRANCH};
    for (int m = 0; m < PEELING_MOVES; m++) all += has_move(chain, m) ? chain->options.share[m] : 0;
    place = wl_random_unit(&random) * all;
    for (int m = 0; m < PEELING_MOVES; m++) {
        if (!has_move(chain, m)) continue;
        if (chain->options.share[m] > 0) made.move = m;
        place -= chain->options.share[m];
        if (place < 0) break;
    }
    made.which = wl_random_unit(&random);
    made.size = wl_random_unit(&random);
    made.odds = wl_random_unit(&random);
    return made;
}

static double factor(const peeling_chain *chain, const drawn *d) {
    return exp(chain->options.size[d->move] * (d->size - 0.5));
}

static int changes_generator(peeling_move move) {
    return move == PEELING_MOVE_KAPPA || move == PEELING_MOVE_OMEGA || move == PEELING_MOVE_EXCHANGE;
}

/* The settings that a step of the model proposes; returns the log of the Hastings ratio. */
static double propose_settings(const peeling_chain *chain, const drawn *d, peeling_settings *settings) {
    int parameter = 0;
    while (peeling_chain_parameters[parameter].move != d->move) parameter++;
    if (d->move == PEELING_MOVE_EXCHANGE) parameter += (int)(6 * d->which);
    *settings = chain->now.settings;
    double *value = peeling_parameter_of(settings, parameter);
    const double before = *value, log_factor = chain->options.size[d->move] * (d->size - 0.5);
    *value *= factor(chain, d);
    if (d->move != PEELING_MOVE_EXCHANGE) return log_factor;
    share_out(settings);
    return log_factor + 6 * (log1p(-*value) - log1p(-before));
}

/* Between two steps that change the generator nothing changes what the second proposes, but alpha, which is not in it.
   */
static void look_ahead(peeling_chain *chain, uint64_t from) {
    int ever = 0;
    for (int m = 0; m < PEELING_MOVES; m++)
        ever |= changes_generator(m) && has_move(chain, m) && chain->options.share[m] > 0;
    if (!ever || !chain->evaluator) return;
    for (uint64_t step = from; step < from + 10000; step++) {
        const drawn d = draw(chain, step);
        if (!changes_generator(d.move)) continue;
        peeling_settings settings;
        propose_settings(chain, &d, &settings);
        peeling_ahead_want(&chain->ahead, step, &settings);
        return;
    }
}

/* Sizes of proposals follow how many were accepted, less and less. */
static void tune(peeling_chain *chain, peeling_move move, int accepted) {
    double *size = &chain->options.size[move];
    if (chain->now.step >= chain->options.tuned || move == PEELING_MOVE_NNI) return;
    *size *= exp((accepted - TARGET) / pow(1 + (double)chain->now.proposed[move], 0.6));
    *size = fmin(fmax(*size, 1e-4), 10);
}

/* --- Likelihoods ------------------------------------------------------------------------------------------------- */

wl_status peeling_chain_evaluate(peeling_chain *chain, const peeling_model *model, uint64_t stamp,
                                 const peeling_work *work, double *total) {
    if (chain->loaded != stamp) WL_TRY(peeling_evaluator_set_model(chain->evaluator, model));
    chain->loaded = stamp;
    return peeling_evaluator_run(chain->evaluator, work, total, NULL);
}

/* Of the lists that were touched, under `model`, which has this number. */
static wl_status evaluate(peeling_chain *chain, const peeling_model *model, uint64_t stamp, double *total) {
    *total = 0;
    if (!chain->evaluator) return WL_OK;
    if (!chain->keeps) {
        peeling_chain_clear(chain);
        peeling_chain_touch_all(chain);
    }
    WL_TRY(peeling_chain_evaluate(chain, model, stamp, &chain->work, total));
    if (isnan(*total))
        return wl_fail(WL_CHECK_FAILED, "step %llu: found NaN as log-likelihood", (unsigned long long)chain->now.step);
    return WL_OK;
}

/* --- A step ------------------------------------------------------------------------------------------------------ */

/* What a proposal changed, so that it can be taken back, and how likely it was. */
typedef struct {
    uint32_t branch, exchanged[2];
    double length; // before
    peeling_settings settings;
    double log_hastings;
    int possible;
} proposal;

static wl_status propose_model(peeling_chain *chain, const drawn *d, proposal *p) {
    wl_status status = WL_OK;
    p->log_hastings = propose_settings(chain, d, &p->settings);
    p->possible = log_prior(chain, &p->settings) > -INFINITY;
    if (!p->possible || !chain->evaluator) return WL_OK;
    if (changes_generator(d->move)) {
        status = peeling_ahead_take(&chain->ahead, chain->now.step, &p->settings, &chain->proposed);
        memcpy(chain->proposed.rate, chain->model.rate, sizeof chain->model.rate); // alpha may have changed since
    } else {
        chain->proposed = chain->model;
        peeling_gamma_rates(p->settings.alpha, p->settings.rates, p->settings.median, chain->proposed.rate);
    }
    peeling_chain_touch_all(chain);
    return status;
}

static wl_status propose(peeling_chain *chain, const drawn *d, proposal *p) {
    *p = (proposal){.settings = chain->now.settings, .possible = 1};
    peeling_chain_clear(chain);
    if (d->move == PEELING_MOVE_NNI) {
        peeling_chain_interchange(chain, (uint32_t)(d->which * (chain->tips - 3)), d->size >= 0.5, p->exchanged);
        return WL_OK;
    }
    if (d->move != PEELING_MOVE_BRANCH) return propose_model(chain, d, p);
    p->log_hastings = chain->options.size[d->move] * (d->size - 0.5);
    p->branch = peeling_chain_branch(chain, (uint32_t)(d->which * (2 * chain->tips - 3)));
    p->length = chain->tree.length[p->branch];
    chain->tree.length[p->branch] *= factor(chain, d);
    peeling_chain_touch_branch(chain, p->branch);
    peeling_chain_touch_up(chain, chain->tree.parent[p->branch]);
    return WL_OK;
}

static void keep(peeling_chain *chain, const drawn *d, const proposal *p, double log_likelihood, double prior) {
    chain->now.log_likelihood = log_likelihood;
    chain->now.log_prior = prior;
    chain->now.settings = p->settings;
    if (d->move == PEELING_MOVE_BRANCH || d->move == PEELING_MOVE_NNI) return;
    if (chain->evaluator) chain->model = chain->proposed;
    chain->stamp = chain->newest;
}

static void take_back(peeling_chain *chain, const drawn *d, const proposal *p) {
    if (d->move == PEELING_MOVE_NNI) peeling_chain_exchange(chain, p->exchanged);
    if (d->move == PEELING_MOVE_BRANCH) chain->tree.length[p->branch] = p->length;
    peeling_chain_take_back(chain);
}

wl_status peeling_chain_next(peeling_chain *chain, peeling_chain_step *done) {
    const drawn d = draw(chain, chain->now.step);
    const int is_model = d.move != PEELING_MOVE_BRANCH && d.move != PEELING_MOVE_NNI;
    proposal p;
    *done = (peeling_chain_step){.move = d.move, .log_likelihood = -INFINITY, .margin = -INFINITY};
    WL_TRY(propose(chain, &d, &p));
    done->operations = peeling_operations_of(&chain->input, &chain->work,
                                             chain->tip_additions); // of what is touched, whatever is recomputed
    if (p.possible) {
        WL_TRY(evaluate(chain, is_model ? &chain->proposed : &chain->model, is_model ? ++chain->newest : chain->stamp,
                        &done->log_likelihood));
        const double prior = log_prior(chain, &p.settings);
        done->margin = done->log_likelihood - chain->now.log_likelihood + prior - chain->now.log_prior +
                       p.log_hastings - log(d.odds);
        done->accepted = done->margin >= 0;
        if (done->accepted) keep(chain, &d, &p, done->log_likelihood, prior);
    }
    if (!done->accepted) take_back(chain, &d, &p);
    tune(chain, d.move, done->accepted);
    chain->now.proposed[d.move]++;
    chain->now.accepted[d.move] += (uint64_t)done->accepted;
    chain->now.step++;
    if (changes_generator(d.move)) look_ahead(chain, chain->now.step);
    return WL_OK;
}

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
    for (uint32_t v = 0; v < chain->root; v++) length[v] = fmin(fmax(length[v], LENGTH_LOW), LENGTH_HIGH);
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
    chain->now.log_prior = log_prior(chain, &chain->now.settings);
    if (chain->options.prior_only) return WL_OK;
    for (uint32_t t = 0; t < chain->tips; t++) chain->tip_additions[t] = peeling_tip_additions(&chain->input.data, t);
    WL_TRY(open_evaluator(chain, devices, count, variant));
    peeling_chain_clear(chain);
    peeling_chain_touch_all(chain);
    WL_TRY(evaluate(chain, &chain->model, chain->stamp, &chain->now.log_likelihood));
    if (isinf(chain->now.log_likelihood)) return wl_fail(WL_BAD_INPUT, "the chain starts where the likelihood is 0");
    look_ahead(chain, 0);
    return WL_OK;
}

wl_status peeling_chain_open(const wl_device *devices, size_t count, const char *variant, const peeling_input *input,
                             const peeling_tree *tree, const peeling_settings *settings,
                             const peeling_chain_options *options, peeling_chain **made) {
    peeling_chain *chain = calloc(1, sizeof *chain);
    if (!chain) return wl_fail(WL_NO_MACHINE, "no memory for a chain");
    chain->options = *options;
    chain->now.settings = *settings;
    share_out(&chain->now.settings);
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
    memset(state, 0, sizeof *state); /* it is written to files as it is */
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
    WL_TRY(evaluate(chain, &chain->model, chain->stamp, &total));
    if (fabs(total - state->log_likelihood) > 1e-6 * fmax(1, fabs(total)))
        return wl_fail(WL_CHECK_FAILED, "the chain was saved at the log-likelihood %.12g, which is %.12g here",
                       state->log_likelihood, total);
    chain->now.log_likelihood = state->log_likelihood;
    chain->now.log_prior = state->log_prior;
    look_ahead(chain, chain->now.step);
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

/* --- What it is now ---------------------------------------------------------------------------------------------- */

const peeling_chain_now *peeling_chain_here(const peeling_chain *chain) { return &chain->now; }

double peeling_chain_length(const peeling_chain *chain) {
    double sum = 0;
    for (uint32_t v = 0; v < chain->root; v++) sum += chain->tree.length[v];
    return sum;
}

const peeling_engine *peeling_chain_engine(const peeling_chain *chain) {
    return chain->evaluator ? peeling_evaluator_engine(chain->evaluator, 0) : NULL;
}

size_t peeling_chain_devices(const peeling_chain *chain) {
    return chain->evaluator ? peeling_evaluator_devices(chain->evaluator) : 0;
}
