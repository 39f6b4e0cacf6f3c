/* A tree as the peeling needs it: binary, every branch with a length, tips numbered as the data's rows. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "io/newick.h"
#include "peeling/problem.h"

/* Rooted. Nodes 0 .. tips - 1 are the tips, tips .. 2 tips - 2 the others, in an order in which children come before
   their parents; the last is the root. */
typedef struct {
    uint32_t tips;        // at least 2
    uint32_t nodes;       // 2 tips - 1
    uint32_t (*child)[2]; // [nodes]; WL_NO_NODE for tips
    uint32_t *parent;     // [nodes]; WL_NO_NODE for the root
    double *length;       // [nodes], of the branch above; 0 for the root
    /* [nodes]; 1: made for a node with more than two branches, and its branch of length 0 is
       none of the file's */
    unsigned char *joined;
} peeling_tree;

wl_status peeling_tree_allocate(uint32_t tips, peeling_tree *tree); // contents undefined, but for `joined`: 0
void peeling_tree_free(peeling_tree *tree);
double peeling_tree_length(const peeling_tree *tree); // of all branches

/* From a tree as it was read. tip_of[node] is the row of a tip of `newick`, 0 .. tips - 1, each once. Nodes with one
   child are taken out, their lengths added; those with more than two become chains of branches of length 0. `path` is
   for error lines.
   WL_BAD_INPUT, one line with file and line: a length that is missing, negative or not finite (the root's own is
   ignored, and those of nodes with one child above it); fewer than two tips. */
wl_status peeling_tree_from_newick(const char *path, const wl_newick *newick, const uint32_t *tip_of,
                                   peeling_tree *tree);

/* The whole tree's work: the branch above node v into matrix v, node tips + k into partials k, so that node numbers are
   vector numbers. edges [2 tips - 2], joins [tips - 1]. Joins are in an order that needs few vectors at a time (the
   child whose subtree needs more comes first), so that a tile of columns can be carried through all of it. */
void peeling_tree_work(const peeling_tree *tree, peeling_edge *edges, peeling_join *joins, peeling_work *work);

/* Newick with the names of the tips [tips], one line, lengths to 17 digits; quoted where they have to be. Nodes that are joined are
   written as the one node that they were. */
void peeling_tree_write(FILE *stream, const peeling_tree *tree, const char *const *names);
