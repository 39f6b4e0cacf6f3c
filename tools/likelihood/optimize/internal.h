/* What the files of this folder share. */
#pragma once

#include "tools/likelihood/optimize/optimize.h"

/* Branches are from here to there. Shorter ones cannot be told from 0 by any alignment that fits into memory. */
#define LENGTH_LOW 1e-8
#define LENGTH_HIGH 100.0

/* An alignment with its model, on states of an engine: one, or one for each class of columns with exchange rates of its own. */
typedef struct {
    peeling_likelihood *l;
    double scale; // of the tree's lengths
    const peeling_engine *engine, *passing_engine;
    size_t classes;
    peeling_input input[PEELING_PARTS_MOST];
    peeling_model *model; // [classes]
    double share[PEELING_PARTS_MOST];
    void *state[PEELING_PARTS_MOST];
    /* The same for evaluations that keep no vectors below: of many columns they take a fifth of the time. */
    peeling_input passing_input[PEELING_PARTS_MOST];
    void *passing[PEELING_PARTS_MOST];
    peeling_edge *edges; // [nodes - 1]
    double *sum[3];      // [patterns] of one class
    double *class_sum;   // [classes][3][patterns], with several classes
    int32_t *exponent;   // [patterns], with several classes: of `sum`
    uint64_t *common;    // [patterns]: the states that all tips may have
    double *constant;    // [patterns]: what rate classes of rate 0 give
    int has_constant;    // there is such a rate class
    double columns;      // how many there are
    double (*added)[3];  // by pieces of columns
    int threads;
    unsigned long evaluations;
} optimize_part;

/* The tree is one without a root: the two branches at the root are one, of node `joined`, and the other's length is 0. */
typedef struct {
    const peeling_tree *tree; // the first part's
    double *length;           // [nodes]
    uint32_t joined, other;
    double ratio; // that `joined` has of both, in the end
    optimize_part *parts;
    size_t count;
    /* A walk over all branches; walk.c. */
    struct optimize_step *steps;
    uint32_t step_count;
    uint32_t ends; // the vector that peeling_branches.ends writes
} optimize_state;

/* part.c. On request->device if it can, else on request->cpu. more_partials: what the walk needs beyond those of the joins. */
wl_status optimize_part_open(const peeling_optimize_request *request, uint32_t more_partials, peeling_likelihood *l,
                             optimize_part *part);
void optimize_part_close(optimize_part *part);
/* Models anew from part->l->settings. */
wl_status optimize_part_model(optimize_part *part);
/* The log-likelihood; with `keep`, all vectors below stay for a walk. */
wl_status optimize_part_evaluate(optimize_part *part, const double *length, int keep, double *total);
/* Adds to all [count] the heights, or the slopes and curvatures, at lengths in the tree of the branch whose ends are in vector `ends`. */
wl_status optimize_part_slopes(optimize_part *part, uint32_t ends, const double *length, int count, int heights,
                               peeling_slopes *all);

/* walk.c */
uint32_t optimize_walk_partials(const peeling_tree *tree);
wl_status optimize_walk_open(optimize_state *s);
/* Sets each branch in its turn to the length at which the likelihood is highest, the others being as they are; uphill from the length that
   it has, or, with `looks`, also from others. */
wl_status optimize_walk(optimize_state *s, double precision, int looks);

/* numbers.c: the numbers of a model that are estimated, each on a scale on which equal steps matter about equally. */
enum { NUMBERS_MOST = PEELING_MODEL_PARAMETERS_MOST + PEELING_STATES_MOST };
typedef struct {
    peeling_settings *settings;
    peeling_model_parameter list[PEELING_MODEL_PARAMETERS_MOST];
    int listed, frequencies; // how many of each
    int count;
    double low[NUMBERS_MOST], high[NUMBERS_MOST];
} optimize_numbers;
void optimize_numbers_of(peeling_settings *settings, optimize_numbers *numbers);
void optimize_numbers_get(const optimize_numbers *numbers, double *x);
void optimize_numbers_set(const optimize_numbers *numbers, const double *x);
