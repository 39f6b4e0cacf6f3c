/* The tree of a chain rooted elsewhere, and its likelihood computed anew. */
#include "tools/likelihood/chain/internal.h"

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
    /* For each node still to be looked at: which it is in the chain's tree, whence it was reached, and which in the new
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
        chain->edges[i].matrix = peeling_chain_matrix(chain, v, !chain->matrix_flip[v]);
    }
    for (uint32_t i = 0; chain->keeps && i < work.join_count; i++) {
        peeling_join *join = &chain->joins[i];
        join->to = peeling_chain_vector(chain, join->to, !chain->partial_flip[join->to]);
        for (int c = 0; c < 2; c++) {
            join->child[c] = peeling_chain_vector(chain, join->child[c], !chain->partial_flip[join->child[c]]);
            join->matrix[c] = peeling_chain_matrix(chain, join->matrix[c], !chain->matrix_flip[join->matrix[c]]);
        }
        work.root = join->to;
    }
    peeling_tree_free(&tree);
    return peeling_chain_evaluate(chain, &chain->model, chain->stamp, &work, total);
}
