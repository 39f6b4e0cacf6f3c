#include "tools/align_reads/tree/tree.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "io/names.h"

enum { NAME_SHOWN = 100 };

/* --- Tips and taxa ----------------------------------------------------------------------------------------------- */

static wl_status no_memory(const char *path, uint32_t taxa) {
    return wl_fail(WL_NO_MACHINE, "%s: not enough memory for a tree of %u taxa", wl_path_shown(path), taxa);
}

static const char *almost(const char *name, const char *const *names, uint32_t taxa) {
    for (uint32_t t = 0; t < taxa; t++)
        if (wl_newick_is_spelt_like(name, names[t])) return names[t];
    return NULL;
}

static wl_status names_of(const char *path, const char *const *names, uint32_t taxa, wl_name *entries) {
    for (uint32_t t = 0; t < taxa; t++) entries[t] = (wl_name){names[t], t};
    wl_names_sort(entries, taxa);
    for (uint32_t t = 1; t < taxa; t++)
        if (strcmp(entries[t - 1].text, entries[t].text) == 0)
            return wl_fail(WL_BAD_INPUT, "%s: found the taxon '%.*s' twice; expected every name once",
                           wl_path_shown(path), NAME_SHOWN, entries[t].text);
    return WL_OK;
}

/* taxon_of [nodes]: of tips, the alignment's row. tip_of [taxa]: the node. */
static wl_status match(const char *path, wl_newick *newick, const char *alignment_path, const char *const *names,
                       uint32_t taxa, const wl_name *entries, uint32_t *taxon_of, uint32_t *tip_of) {
    uint32_t missing = 0, first = 0;
    for (uint32_t t = 0; t < taxa; t++) tip_of[t] = WL_NO_NODE;
    for (uint32_t v = 0; v < newick->nodes; v++) {
        taxon_of[v] = WL_NO_NODE;
        if (newick->first_child[v] != WL_NO_NODE) continue;
        const wl_name *found = wl_names_find(entries, taxa, newick->label[v]);
        if (found == NULL) {
            if (missing++ == 0) first = v;
            continue;
        }
        if (tip_of[found->index] != WL_NO_NODE)
            return wl_fail(
                WL_BAD_INPUT, "%s:%zu: found the taxon '%.*s' again, after line %zu; expected every name once",
                wl_path_shown(path), newick->line[v], NAME_SHOWN, found->text, newick->line[tip_of[found->index]]);
        newick->label[v] = (char *)found->text; // which has its double quotes
        taxon_of[v] = (uint32_t)found->index;
        tip_of[found->index] = v;
    }
    if (missing > 0) {
        const char *like = almost(newick->label[first], names, taxa);
        return wl_fail(
            WL_BAD_INPUT,
            "%s:%zu: found %u tip%s of the tree that %s lacks, the first '%.*s'; expected a row for every tip%s%.*s%s",
            wl_path_shown(path), newick->line[first], missing, missing == 1 ? "" : "s", wl_path_shown(alignment_path),
            NAME_SHOWN, newick->label[first], like ? " (it has '" : "", NAME_SHOWN, like ? like : "", like ? "')" : "");
    }
    for (uint32_t t = 0; t < taxa; t++)
        if (tip_of[t] == WL_NO_NODE && missing++ == 0) first = t;
    if (missing > 0)
        return wl_fail(WL_BAD_INPUT,
                       "%s: found %u row%s that the tree in %s lacks, the first '%.*s'; expected a tip for every row",
                       wl_path_shown(alignment_path), missing, missing == 1 ? "" : "s", wl_path_shown(path), NAME_SHOWN,
                       names[first]);
    return WL_OK;
}

/* --- What stays of the file's nodes ------------------------------------------------------------------------------ */

static uint32_t children(const wl_newick *newick, uint32_t v) {
    uint32_t count = 0;
    for (uint32_t c = newick->first_child[v]; c != WL_NO_NODE; c = newick->next_sibling[c]) count++;
    return count;
}

static int has_one_child(const wl_newick *newick, uint32_t v) {
    uint32_t c = newick->first_child[v];
    return c != WL_NO_NODE && newick->next_sibling[c] == WL_NO_NODE;
}

/* The node itself, or the first one below it that is not removed (nodes with one child are). */
static uint32_t kept(const wl_newick *newick, uint32_t v) {
    while (has_one_child(newick, v)) v = newick->first_child[v];
    return v;
}

/* --- Building ---------------------------------------------------------------------------------------------------- */

typedef struct {
    const wl_newick *newick;
    const uint32_t *taxon_of; // [nodes of the file]
    papara_tree *tree;
    uint32_t *place;   // [nodes of the file]: the tree's node that gets its next child
    uint32_t *to_come; // [nodes of the file]: children that are not attached yet
    uint8_t *filled;   // [nodes of the tree]: of its three places
} builder;

static void join(builder *b, uint32_t upper, uint32_t lower) {
    b->tree->neighbour[upper][b->filled[upper]++] = lower;
    b->tree->neighbour[lower][b->filled[lower]++] = upper;
}

static void begin_node(builder *b, uint32_t v) {
    b->to_come[v] = children(b->newick, v);
    b->place[v] = b->to_come[v] == 0 ? b->taxon_of[v] : b->tree->nodes++;
}

/* A node with one place left and more than one child to come continues in a new node. */
static uint32_t place_for_child(builder *b, uint32_t v) {
    uint32_t at = b->place[v];
    if (b->filled[at] == 2 && b->to_come[v] > 1) {
        b->place[v] = b->tree->nodes++;
        join(b, at, b->place[v]);
    }
    b->to_come[v]--;
    return b->place[v];
}

static void add_edge(builder *b, uint32_t upper, uint32_t lower, uint32_t file_node) {
    papara_tree *tree = b->tree;
    join(b, upper, lower);
    tree->edge[tree->edges][0] = upper;
    tree->edge[tree->edges][1] = lower;
    tree->file_node[tree->edges++] = file_node;
}

static void build(builder *b) {
    const wl_newick *newick = b->newick;
    const uint32_t root = kept(newick, 0);
    uint32_t left = WL_NO_NODE, right = WL_NO_NODE; // of a root that is removed
    begin_node(b, root);
    if (b->to_come[root] == 2) {
        b->tree->nodes--;
        left = kept(newick, newick->first_child[root]);
        right = kept(newick, newick->next_sibling[newick->first_child[root]]);
        begin_node(b, left);
        begin_node(b, right);
        add_edge(b, b->place[right], b->place[left], newick->first_child[root]);
    }
    for (uint32_t v = root + 1; v < newick->nodes; v++) {
        if (v == left || v == right || has_one_child(newick, v)) continue;
        uint32_t top = v; // of the file's edges that are one
        while (has_one_child(newick, newick->parent[top])) top = newick->parent[top];
        uint32_t upper = place_for_child(b, newick->parent[top]); // numbered before v
        begin_node(b, v);
        add_edge(b, upper, b->place[v], top);
    }
}

/* --- Numbers ----------------------------------------------------------------------------------------------------- */

/* In post-order, a node comes after all that begin before it and are not above it, and after all below it. */
static void number_nodes(const wl_newick *newick, uint32_t *number) {
    number[0] = 0; // the number of nodes above, for now
    for (uint32_t v = 1; v < newick->nodes; v++) number[v] = number[newick->parent[v]] + 1;
    for (uint32_t v = 0; v < newick->nodes; v++) number[v] = v - number[v];
    /* Each node's last child has a number by then; the parent gets the next one. */
    for (uint32_t v = newick->nodes; v-- > 0;) {
        if (newick->first_child[v] == WL_NO_NODE) continue;
        uint32_t last = newick->first_child[v];
        while (newick->next_sibling[last] != WL_NO_NODE) last = newick->next_sibling[last];
        number[v] = number[last] + 1;
    }
}

typedef struct {
    uint32_t number, edge[2], file_node;
} numbered;

static int by_number(const void *left, const void *right) {
    const uint32_t a = ((const numbered *)left)->number, b = ((const numbered *)right)->number;
    return (a > b) - (a < b);
}

static wl_status number_edges(const wl_newick *newick, papara_tree *tree) {
    numbered *all = malloc(tree->edges * sizeof *all);
    if (all == NULL) return WL_NO_MACHINE;
    number_nodes(newick, tree->number);
    for (uint32_t e = 0; e < tree->edges; e++)
        all[e] = (numbered){tree->number[tree->file_node[e]], {tree->edge[e][0], tree->edge[e][1]}, tree->file_node[e]};
    qsort(all, tree->edges, sizeof *all, by_number);
    for (uint32_t e = 0; e < tree->edges; e++) {
        memcpy(tree->edge[e], all[e].edge, sizeof all[e].edge);
        tree->file_node[e] = all[e].file_node;
    }
    free(all);
    return WL_OK;
}

uint32_t papara_tree_edge_number(const papara_tree *tree, uint32_t e) { return tree->number[tree->file_node[e]]; }

static wl_status allocate(papara_tree *tree, uint32_t taxa, uint32_t file_nodes) {
    const size_t most = 2 * (size_t)taxa - 2; // because each inner node has three neighbours
    *tree = (papara_tree){.taxa = taxa, .nodes = taxa};
    if (!WL_ALLOCATE(WL_ARRAY(tree->neighbour, most), WL_ARRAY(tree->edge, most), WL_ARRAY(tree->file_node, most),
                     WL_ARRAY(tree->number, file_nodes)))
        return WL_NO_MACHINE;
    for (size_t v = 0; v < most; v++)
        for (int k = 0; k < 3; k++) tree->neighbour[v][k] = WL_NO_NODE;
    return WL_OK;
}

void papara_tree_free(papara_tree *tree) {
    WL_FREE(tree->neighbour, tree->edge, tree->file_node, tree->number);
    *tree = (papara_tree){0};
}

wl_status papara_tree_make(const char *path, wl_newick *newick, const char *alignment_path, const char *const *names,
                           uint32_t taxa, papara_tree *tree) {
    *tree = (papara_tree){0};
    if (newick->tips < 3)
        return wl_fail(WL_BAD_INPUT, "%s: found a tree of %u tip%s; expected at least 3", wl_path_shown(path),
                       newick->tips, newick->tips == 1 ? "" : "s");
    if (taxa < 3)
        return wl_fail(WL_BAD_INPUT, "%s: found %u row%s; expected at least 3, the tips of a tree",
                       wl_path_shown(alignment_path), taxa, taxa == 1 ? "" : "s");
    const size_t nodes = newick->nodes;
    wl_name *entries = malloc(taxa * sizeof *entries);
    uint32_t *taxon_of = malloc(nodes * sizeof *taxon_of), *tip_of = malloc(taxa * sizeof *tip_of);
    builder b = {newick,         taxon_of, tree, malloc(nodes * sizeof *b.place), malloc(nodes * sizeof *b.to_come),
                 calloc(taxa, 2)};
    wl_status status = WL_NO_MACHINE;
    if (entries && taxon_of && tip_of && b.place && b.to_come && b.filled) status = allocate(tree, taxa, newick->nodes);
    if (status != WL_OK) status = no_memory(path, taxa);
    if (status == WL_OK) status = names_of(alignment_path, names, taxa, entries);
    if (status == WL_OK) status = match(path, newick, alignment_path, names, taxa, entries, taxon_of, tip_of);
    if (status == WL_OK) build(&b);
    if (status == WL_OK && number_edges(newick, tree) != WL_OK) status = no_memory(path, taxa);
    WL_FREE(b.filled, b.to_come, b.place, tip_of, taxon_of, entries);
    if (status != WL_OK) papara_tree_free(tree);
    return status;
}
