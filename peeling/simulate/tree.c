/* Random trees, joined from the tips up: of k lineages, two become one. */
#include <math.h>

#include "harness/base/memory.h"

#include "peeling/simulate/simulate.h"

static double exponential(wl_random *random) { return -log(1 - wl_random_unit(random)); }

/* Takes a random lineage out of lineage [count]; the last one takes its place. */
static uint32_t take(wl_random *random, uint32_t *lineage, uint32_t count) {
    const uint32_t at = wl_random_below(random, count), taken = lineage[at];
    lineage[at] = lineage[count - 1];
    return taken;
}

static void link(peeling_tree *tree, uint32_t node, uint32_t left, uint32_t right) {
    tree->child[node][0] = left;
    tree->child[node][1] = right;
    tree->parent[left] = tree->parent[right] = node;
}

/* Who joins whom. lineage [taxa] is scratch. Tips are shuffled, so that a tip's number tells nothing. */
static void grow(const peeling_recipe *recipe, wl_random *random, peeling_tree *tree, uint32_t *lineage) {
    const uint32_t taxa = recipe->taxa;
    for (uint32_t t = 0; t < taxa; t++) {
        const uint32_t other = wl_random_below(random, t + 1);
        if (other < t) lineage[t] = lineage[other];
        lineage[other] = t;
        tree->child[t][0] = tree->child[t][1] = WL_NO_NODE;
    }
    for (uint32_t t = 0, node = taxa; node < tree->nodes; t += 2, node++) {
        const uint32_t count = 2 * taxa - node; // lineages that are left
        if (recipe->shape == PEELING_YULE) {
            const uint32_t left = take(random, lineage, count), right = take(random, lineage, count - 1);
            link(tree, node, left, right);
            lineage[count - 2] = node;
        } else if (recipe->shape == PEELING_BALANCED) { // the oldest two first: tips in turn, then nodes in turn
            link(tree, node, t < taxa ? lineage[t] : t, t + 1 < taxa ? lineage[t + 1] : t + 1);
        } else {
            link(tree, node, node == taxa ? lineage[0] : node - 1, lineage[node - taxa + 1]);
        }
    }
    tree->parent[tree->nodes - 1] = WL_NO_NODE;
}

/* How far above the tips each node is, in no particular unit. */
static void raise(const peeling_recipe *recipe, wl_random *random, const peeling_tree *tree, double *above) {
    const uint32_t taxa = recipe->taxa;
    for (uint32_t node = 0; node < tree->nodes; node++) {
        if (node < taxa)
            above[node] = 0;
        else if (recipe->shape == PEELING_YULE) // of k lineages, a split is exponential of rate k away
            above[node] = (node > taxa ? above[node - 1] : 0) + exponential(random) / (2 * taxa - node);
        else if (recipe->shape == PEELING_STAR)
            above[node] = 1;
        else
            above[node] = 1 + fmax(above[tree->child[node][0]], above[tree->child[node][1]]);
    }
}

/* Lengths, each up to a half longer or shorter than a clock would have it, so that the mean distance from the root
   is `height`. above [nodes] becomes that distance. */
static void measure(const peeling_recipe *recipe, wl_random *random, peeling_tree *tree, double *above) {
    const uint32_t root = tree->nodes - 1;
    for (uint32_t node = 0; node < root; node++)
        tree->length[node] = (above[tree->parent[node]] - above[node]) * (0.5 + wl_random_unit(random));
    double *distance = above, mean = 0;
    tree->length[root] = distance[root] = 0;
    for (uint32_t node = root; node-- > 0;) {
        distance[node] = distance[tree->parent[node]] + tree->length[node];
        if (node < tree->tips) mean += distance[node] / tree->tips;
    }
    const double scale = recipe->height / mean;
    for (uint32_t node = 0; node < root; node++)
        if (tree->length[node] > 0) tree->length[node] *= scale; // 0 stays 0, be the height infinite
}

static void mix(wl_random *random, peeling_tree *tree) {
    static const double lengths[] = {0, 1e-9, 20, 1e9, INFINITY};
    enum { COUNT = sizeof lengths / sizeof *lengths };
    for (uint32_t node = 0; node < tree->nodes - 1; node++) {
        const uint32_t which = wl_random_below(random, COUNT + 1);
        if (which < COUNT) tree->length[node] = lengths[which];
    }
}

wl_status peeling_simulate_tree(const peeling_recipe *recipe, wl_random *random, peeling_tree *tree) {
    WL_TRY(peeling_tree_allocate(recipe->taxa, tree));
    uint32_t *lineage;
    double *above;
    if (!WL_ALLOCATE(WL_ARRAY(lineage, recipe->taxa), WL_ARRAY(above, tree->nodes))) {
        peeling_tree_free(tree);
        return wl_fail(WL_NO_MACHINE, "not enough memory for a tree of %u taxa", recipe->taxa);
    }
    grow(recipe, random, tree, lineage);
    raise(recipe, random, tree, above);
    measure(recipe, random, tree, above);
    if (recipe->lengths == PEELING_MIXED_LENGTHS) mix(random, tree);
    WL_FREE(lineage, above);
    return WL_OK;
}
