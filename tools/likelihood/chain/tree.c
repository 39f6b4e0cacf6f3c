/* The tree of a chain: what a change touches, and the same tree rooted elsewhere. */
#include <string.h>

#include "tools/likelihood/chain/internal.h"

/* --- Buffers ----------------------------------------------------------------------------------------------------- */

static uint32_t matrix_of(const peeling_chain *chain, uint32_t node, int flip) {
    return node + (flip ? chain->nodes - 1 : 0);
}
static uint32_t vector_of(const peeling_chain *chain, uint32_t node, int flip) {
    return node + (flip && node >= chain->tips ? chain->joins_of_tree : 0);
}

/* --- Lists of work ----------------------------------------------------------------------------------------------- */

void peeling_chain_clear(peeling_chain *chain) {
    chain->work = (peeling_work){.edges = chain->edges, .joins = chain->joins};
}

void peeling_chain_touch_branch(peeling_chain *chain, uint32_t node) {
    const uint32_t i = chain->work.edge_count++;
    if (chain->keeps) chain->matrix_flip[node] ^= 1;
    chain->edge_node[i] = node;
    chain->edges[i] =
        (peeling_edge){.matrix = matrix_of(chain, node, chain->matrix_flip[node]), .length = chain->tree.length[node]};
}

static void touch_node(peeling_chain *chain, uint32_t node) {
    peeling_join *join = &chain->joins[chain->work.join_count++];
    if (chain->keeps) chain->partial_flip[node] ^= 1;
    join->to = vector_of(chain, node, chain->partial_flip[node]);
    for (int c = 0; c < 2; c++) {
        const uint32_t child = chain->tree.child[node][c];
        join->child[c] = vector_of(chain, child, chain->partial_flip[child]);
        join->matrix[c] = matrix_of(chain, child, chain->matrix_flip[child]);
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

/* --- Rooted elsewhere -------------------------------------------------------------------------------------------- */

/* The nodes next to v in the unrooted tree, and the lengths between; a tip has one. */
typedef struct {
    uint32_t node[3], count;
    double length[3];
} neighbours;

static void add(neighbours *all, uint32_t node, double length) {
    all->node[all->count] = node;
    all->length[all->count++] = length;
}

static neighbours neighbours_of(const peeling_chain *chain, uint32_t v) {
    const peeling_tree *tree = &chain->tree;
    neighbours all = {.count = 0};
    if (tree->parent[v] == chain->root) {
        const uint32_t *top = tree->child[chain->root];
        add(&all, top[top[0] == v], tree->length[top[0]] + tree->length[top[1]]);
    } else {
        add(&all, tree->parent[v], tree->length[v]);
    }
    for (int c = 0; v >= chain->tips && c < 2; c++) add(&all, tree->child[v][c], tree->length[tree->child[v][c]]);
    return all;
}

static void hang(peeling_tree *made, uint32_t parent, int place, uint32_t node, double length) {
    made->child[parent][place] = node;
    made->parent[node] = parent;
    made->length[node] = length;
}

/* Inner nodes are numbered downwards from the root, as they are met. */
wl_status peeling_chain_tree(const peeling_chain *chain, uint32_t outgroup, peeling_tree *made) {
    WL_TRY(peeling_tree_allocate(chain->tips, made));
    /* Of the nodes still to be looked at: which it is in the chain's tree, whence it was reached, and which in the new
       one. */
    uint32_t *node = chain->order, *from = chain->need, *becomes = chain->edge_node, depth = 0;
    const uint32_t root = made->nodes - 1;
    uint32_t next = root; // the next inner node's number, plus 1
    for (uint32_t t = 0; t < made->tips; t++) made->child[t][0] = made->child[t][1] = WL_NO_NODE;
    made->parent[root] = WL_NO_NODE;
    made->length[root] = 0;
    const neighbours of_tip = neighbours_of(chain, outgroup);
    const uint32_t other = of_tip.node[0];
    hang(made, root, 0, outgroup, of_tip.length[0] / 2);
    hang(made, root, 1, other < chain->tips ? other : --next, of_tip.length[0] / 2);
    if (other >= chain->tips) {
        node[depth] = other;
        from[depth] = outgroup;
        becomes[depth++] = next;
    }
    while (depth > 0) {
        const uint32_t v = node[--depth], before = from[depth], here = becomes[depth];
        const neighbours around = neighbours_of(chain, v);
        for (uint32_t i = 0, place = 0; i < around.count; i++) {
            const uint32_t w = around.node[i];
            if (w == before) continue;
            hang(made, here, (int)place++, w < chain->tips ? w : --next, around.length[i]);
            if (w < chain->tips) continue;
            node[depth] = w;
            from[depth] = v;
            becomes[depth++] = next;
        }
    }
    return WL_OK;
}

/* --- From scratch ------------------------------------------------------------------------------------------------ */

wl_status peeling_chain_scratch(peeling_chain *chain, double *total) {
    peeling_tree tree;
    if (!chain->evaluator) {
        *total = 0;
        return WL_OK;
    }
    WL_TRY(peeling_chain_tree(chain, 0, &tree));
    peeling_work work;
    peeling_tree_work(&tree, chain->edges, chain->joins, &work);
    /* Into each pair's other buffer: what the chain keeps stays as it is. */
    for (uint32_t i = 0; chain->keeps && i < work.edge_count; i++) {
        const uint32_t v = chain->edges[i].matrix;
        chain->edges[i].matrix = matrix_of(chain, v, !chain->matrix_flip[v]);
    }
    for (uint32_t i = 0; chain->keeps && i < work.join_count; i++) {
        peeling_join *join = &chain->joins[i];
        join->to = vector_of(chain, join->to, !chain->partial_flip[join->to]);
        for (int c = 0; c < 2; c++) {
            join->child[c] = vector_of(chain, join->child[c], !chain->partial_flip[join->child[c]]);
            join->matrix[c] = matrix_of(chain, join->matrix[c], !chain->matrix_flip[join->matrix[c]]);
        }
        work.root = join->to;
    }
    peeling_tree_free(&tree);
    return peeling_chain_evaluate(chain, &chain->model, chain->stamp, &work, total);
}
