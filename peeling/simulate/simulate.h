/* Random trees and sequences that evolved down them: the same on every machine, whatever the number of threads. */
#pragma once

#include "harness/base/random.h"
#include "peeling/model/model.h"
#include "peeling/problem.h"
#include "peeling/tree.h"

typedef enum {
    PEELING_YULE,     // every lineage splits at the same rate
    PEELING_LADDER,   // of each split's two lineages, one is a tip
    PEELING_STAR,     // all tips from one point: a ladder whose inner branches have length 0
    PEELING_BALANCED, // all tips after about as many splits
    PEELING_SHAPES
} peeling_shape;

typedef enum {
    PEELING_TREE_LENGTHS,  // as the shape has them
    PEELING_MIXED_LENGTHS, // each branch's own, or 0, 1e-9, 20, 1e9 or infinity, all equally often
    PEELING_LENGTHS
} peeling_lengths;

typedef enum {
    PEELING_EVOLVED,   // down the tree under the model
    PEELING_RANDOM,    // every tip's state independent, all states equally often
    PEELING_IDENTICAL, // all tips have the same state
    PEELING_KINDS
} peeling_kind;

typedef struct {
    uint64_t seed;
    peeling_settings settings; // complete: with frequencies
    peeling_precision precision;
    uint32_t taxa, patterns; // at least 2; any number
    peeling_shape shape;
    peeling_lengths lengths;
    double height; // mean distance from the root to a tip, in expected substitutions a column; 0 .. infinity
    peeling_kind kind;
    double missing;   // of all characters, the share that is the full set
    double ambiguous; // of the others, the share that is a set of two or three states
    double weight;    // each pattern's is the number of its columns times this, above 0
    uint32_t tiles;   // as of peeling_input
    size_t spill;
} peeling_recipe;

/* An input that owns its memory, and points into itself: not to be copied. */
typedef struct {
    peeling_input input;
    peeling_model model;
    peeling_tree tree;
    void *block[6];
} peeling_owned_input;

/* Draws columns until there are `patterns` different ones; a pattern's weight counts its columns. A model may not be able to
   give so many: two tips have only 16 patterns of nucleotides. So after 16 columns per pattern, each further column becomes
   a pattern of its own with weight 1, even if it is like an earlier one. WL_BAD_INPUT: what peeling_model_make says.
   WL_NO_MACHINE: memory is short. On success free with peeling_owned_input_free. */
wl_status peeling_simulate(const peeling_recipe *recipe, peeling_owned_input *made);
void peeling_owned_input_free(peeling_owned_input *made);

/* The tree alone, of recipe->taxa, shape, lengths and height; on success free with peeling_tree_free. */
wl_status peeling_simulate_tree(const peeling_recipe *recipe, wl_random *random, peeling_tree *tree);
