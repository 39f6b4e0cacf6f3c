/* What the files of tools/likelihood/chain/ share. */
#pragma once

#include <pthread.h>

#include "tools/likelihood/chain/chain.h"

/* Decomposing a generator of 61 states takes longer than a step on a GPU. Which step needs the next, and of which
   settings, is known as soon as the last such step is decided: a thread makes it in the meantime. */
typedef struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { AHEAD_IDLE, AHEAD_WANTED, AHEAD_READY, AHEAD_END } state;
    int has_thread;
    uint64_t step; // the model is for
    peeling_settings settings;
    peeling_model model;
    wl_saved_error failure; // to make it
} peeling_ahead;

wl_status peeling_ahead_start(peeling_ahead *ahead);
void peeling_ahead_stop(peeling_ahead *ahead);
void peeling_ahead_want(peeling_ahead *ahead, uint64_t step, const peeling_settings *settings);
/* The model of these settings for `step`: made by now, or here. */
wl_status peeling_ahead_take(peeling_ahead *ahead, uint64_t step, const peeling_settings *settings,
                             peeling_model *model);

struct peeling_chain {
    peeling_chain_options options;
    peeling_chain_now now;
    peeling_evaluator *evaluator; // NULL: prior only
    int keeps;                    // partials
    uint32_t tips, nodes, root;   // the root is node nodes - 1
    uint32_t joins_of_tree;       // tips - 1
    peeling_tree tree;            // nodes in any order
    uint8_t *matrix_flip;         // [nodes]: which of its two buffers holds a branch's matrix
    uint8_t *partial_flip;        // [nodes]

    /* What a step computes. Flips of a proposal that is rejected are taken back by these lists. */
    peeling_edge *edges; // [nodes]
    peeling_join *joins; // [tips]
    uint32_t *edge_node; // [nodes]: the branch that edges[i] is of
    peeling_work work;
    uint32_t *order, *need; // [nodes]: scratch

    peeling_edge *first_edges; // [nodes]: the start's whole tree, which the engines are opened with
    peeling_join *first_joins; // [tips]
    double *tip_additions;     // [tips]: of a join, see peeling_operations_done
    peeling_input input;

    peeling_model model, proposed; // of now.settings, and of a proposal
    uint64_t stamp, newest;        // models are numbered: that of now.settings, and the last
    uint64_t loaded;               // the one that the engines have
    peeling_ahead ahead;
};

/* The buffers of a node's matrix and vector. */
static inline uint32_t peeling_chain_matrix(const peeling_chain *chain, uint32_t node, int flip) {
    return node + (flip ? chain->nodes - 1 : 0);
}
static inline uint32_t peeling_chain_vector(const peeling_chain *chain, uint32_t node, int flip) {
    return node + (flip && node >= chain->tips ? chain->joins_of_tree : 0);
}

/* --- chain.c ----------------------------------------------------------------------------------------------------- */

/* So that the sum of exchange rates is 1, as a chain keeps them. */
void peeling_chain_share_out(peeling_settings *settings);
double peeling_chain_prior(const peeling_chain *chain, peeling_settings *settings);
/* Let a thread make the next model that a step from this one on needs. */
void peeling_chain_look_ahead(peeling_chain *chain, uint64_t from);
/* The likelihood of the lists that were touched, under `model`, which has this number. */
wl_status peeling_chain_evaluate_touched(peeling_chain *chain, const peeling_model *model, uint64_t stamp,
                                         double *total);
/* `work` under `model`, whose number is `stamp`: the engines get it where they have another. */
wl_status peeling_chain_evaluate(peeling_chain *chain, const peeling_model *model, uint64_t stamp,
                                 const peeling_work *work, double *total);

/* --- tree.c ------------------------------------------------------------------------------------------------------ */

/* Lists begin empty; then branches whose matrices are new; then nodes, each after its children. */
void peeling_chain_clear(peeling_chain *chain);
void peeling_chain_touch_branch(peeling_chain *chain, uint32_t node);
void peeling_chain_touch_up(peeling_chain *chain, uint32_t node); // this one and all above
void peeling_chain_touch_all(peeling_chain *chain);
void peeling_chain_take_back(peeling_chain *chain); // the flips
/* Branch number `which` of 2 tips - 3. */
uint32_t peeling_chain_branch(const peeling_chain *chain, uint32_t which);
/* Exchange subtrees across inner branch `which` of tips - 3, child `side` of its lower end with one of the other end's;
   a[0] and a[1] are what was exchanged, and exchanging them again takes it back. Touches the nodes. */
void peeling_chain_interchange(peeling_chain *chain, uint32_t which, int side, uint32_t a[2]);
void peeling_chain_exchange(peeling_chain *chain, const uint32_t a[2]);
