/* The reference tree without a root: every inner node has three neighbours. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "io/newick.h"

/* Nodes 0 .. taxa - 1 are the tips, in the order of the alignment's rows. An inner node with more than three neighbours in the file
   becomes a chain of nodes, which take its neighbours in the file's order (parent first). So its state vectors are defined. The chain's
   edges are not the file's and have no number. Node `taxa` is the top. Every other node's neighbour [0] is the one towards the top,
   which has a lower number among the inner nodes. So loops over the nodes replace recursion.

   Edges are in the order in which the file ends their lower nodes (post-order). A root with two children is removed, and its two edges
   become one, in the place of the first. A node with one child is removed in the same way; the upper of its edges stays. A tree of
   T >= 3 tips without multifurcations has 2T - 3 edges.

   In outputs, every edge of the file has a number, also the two edges that are one here. EPA-ng, pplacer and RAxML count edges in
   post-order too. */
typedef struct {
    uint32_t taxa, nodes, edges;
    uint32_t (*neighbour)[3]; // [nodes]; a tip has one in [0], the others are WL_NO_NODE
    uint32_t (*edge)[2];      // [edges]: the upper and the lower node, as the file has them
    uint32_t *file_node;      // [edges]: the node of the wl_newick whose edge to its parent this is
    uint32_t *number;         // [nodes of the wl_newick]: of the edge to the parent, from 0 in post-order
} papara_tree;

/* names [taxa]: the alignment's; they become the labels of the tips, and outlive them. WL_BAD_INPUT, with the tree's path and line and the name: a taxon that only the tree or only the
   alignment has (the error counts them and names the first), a name twice, fewer than three tips. Names of inner nodes and negative
   lengths are accepted. */
wl_status papara_tree_make(const char *path, wl_newick *newick, const char *alignment_path, const char *const *names,
                           uint32_t taxa, papara_tree *tree);
void papara_tree_free(papara_tree *tree);

/* The number of edge `e` of the tree in the file. */
uint32_t papara_tree_edge_number(const papara_tree *tree, uint32_t e);

/* Writes the file's tree with {edge number} after each length, as in jplace files. Names are quoted if they must be. */
void papara_tree_write_numbered(FILE *stream, const wl_newick *newick, const papara_tree *tree);

/* The tree with only the tips names [count]. Distances between them do not change, because an inner node with a single child stays. `path`
   is for messages. On success free with wl_newick_free. */
wl_status papara_tree_prune(const char *path, const wl_newick *newick, const char *const *names, uint32_t count,
                            wl_newick *pruned);
