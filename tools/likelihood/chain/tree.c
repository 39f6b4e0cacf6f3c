/* The tree of a chain: its changes, and what they touch. */
#include <string.h>

#include "tools/likelihood/chain/internal.h"

/* --- Lists of work ----------------------------------------------------------------------------------------------- */

void peeling_chain_clear(peeling_chain *chain) {
    chain->work = (peeling_work){.edges = chain->edges, .joins = chain->joins};
}

void peeling_chain_touch_branch(peeling_chain *chain, uint32_t node) {
    const uint32_t i = chain->work.edge_count++;
    if (chain->keeps) chain->matrix_flip[node] ^= 1;
    chain->edge_node[i] = node;
    chain->edges[i] = (peeling_edge){.matrix = peeling_chain_matrix(chain, node, chain->matrix_flip[node]),
                                     .length = chain->tree.length[node]};
}

static void touch_node(peeling_chain *chain, uint32_t node) {
    peeling_join *join = &chain->joins[chain->work.join_count++];
    if (chain->keeps) chain->partial_flip[node] ^= 1;
    join->to = peeling_chain_vector(chain, node, chain->partial_flip[node]);
    for (int c = 0; c < 2; c++) {
        const uint32_t child = chain->tree.child[node][c];
        join->child[c] = peeling_chain_vector(chain, child, chain->partial_flip[child]);
        join->matrix[c] = peeling_chain_matrix(chain, child, chain->matrix_flip[child]);
    }
    chain->work.root = join->to;
}

void peeling_chain_touch_up(peeling_chain *chain, uint32_t node) {
    for (; node != WL_NO_NODE; node = chain->tree.parent[node]) touch_node(chain, node);
}

/* All inner nodes, children before their parents, into order [tips - 1]. With `first`, of two children the one whose
   subtree needs more vectors at a time comes first. */
static void order_nodes(peeling_chain *chain, int first) {
    uint32_t *stack = chain->order + chain->tips, at = chain->joins_of_tree, depth = 0;
    stack[depth++] = chain->root;
    while (depth > 0) {
        const uint32_t v = stack[--depth], *child = chain->tree.child[v];
        const int more = first && chain->need[child[1]] > chain->need[child[0]];
        chain->order[--at] = v; // written from the end: what is pushed first comes first
        if (child[more] >= chain->tips) stack[depth++] = child[more];
        if (child[!more] >= chain->tips) stack[depth++] = child[!more];
    }
}

void peeling_chain_touch_all(peeling_chain *chain) {
    order_nodes(chain, 0);
    for (uint32_t tip = 0; tip < chain->tips; tip++) chain->need[tip] = 0;
    for (uint32_t i = 0; i < chain->joins_of_tree; i++) {
        const uint32_t v = chain->order[i], *child = chain->tree.child[v];
        const uint32_t a = chain->need[child[0]], b = chain->need[child[1]];
        chain->need[v] = a == b ? a + 1 : a > b ? a : b;
    }
    order_nodes(chain, 1);
    for (uint32_t v = 0; v < chain->root; v++) peeling_chain_touch_branch(chain, v);
    for (uint32_t i = 0; i < chain->joins_of_tree; i++) touch_node(chain, chain->order[i]);
}

void peeling_chain_take_back(peeling_chain *chain) {
    if (!chain->keeps) return;
    for (uint32_t i = 0; i < chain->work.edge_count; i++) chain->matrix_flip[chain->edge_node[i]] ^= 1;
    for (uint32_t i = 0; i < chain->work.join_count; i++) {
        const uint32_t k = (chain->joins[i].to - chain->tips) % chain->joins_of_tree;
        chain->partial_flip[chain->tips + k] ^= 1;
    }
}

/* --- Changes ----------------------------------------------------------------------------------------------------- */

/* All but the root, and its second child, which has no branch of its own. */
uint32_t peeling_chain_branch(const peeling_chain *chain, uint32_t which) {
    return which + (which >= chain->tree.child[chain->root][1]);
}

void peeling_chain_exchange(peeling_chain *chain, const uint32_t a[2]) {
    uint32_t *slot[2];
    for (int i = 0; i < 2; i++) {
        uint32_t *child = chain->tree.child[chain->tree.parent[a[i]]];
        slot[i] = &child[child[1] == a[i]];
    }
    const uint32_t parent = chain->tree.parent[a[0]];
    chain->tree.parent[a[0]] = chain->tree.parent[a[1]];
    chain->tree.parent[a[1]] = parent;
    *slot[0] = a[1];
    *slot[1] = a[0];
}

/* An inner branch is the one above inner node v. The root's two children share one: it counts as the first's, and is
   none where one of them is a tip. */
static uint32_t inner_branch(const peeling_chain *chain, uint32_t which) {
    const uint32_t *top = chain->tree.child[chain->root];
    for (uint32_t v = chain->tips; v < chain->root; v++) {
        if (v == top[1] || (v == top[0] && top[1] < chain->tips)) continue;
        if (which-- == 0) return v;
    }
    return WL_NO_NODE;
}

void peeling_chain_interchange(peeling_chain *chain, uint32_t which, int side, uint32_t a[2]) {
    const uint32_t v = inner_branch(chain, which), parent = chain->tree.parent[v];
    const uint32_t *child = chain->tree.child[parent];
    const uint32_t sibling = child[child[0] == v];
    a[0] = chain->tree.child[v][side];
    a[1] = parent == chain->root ? chain->tree.child[sibling][0] : sibling;
    peeling_chain_exchange(chain, a);
    touch_node(chain, v);
    if (parent == chain->root) touch_node(chain, sibling);
    peeling_chain_touch_up(chain, parent);
}
