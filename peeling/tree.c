#include "peeling/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"

enum { NAME_SHOWN = 100 };

wl_status peeling_tree_allocate(uint32_t tips, peeling_tree *tree) {
    *tree = (peeling_tree){.tips = tips};
    if (tips < 2 || tips > UINT32_MAX / 2) return wl_fail(WL_NO_MACHINE, "a tree of %u tips: expected 2 to 2^31", tips);
    tree->nodes = 2 * tips - 1;
    if (WL_ALLOCATE(WL_ARRAY(tree->child, tree->nodes), WL_ARRAY(tree->parent, tree->nodes),
                    WL_ARRAY(tree->length, tree->nodes), WL_ZEROS(tree->joined, tree->nodes)))
        return WL_OK;
    *tree = (peeling_tree){0};
    return wl_fail(WL_NO_MACHINE, "not enough memory for a tree of %u tips", tips);
}

void peeling_tree_free(peeling_tree *tree) {
    WL_FREE(tree->child, tree->parent, tree->length, tree->joined);
    *tree = (peeling_tree){0};
}

double peeling_tree_length(const peeling_tree *tree) {
    double sum = 0;
    for (uint32_t v = 0; v + 1 < tree->nodes; v++) sum += tree->length[v];
    return sum;
}

/* --- From Newick ------------------------------------------------------------------------------------------------- */

static wl_status check_length(const char *path, const wl_newick *newick, uint32_t v) {
    const char *label = newick->label[v];
    const double length = newick->length[v];
    if (length >= 0 && length < INFINITY) return WL_OK;
    char node[NAME_SHOWN + 3] = "an inner node";
    if (*label != '\0') snprintf(node, sizeof node, "'%.*s'", NAME_SHOWN, label);
    if (isnan(length))
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found no branch length at %s; expected ':' and a number",
                       wl_path_shown(path), newick->line[v], node);
    return wl_fail(WL_BAD_INPUT, "%s:%zu: found the branch length %g at %s; expected a number from 0 on",
                   wl_path_shown(path), newick->line[v], length, node);
}

static uint32_t join_nodes(peeling_tree *tree, uint32_t node, uint32_t left, uint32_t right) {
    tree->child[node][0] = left;
    tree->child[node][1] = right;
    tree->parent[left] = tree->parent[right] = node;
    tree->length[node] = 0;
    return node;
}

/* node_of [nodes of the file]: the tree's node that stands for it. A node with a single child has its child's. */
static void build(const wl_newick *newick, const uint32_t *tip_of, uint32_t *node_of, peeling_tree *tree) {
    for (uint32_t t = 0; t < tree->tips; t++) {
        tree->child[t][0] = tree->child[t][1] = WL_NO_NODE;
        tree->length[t] = 0;
    }
    uint32_t next = tree->tips;
    for (uint32_t v = newick->nodes; v-- > 0;) { // children come before parents
        uint32_t c = newick->first_child[v];
        if (c == WL_NO_NODE) {
            node_of[v] = tip_of[v];
            continue;
        }
        uint32_t others = 0;
        tree->length[node_of[c]] += newick->length[c];
        for (node_of[v] = node_of[c]; (c = newick->next_sibling[c]) != WL_NO_NODE;) {
            tree->length[node_of[c]] += newick->length[c];
            tree->joined[node_of[v]] = others++ > 0;
            node_of[v] = join_nodes(tree, next++, node_of[v], node_of[c]);
        }
    }
    tree->parent[tree->nodes - 1] = WL_NO_NODE;
    tree->length[tree->nodes - 1] = 0; // a stem's, if the file's root has one child
}

wl_status peeling_tree_from_newick(const char *path, const wl_newick *newick, const uint32_t *tip_of,
                                   peeling_tree *tree) {
    *tree = (peeling_tree){0};
    if (newick->tips < 2)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found a tree of %u tip%s; expected at least 2", wl_path_shown(path),
                       newick->line[0], newick->tips, newick->tips == 1 ? "" : "s");
    uint32_t root = 0; // without the stem above it, of whose length nothing depends
    while (newick->next_sibling[newick->first_child[root]] == WL_NO_NODE) root = newick->first_child[root];
    for (uint32_t v = root + 1; v < newick->nodes; v++) WL_TRY(check_length(path, newick, v));
    WL_TRY(peeling_tree_allocate(newick->tips, tree));
    uint32_t *node_of = malloc(newick->nodes * sizeof *node_of);
    if (node_of == NULL) {
        peeling_tree_free(tree);
        return wl_fail(WL_NO_MACHINE, "not enough memory for a tree of %u tips", newick->tips);
    }
    build(newick, tip_of, node_of, tree);
    free(node_of);
    return WL_OK;
}

/* --- The work ---------------------------------------------------------------------------------------------------- */

/* Until the edges are filled in they hold, for the inner nodes but the root, what the order of the joins rests on. */
static uint32_t *place_of(peeling_edge *edges, uint32_t v) { return &edges[v].matrix; } // vectors needed, then place
static double *joins_below(peeling_edge *edges, uint32_t v) { return &edges[v].length; }

/* How many vectors a subtree needs at a time (Sethi & Ullman 1970): the child that needs more first, and its result is
   kept meanwhile. Tips are in no buffer. */
static void count_needs(const peeling_tree *tree, peeling_edge *edges) {
    for (uint32_t v = 0; v + 1 < tree->nodes; v++) {
        *place_of(edges, v) = 0;
        *joins_below(edges, v) = 0;
        if (v < tree->tips) continue;
        const uint32_t left = tree->child[v][0], right = tree->child[v][1];
        const uint32_t x = *place_of(edges, left), y = *place_of(edges, right);
        *place_of(edges, v) = x == y ? x + 1 : x > y ? x : y;
        *joins_below(edges, v) = 1 + *joins_below(edges, left) + *joins_below(edges, right);
    }
}

void peeling_tree_work(const peeling_tree *tree, peeling_edge *edges, peeling_join *joins, peeling_work *work) {
    const uint32_t root = tree->nodes - 1;
    count_needs(tree, edges);
    for (uint32_t v = root; v >= tree->tips; v--) {
        /* All joins of the first subtree, all of the second, v's own: places are known from the end on. */
        const uint32_t place = v == root ? tree->tips - 2 : *place_of(edges, v);
        const uint32_t left = tree->child[v][0], right = tree->child[v][1];
        const int left_first = *place_of(edges, left) >= *place_of(edges, right);
        const uint32_t first = left_first ? left : right, second = left_first ? right : left;
        joins[place] = (peeling_join){.to = v, .child = {left, right}, .matrix = {left, right}};
        *place_of(edges, first) = place - 1 - (uint32_t)*joins_below(edges, second);
        *place_of(edges, second) = place - 1;
    }
    for (uint32_t v = 0; v < root; v++) edges[v] = (peeling_edge){.matrix = v, .length = tree->length[v]};
    *work =
        (peeling_work){.edges = edges, .joins = joins, .edge_count = root, .join_count = tree->tips - 1, .root = root};
}

/* --- Newick ------------------------------------------------------------------------------------------------------ */

void peeling_tree_write(FILE *stream, const peeling_tree *tree, const char *const *names) {
    const uint32_t root = tree->nodes - 1;
    for (uint32_t v = root;;) {
        for (; v >= tree->tips; v = tree->child[v][0])
            if (!tree->joined[v]) putc('(', stream);
        wl_newick_write_label(stream, names[v]);
        fprintf(stream, ":%.17g", tree->length[v]);
        while (v != root && v == tree->child[tree->parent[v]][1]) {
            v = tree->parent[v];
            if (tree->joined[v]) continue;
            putc(')', stream);
            if (v != root) fprintf(stream, ":%.17g", tree->length[v]);
        }
        if (v == root) break;
        putc(',', stream);
        v = tree->child[tree->parent[v]][1];
    }
    fputs(";\n", stream);
}
