#include "peeling/data/contradiction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half of what lies between a column's best state and the smallest number: then what is lost, if it is not the best in
   the end, is nothing to the best. */
static double bits_held(peeling_precision precision) { return precision == PEELING_DOUBLE ? 510 : 63; }

/* What tip t takes off the states that it does not show. */
static double bits_of(const peeling_tree *tree, uint32_t t) {
    return tree->length[t] > 0 && tree->length[t] < 1 ? -log2(tree->length[t]) : 0;
}

/* node_of [nodes]: of an inner node, the topmost from which no length separates it; bits [nodes]: of all tips there. */
static void find_nodes(const peeling_tree *tree, uint32_t *node_of, double *bits) {
    for (uint32_t v = tree->nodes; v-- > 0;) { // parents come before their children
        const uint32_t parent = tree->parent[v];
        bits[v] = 0;
        if (v >= tree->tips)
            node_of[v] = parent != WL_NO_NODE && tree->length[v] == 0 ? node_of[parent] : v;
        else
            bits[node_of[v] = node_of[parent]] += bits_of(tree, v);
    }
}

/* off [patterns][states]: the bits of the node's tips with that state. */
static void add_tips(const peeling_tree *tree, const peeling_data *data, size_t states, const uint32_t *node_of,
                     uint32_t node, double *off) {
    for (uint32_t t = 0; t < tree->tips; t++) {
        const double bits = bits_of(tree, t);
        if (node_of[t] != node || bits == 0) continue;
        const uint16_t *code = data->code + (size_t)t * data->patterns;
        for (size_t c = 0; c < data->patterns; c++)
            if (code[c] < states) off[c * states + code[c]] += bits;
    }
}

static void mark(const double *off, size_t patterns, size_t states, double held, unsigned char *marked) {
    for (size_t c = 0; c < patterns; c++) {
        int above = 0;
        for (size_t s = 0; s < states; s++) above += off[c * states + s] > held;
        if (above > 1) marked[c] = 1;
    }
}

wl_status peeling_contradictions(const peeling_tree *tree, const peeling_data *data, int states,
                                 peeling_precision precision, uint32_t *count, uint32_t *first) {
    const size_t patterns = data->patterns, S = (size_t)states;
    const double held = bits_held(precision);
    uint32_t *node_of = malloc(tree->nodes * sizeof *node_of);
    double *bits = malloc(tree->nodes * sizeof *bits), *off = NULL;
    unsigned char *marked = calloc(patterns + 1, 1);
    int ready = node_of && bits && marked;
    *count = 0;
    if (ready) find_nodes(tree, node_of, bits);
    for (uint32_t v = tree->tips; ready && v < tree->nodes; v++) {
        if (bits[v] <= 2 * held) continue;
        if (off == NULL) off = malloc((patterns * S + 1) * sizeof *off);
        ready = off != NULL;
        if (!ready) break;
        memset(off, 0, patterns * S * sizeof *off);
        add_tips(tree, data, S, node_of, v, off);
        mark(off, patterns, S, held, marked);
    }
    for (size_t c = patterns; ready && c-- > 0;) {
        if (!marked[c]) continue;
        *first = (uint32_t)c;
        ++*count;
    }
    free(marked);
    free(off);
    free(bits);
    free(node_of);
    return ready ? WL_OK : wl_fail(WL_NO_MACHINE, "not enough memory to look at %u tips together", tree->tips);
}
