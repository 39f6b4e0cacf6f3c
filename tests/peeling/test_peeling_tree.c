/* Trees as the peeling has them. Every path between two tips is as long as in the file, whatever the file's root, multifurcations and
   nodes with one child. The joins come in an order in which few vectors are alive. A tree may have any depth. */
#include <math.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "peeling/tree.h"

static void check(wl_status status) {
    if (status != WL_OK) fail_msg("%s", wl_error());
}

/* Tips called A, B, C ..: rows 0, 1, 2 .. */
static wl_status make(const char *text, peeling_tree *tree, wl_newick *newick) {
    uint32_t tip_of[256];
    check(wl_newick_parse("tree.nwk", text, strlen(text), newick));
    for (uint32_t v = 0; v < newick->nodes; v++)
        tip_of[v] = newick->first_child[v] == WL_NO_NODE ? (uint32_t)(newick->label[v][0] - 'A') : WL_NO_NODE;
    return peeling_tree_from_newick("tree.nwk", newick, tip_of, tree);
}

static double to_root(const uint32_t *parent, const double *length, uint32_t v, double *above, size_t nodes) {
    for (size_t i = 0; i < nodes; i++) above[i] = NAN;
    double sum = 0;
    for (; v != WL_NO_NODE; v = parent[v]) {
        above[v] = sum;
        if (parent[v] != WL_NO_NODE) sum += length[v];
    }
    return sum;
}

/* Along the tree from one node to the other. */
static double path(const uint32_t *parent, const double *length, size_t nodes, uint32_t x, uint32_t y) {
    double above[512], sum = 0;
    to_root(parent, length, x, above, nodes);
    for (; isnan(above[y]); y = parent[y]) sum += length[y];
    return sum + above[y];
}

static void check_shape(const peeling_tree *tree) {
    assert_int_equal(tree->nodes, 2 * tree->tips - 1);
    assert_int_equal(tree->parent[tree->nodes - 1], WL_NO_NODE);
    for (uint32_t v = 0; v + 1 < tree->nodes; v++) {
        const uint32_t p = tree->parent[v];
        assert_true(p > v && p >= tree->tips && p < tree->nodes);
        assert_true(tree->child[p][0] == v || tree->child[p][1] == v);
        assert_true(tree->length[v] >= 0);
    }
    for (uint32_t v = 0; v < tree->nodes; v++)
        for (int k = 0; k < 2; k++)
            assert_true(v < tree->tips ? tree->child[v][k] == WL_NO_NODE : tree->parent[tree->child[v][k]] == v);
}

static void check_paths(const char *text) {
    peeling_tree tree;
    wl_newick newick;
    check(make(text, &tree, &newick));
    check_shape(&tree);
    assert_int_equal(tree.tips, newick.tips);
    for (uint32_t v = 0; v < newick.nodes; v++) {
        for (uint32_t u = 0; u < v; u++) {
            if (newick.first_child[v] != WL_NO_NODE || newick.first_child[u] != WL_NO_NODE) continue;
            const double expected = path(newick.parent, newick.length, newick.nodes, u, v);
            const double found = path(tree.parent, tree.length, tree.nodes, (uint32_t)(newick.label[u][0] - 'A'),
                                      (uint32_t)(newick.label[v][0] - 'A'));
            assert_true(fabs(found - expected) <= 1e-12 * expected);
        }
    }
    peeling_tree_free(&tree);
    wl_newick_free(&newick);
}

TEST(paths) {
    check_paths("(A:1,B:2);");
    check_paths("(A:1,B:2,C:4);");
    check_paths("((A:1,B:2):8,(C:4,D:16):32):64;");
    check_paths("(((B:1,A:2):4):8,(C:16):32,((D:64):256):128);");
    check_paths("((((A:1,B:2,C:4,D:8,E:16):32)));"); // a stem without lengths
    check_paths("(A:0,(B:0,C:0):0,D:1e-300);");
    check_paths("(A:1,(B:2,(C:3,(D:4,(E:5,F:6):7):8):9):10);");
}

/* Random shapes: joined in any order, with nodes of one child and of up to five. */
TEST(random_paths) {
    wl_random random = wl_random_stream(1, 0);
    for (int round = 0; round < 300; round++) {
        char part[26][4096], text[8192];
        uint32_t parts = 2 + wl_random_below(&random, 24);
        for (uint32_t t = 0; t < parts; t++)
            snprintf(part[t], sizeof *part, "%c:%u", (char)('A' + t), wl_random_below(&random, 100));
        while (parts > 1) {
            uint32_t take = 1 + wl_random_below(&random, parts < 5 ? parts : 5);
            char joined[4096] = "(";
            for (uint32_t k = 0; k < take; k++) {
                const uint32_t p = wl_random_below(&random, parts);
                if (k > 0) strcat(joined, ",");
                strcat(joined, part[p]);
                if (p != --parts) memmove(part[p], part[parts], sizeof part[p]);
            }
            sprintf(joined + strlen(joined), "):%u", wl_random_below(&random, 100));
            strcpy(part[parts++], joined);
        }
        snprintf(text, sizeof text, "%s;", part[0]);
        check_paths(text);
    }
}

/* --- Joins ------------------------------------------------------------------------------------------------------- */

/* Every vector computed before it is used, each once; returns how many are alive at most, the one that is written not counted. */
static uint32_t check_joins(const peeling_tree *tree, const peeling_work *work) {
    uint8_t *known = calloc(tree->nodes, 1);
    uint32_t alive = 0, most = 0;
    assert_int_equal(work->edge_count, 2 * tree->tips - 2);
    assert_int_equal(work->join_count, tree->tips - 1);
    assert_int_equal(work->root, tree->nodes - 1);
    for (uint32_t e = 0; e < work->edge_count; e++) {
        assert_int_equal(work->edges[e].matrix, e);
        assert_true(work->edges[e].length == tree->length[e]);
    }
    for (uint32_t t = 0; t < tree->tips; t++) known[t] = 1;
    for (uint32_t j = 0; j < work->join_count; j++) {
        const peeling_join *join = &work->joins[j];
        assert_true(join->to >= tree->tips && join->to < tree->nodes && !known[join->to]);
        if (alive > most) most = alive;
        for (int k = 0; k < 2; k++) {
            assert_int_equal(join->child[k], tree->child[join->to][k]);
            assert_int_equal(join->matrix[k], join->child[k]);
            assert_true(known[join->child[k]]);
            alive -= join->child[k] >= tree->tips;
        }
        known[join->to] = 1;
        alive++;
    }
    assert_int_equal(work->joins[work->join_count - 1].to, work->root);
    free(known);
    return most > alive ? most : alive;
}

/* Caterpillars need one vector, whichever side they lean to; of a balanced tree of 2^k tips k. */
TEST(few_are_alive) {
    static const struct {
        const char *text;
        uint32_t alive;
    } cases[] = {
        {"(A:1,B:1);", 1},
        {"((((A:1,B:1):1,C:1):1,D:1):1,E:1);", 1},
        {"(A:1,(B:1,(C:1,(D:1,E:1):1):1):1);", 1},
        {"((A:1,B:1):1,(C:1,D:1):1);", 2},
        {"((A:1,B:1):1,((C:1,D:1):1,(E:1,F:1):1):1);", 2},
        {"(((A:1,B:1):1,(C:1,D:1):1):1,((E:1,F:1):1,(G:1,H:1):1):1);", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        peeling_tree tree;
        wl_newick newick;
        peeling_edge edges[32];
        peeling_join joins[16];
        peeling_work work;
        check(make(cases[i].text, &tree, &newick));
        peeling_tree_work(&tree, edges, joins, &work);
        assert_int_equal(check_joins(&tree, &work), cases[i].alive);
        peeling_tree_free(&tree);
        wl_newick_free(&newick);
    }
}

/* 100,000 levels, leaning to either side by turns: nothing is recursive, and two vectors suffice. */
TEST(deep) {
    enum { TIPS = 100000 };
    peeling_tree tree;
    check(peeling_tree_allocate(TIPS, &tree));
    for (uint32_t v = 0; v < tree.nodes; v++) {
        tree.length[v] = v + 1 < tree.nodes;
        tree.child[v][0] = tree.child[v][1] = tree.parent[v] = WL_NO_NODE;
    }
    for (uint32_t k = 0; k + 1 < TIPS; k++) {
        const uint32_t node = TIPS + k, below = k == 0 ? 0 : node - 1, tip = k + 1;
        tree.child[node][k % 2] = below;
        tree.child[node][1 - k % 2] = tip;
        tree.parent[below] = tree.parent[tip] = node;
    }
    peeling_edge *edges = malloc(tree.nodes * sizeof *edges);
    peeling_join *joins = malloc(tree.tips * sizeof *joins);
    peeling_work work;
    peeling_tree_work(&tree, edges, joins, &work);
    assert_int_equal(check_joins(&tree, &work), 1);
    free(edges);
    free(joins);

    char **names = malloc(TIPS * sizeof *names), *text, *room = malloc(TIPS * 8);
    for (uint32_t t = 0; t < TIPS; t++) sprintf(names[t] = room + 8 * (size_t)t, "t%u", t);
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    peeling_tree_write(stream, &tree, (const char *const *)names);
    fclose(stream);
    wl_newick newick;
    check(wl_newick_parse("written", text, size, &newick));
    assert_int_equal(newick.tips, TIPS);
    uint32_t *tip_of = malloc(newick.nodes * sizeof *tip_of);
    for (uint32_t v = 0; v < newick.nodes; v++)
        tip_of[v] = newick.label[v][0] ? (uint32_t)atoi(newick.label[v] + 1) : 0;
    peeling_tree again;
    check(peeling_tree_from_newick("written", &newick, tip_of, &again));
    check_shape(&again);
    free(tip_of);
    free(text);
    free(room);
    free(names);
    wl_newick_free(&newick);
    peeling_tree_free(&again);
    peeling_tree_free(&tree);
}

/* What is written is read as the same tree, with names that need quotes and lengths that need all digits. */
TEST(written) {
    static const char *const names[] = {"a", "Homo sapiens", "it's", "x_y", "(;)"};
    peeling_tree tree;
    wl_newick newick, again;
    check(make("((A:0.1,B:0.30000000000000004):1e-9,C:12345.678,(D:0,E:1e-320):2);", &tree, &newick));
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    peeling_tree_write(stream, &tree, names);
    fclose(stream);
    check(wl_newick_parse("written", text, size, &again));
    uint32_t found = 0;
    for (uint32_t v = 0; v < again.nodes; v++) {
        if (again.first_child[v] != WL_NO_NODE) continue;
        for (uint32_t t = 0; t < tree.tips; t++) {
            if (strcmp(again.label[v], names[t]) != 0) continue;
            assert_true(again.length[v] == tree.length[t]);
            found |= 1u << t;
        }
    }
    assert_int_equal(found, 31);
    free(text);
    wl_newick_free(&again);
    wl_newick_free(&newick);
    peeling_tree_free(&tree);
}

TEST(refused) {
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"A:1;", "tree.nwk:1: found a tree of 1 tip; expected at least 2"},
        {"((A:1):2);", "tree.nwk:1: found a tree of 1 tip; expected at least 2"},
        {"(A:1,\nB);", "tree.nwk:2: found no branch length at 'B'; expected ':' and a number"},
        {"((A:1,B:1),C:1);", "tree.nwk:1: found no branch length at an inner node; expected ':' and a number"},
        {"(A:1,B:-0.25);", "tree.nwk:1: found the branch length -0.25 at 'B'; expected a number from 0 on"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        peeling_tree tree;
        wl_newick newick;
        assert_int_equal(make(cases[i].text, &tree, &newick), WL_BAD_INPUT);
        assert_string_equal(wl_error(), cases[i].expected);
        wl_newick_free(&newick);
    }
    peeling_tree tree;
    wl_newick newick;
    check(make("(A:1,B:-0):-5;", &tree, &newick)); // the root has no branch
    assert_true(tree.length[1] == 0 && !signbit(tree.length[1]) && tree.length[2] == 0);
    peeling_tree_free(&tree);
    wl_newick_free(&newick);
}

int main(void) { return run_all_tests(NULL, NULL); }
