#include <math.h>
#include <stdlib.h>

#include "papara/tree/tree.h"

/* With as few digits as give the same number back. */
static void write_length(FILE *stream, double length) {
    char text[64];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, length);
        if (strtod(text, NULL) == length) break;
    }
    fprintf(stream, ":%s", text);
}

/* number [nodes of the file]: of the edge to the parent; an edge that the file has in parts gives its number to all of them. */
static void number_nodes(const wl_newick *newick, const papara_tree *tree, uint32_t *number) {
    for (uint32_t v = 0; v < newick->nodes; v++) number[v] = WL_NO_NODE;
    for (uint32_t e = 0; e < tree->edges; e++) number[tree->file_node[e]] = e;
    for (uint32_t v = 1; v < newick->nodes;
         v++) { // a node without one of its own is the lower part of its parent's edge
        if (number[v] != WL_NO_NODE) continue;
        uint32_t parent = newick->parent[v], first = newick->first_child[parent];
        number[v] = first == v ? number[parent] : number[first]; // the removed root's second child has its first's
    }
}

static void write_node(FILE *stream, const wl_newick *newick, const uint32_t *number, uint32_t v) {
    wl_newick_write_label(stream, newick->label[v]);
    if (!isnan(newick->length[v])) write_length(stream, newick->length[v]);
    if (number[v] != WL_NO_NODE) fprintf(stream, "{%u}", number[v]);
}

wl_status papara_tree_write_numbered(FILE *stream, const wl_newick *newick, const papara_tree *tree) {
    uint32_t *number = malloc((size_t)newick->nodes * sizeof *number);
    if (number == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory to write a tree of %u nodes", newick->nodes);
    number_nodes(newick, tree, number);
    for (uint32_t v = 0;;) {
        if (newick->first_child[v] != WL_NO_NODE) {
            putc('(', stream);
            v = newick->first_child[v];
            continue;
        }
        write_node(stream, newick, number, v);
        while (v != 0 && newick->next_sibling[v] == WL_NO_NODE) {
            v = newick->parent[v];
            putc(')', stream);
            write_node(stream, newick, number, v);
        }
        if (v == 0) break;
        putc(',', stream);
        v = newick->next_sibling[v];
    }
    fputs(";\n", stream);
    free(number);
    return WL_OK;
}
