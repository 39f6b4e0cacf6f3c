/* Metropolis-Hastings over trees, branch lengths and the model's parameters: the paper's workload. A step recomputes what its proposal
   touches, and is taken back by turning to the buffers that were there before: every branch and inner node has two.

   The tree is unrooted: it has 2 tips - 3 branches. A rooted one computes it, whose root's second child has a branch of length 0.

   The priors are independent. Every branch length is exponential with mean 0.1. alpha and omega are exponential with mean 1, kappa with
   mean 4. GTR's six exchange rates are Dirichlet(1, 1, 1, 1, 1, 1), because only the shares of their sum mean anything. Each parameter
   stays within the limits of peeling_chain_parameters. All topologies are equally likely. Frequencies stay as they are.

   There are three kinds of proposals. A length or parameter is multiplied by f = exp(s (u - 1/2)), u uniform; the Hastings ratio is f. If
   an exchange rate has the share y, its odds y / (1 - y) are multiplied by f, while the other five keep their proportions. The share
   becomes y', and the Hastings ratio is f ((1 - y') / (1 - y))^6. Nearest-neighbour interchange exchanges two subtrees across an inner
   branch; they take their branches along. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "tools/likelihood/evaluate.h"
#include "peeling/model/model.h"
#include "peeling/tree.h"

typedef enum {
    PEELING_MOVE_BRANCH,
    PEELING_MOVE_NNI,
    PEELING_MOVE_ALPHA,
    PEELING_MOVE_KAPPA,
    PEELING_MOVE_OMEGA,
    PEELING_MOVE_EXCHANGE,
    PEELING_MOVES
} peeling_move;
extern const char *const peeling_move_names[PEELING_MOVES]; // "branch"

/* alpha, kappa, omega, and GTR's six. */
enum { PEELING_PARAMETERS = 9, PEELING_EXCHANGE = 3 };
typedef struct {
    const char *name; // "alpha", "rAC"
    peeling_move move;
    double mean, low, high; // of the prior
} peeling_parameter;
extern const peeling_parameter peeling_chain_parameters[PEELING_PARAMETERS];
/* Whether a model of this kind has it, and where it is. */
int peeling_has_parameter(const peeling_settings *settings, int parameter);
double *peeling_parameter_of(peeling_settings *settings, int parameter);
/* Its value as people see it: of GTR's six the share of their sum. */
double peeling_parameter_shown(const peeling_settings *settings, int parameter);

typedef struct {
    uint64_t seed;
    int prior_only; // the data are not looked at: what the chain then gives are the priors
    uint64_t tuned; // in so many steps from the first, s of each kind of proposal is led to where 3 in 10 are accepted
    double share[PEELING_MOVES]; // of the steps; of those that the model or the tree has, only the ratios count
    double size[PEELING_MOVES];  // s, at first
} peeling_chain_options;
/* Six steps in ten a branch, a quarter an interchange, the rest the model; nothing tuned. */
peeling_chain_options peeling_chain_defaults(uint64_t seed);

/* What a step did. */
typedef struct {
    peeling_move move;
    int accepted;
    double log_likelihood; // of the proposal
    double margin;         // accepted if at least 0: by how much the log of the odds was above that of the number drawn
    double operations;     // of what the proposal touches, as peeling_operations_done counts
} peeling_chain_step;

typedef struct {
    uint64_t step; // steps done
    double log_likelihood, log_prior;
    peeling_settings settings;
    uint64_t proposed[PEELING_MOVES], accepted[PEELING_MOVES];
} peeling_chain_now;

typedef struct peeling_chain peeling_chain;

#define PEELING_START_LOW 1e-6
#define PEELING_START_HIGH 10.0

/* A chain that starts at this tree and these settings. devices, count, variant: as of peeling_evaluator_open; without a
   variant the best that keeps partials. data, precision: the input's; only they are read of it. Lengths start from
   PEELING_START_LOW to PEELING_START_HIGH, whatever the tree's are. `input->data` outlives the chain; tree and settings
   need not. On success close with peeling_chain_close. WL_BAD_USAGE: a parameter beyond its limits. WL_BAD_INPUT: what
   peeling_model_make says, or that the likelihood of the start is 0. */
wl_status peeling_chain_open(const wl_device *devices, size_t count, const char *variant, const peeling_input *input,
                             const peeling_tree *tree, const peeling_settings *settings,
                             const peeling_chain_options *options, peeling_chain **made);
void peeling_chain_close(peeling_chain *chain); // NULL: nothing

/* All that the next steps depend on, but the tree: numbers as they are, so that a chain that is restored takes the same steps to the last
   bit. */
typedef struct {
    uint64_t step;
    double log_likelihood, log_prior;
    double parameter[PEELING_PARAMETERS];
    double size[PEELING_MOVES];
    uint64_t proposed[PEELING_MOVES], accepted[PEELING_MOVES];
} peeling_chain_state;
/* The chain's tree, rooted as it computes it, with its state. Valid until the next step. */
const peeling_tree *peeling_chain_save(const peeling_chain *chain, peeling_chain_state *state);
/* To a chain of the same data, settings and options. WL_BAD_INPUT: the tree is none of so many tips. WL_CHECK_FAILED: on this machine the
   likelihood is another one than when it was saved. */
wl_status peeling_chain_restore(peeling_chain *chain, const peeling_chain_state *state, const peeling_tree *tree);

/* One step. The same seed gives the same proposals on every backend. WL_CHECK_FAILED: a likelihood is NaN. */
wl_status peeling_chain_next(peeling_chain *chain, peeling_chain_step *done);

const peeling_chain_now *peeling_chain_here(const peeling_chain *chain);
double peeling_chain_length(const peeling_chain *chain); // of all branches together
/* The engine on the first device; how many devices; whether steps recompute only what they touch. NULL, 0, 0 of
   prior_only. */
const peeling_engine *peeling_chain_engine(const peeling_chain *chain);
size_t peeling_chain_devices(const peeling_chain *chain);

/* The tree with its root in the middle of tip `outgroup`'s branch. On success free with peeling_tree_free. */
wl_status peeling_chain_tree(const peeling_chain *chain, uint32_t outgroup, peeling_tree *tree);

/* The log-likelihood from scratch: all matrices and partials of the tree rooted elsewhere, in buffers that the chain
   does not use at the moment. Differs from the kept one by rounding only. */
wl_status peeling_chain_scratch(peeling_chain *chain, double *total);
