#include "tools/likelihood/chain/chain.h"

#include <math.h>
#include <string.h>

#include "harness/base/random.h"
#include "tools/likelihood/chain/internal.h"
#include "peeling/work.h"

#define LENGTH_MEAN 0.1
#define TARGET 0.3 // of the proposals accepted, while their sizes are tuned

/* --- Priors ------------------------------------------------------------------------------------------------------ */

static double log_exponential(double value, double mean) { return -value / mean - log(mean); }

void peeling_chain_share_out(peeling_settings *settings) {
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += settings->exchange[k];
    for (int k = 0; k < 6; k++) settings->exchange[k] /= sum;
}

/* The priors end at the parameters' limits. The small share that they lose there is left out, because it is the same for all values.
   Dirichlet's density is the same for all values, too: 5!. */
double peeling_chain_prior(const peeling_chain *chain, peeling_settings *settings) {
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
    peeling_chain_share_out(settings);
    return log_factor + 6 * (log1p(-*value) - log1p(-before));
}

/* Between two steps that change the generator nothing changes what the second proposes, but alpha, which is not in it.
   */
void peeling_chain_look_ahead(peeling_chain *chain, uint64_t from) {
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

wl_status peeling_chain_evaluate_touched(peeling_chain *chain, const peeling_model *model, uint64_t stamp,
                                         double *total) {
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
    p->possible = peeling_chain_prior(chain, &p->settings) > -INFINITY;
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
        WL_TRY(peeling_chain_evaluate_touched(chain, is_model ? &chain->proposed : &chain->model,
                                              is_model ? ++chain->newest : chain->stamp, &done->log_likelihood));
        const double prior = peeling_chain_prior(chain, &p.settings);
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
    if (changes_generator(d.move)) peeling_chain_look_ahead(chain, chain->now.step);
    return WL_OK;
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
