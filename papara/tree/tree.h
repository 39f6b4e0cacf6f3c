/* The reference tree without a root: every inner node has three neighbours. */
#ifndef PAPARA_TREE_H
#define PAPARA_TREE_H

#include <stdint.h>
#include <stdio.h>

#include "io/newick.h"

/* Nodes 0 .. taxa - 1 are the tips, in the order of the alignment's rows. An inner node of more than three neighbours in the file
   has become a chain of nodes that take its neighbours in the file's order (parent first): so its state vectors are defined, and the
   edges of the chain, which are not the file's, have no number. Node `taxa` is the top: every other node's neighbour [0] is
   the one towards it, which has a lower number among the inner nodes. So loops over the nodes do what recursion would.

   Edges are in the order in which the file ends their lower nodes (post-order). A root with two children is removed: its two edges
   are one, in the first one's place. A node with one child is removed the same way: the upper of its edges stays. A tree of
   T >= 3 tips without multifurcations has 2T - 3 edges.

   For people and for jplace files, every edge of the file has a number, also those that are one here: EPA-ng, pplacer and RAxML
   count the edges in post-order too. */
typedef struct {
    uint32_t taxa, nodes, edges;
    uint32_t (*neighbour)[3]; // [nodes]; a tip has its one in [0], the rest WL_NO_NODE
    uint32_t (*edge)[2];      // [edges]: the upper and the lower node, as the file has them
    uint32_t *file_node;      // [edges]: the node of the wl_newick whose edge to its parent this is
    uint32_t *number;         // [nodes of the wl_newick]: of the edge to the parent, from 0 in post-order
} papara_tree;

/* names [taxa]: the alignment's. A taxon in one but not in the other, a name twice, fewer than three tips, a name of an
   inner node or a negative length are no reason to fail but the first three: WL_BAD_INPUT, with the path and line of the tree and
   the name. All taxa that are missing are counted and the first is named. */
wl_status papara_tree_make(const char *path, const wl_newick *newick, const char *alignment_path,
                           const char *const *names, uint32_t taxa, papara_tree *tree);
void papara_tree_free(papara_tree *tree);

/* The number of edge `e` of the tree in the file. */
uint32_t papara_tree_edge_number(const papara_tree *tree, uint32_t e);

/* The tree as the file has it with {edge number} behind each length, as jplace files have it. Names are quoted where they must
   be. */
void papara_tree_write_numbered(FILE *stream, const wl_newick *newick, const papara_tree *tree);

/* The tree with the tips names [count] only, which distances between them do not change: an inner node that is left with a single
   child stays. `path` is for messages. On success free with wl_newick_free. */
wl_status papara_tree_prune(const char *path, const wl_newick *newick, const char *const *names, uint32_t count,
                            wl_newick *pruned);
#endif
