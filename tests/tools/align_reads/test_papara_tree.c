/* The tree without a root: its edges are the splits of the taxa that the file's edges are, whatever the file's root, nodes with
   one child and depth; and what does not fit the alignment is refused by name. */
#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "tools/align_reads/tree/tree.h"
#include "tests/support/papara_trees.h"

static void check(wl_status status) {
    if (status != WL_OK) fail_msg("%s", wl_error());
}

typedef struct {
    wl_newick newick;
    papara_tree tree;
} made;

static made make(const char *text, const char *const *names, uint32_t taxa) {
    made m;
    check(wl_newick_parse("tree.nwk", text, strlen(text), &m.newick));
    check(papara_tree_make("tree.nwk", &m.newick, "rows.phy", names, taxa, &m.tree));
    return m;
}

static void release(made *m) {
    papara_tree_free(&m->tree);
    wl_newick_free(&m->newick);
}

/* --- What holds for every tree ----------------------------------------------------------------------------------- */

/* tree.h's promises: neighbours are mutual, the counts right, the loop order that of recursion. */
static void check_shape(const papara_tree *tree) {
    assert_int_equal(tree->nodes, 2 * tree->taxa - 2);
    for (uint32_t v = 0; v < tree->nodes; v++) {
        int count = v < tree->taxa ? 1 : 3;
        for (int k = 0; k < 3; k++) {
            uint32_t u = tree->neighbour[v][k];
            assert_true(k < count ? u < tree->nodes && u != v : u == WL_NO_NODE);
            if (k < count)
                assert_true(tree->neighbour[u][0] == v || tree->neighbour[u][1] == v || tree->neighbour[u][2] == v);
        }
        if (v == tree->taxa) continue;
        uint32_t parent = tree->neighbour[v][0];
        assert_true(parent >= tree->taxa);
        if (v > tree->taxa) assert_true(parent < v);
    }
    for (uint32_t e = 0; e < tree->edges; e++) {
        uint32_t a = tree->edge[e][0], b = tree->edge[e][1];
        assert_true(tree->neighbour[a][0] == b || tree->neighbour[b][0] == a);
        if (e > 0) assert_true(papara_tree_edge_number(tree, e) > papara_tree_edge_number(tree, e - 1));
    }
}

/* The taxa below a node of the file, as bits. */
static uint32_t below(const wl_newick *newick, uint32_t v) {
    if (newick->first_child[v] == WL_NO_NODE) return (uint32_t)1 << (newick->label[v][0] - 'A');
    uint32_t set = 0;
    for (uint32_t c = newick->first_child[v]; c != WL_NO_NODE; c = newick->next_sibling[c]) set |= below(newick, c);
    return set;
}

/* Numbers the nodes below v, and v, by recursion, as EPA-ng does, from `next`. Returns the next number. */
static uint32_t check_numbers(const made *m, uint32_t v, uint32_t next) {
    for (uint32_t c = m->newick.first_child[v]; c != WL_NO_NODE; c = m->newick.next_sibling[c])
        next = check_numbers(m, c, next);
    assert_int_equal(m->tree.number[v], next);
    return next + 1;
}

/* From the file's edges, one after the other: splits that are new and divide the taxa. Independent of how the tree is
   built; what it has must be the same. */
static void check_splits(const made *m) {
    uint32_t seen[256], count = 0, all = ((uint32_t)1 << m->tree.taxa) - 1;
    for (uint32_t v = 1; v < m->newick.nodes; v++) {
        uint32_t set = below(&m->newick, v), known = 0, e = 0;
        if (set == all) continue;
        if (set & 1) set = all & ~set;
        for (uint32_t k = 0; k < count; k++) known |= seen[k] == set;
        if (known) continue;
        seen[count++] = set;
        while (e < m->tree.edges && m->tree.file_node[e] != v) e++;
        assert_true(e < m->tree.edges);
        assert_int_equal(split_of(&m->tree, e), set);
    }
    assert_int_equal(m->tree.edges, count);
    check_numbers(m, 0, 0);
}

static void expect_edges(const char *text, uint32_t taxa, uint32_t edges) {
    made m = make(text, letters, taxa);
    check_shape(&m.tree);
    check_splits(&m);
    assert_int_equal(m.tree.edges, edges);
    release(&m);
}

/* --- Tests ------------------------------------------------------------------------------------------------------- */

TEST(roots_go) {
    expect_edges("(A,B,C);", 3, 3);
    expect_edges("((A,B),C);", 3, 3);
    expect_edges("(A,(B,C));", 3, 3);
    expect_edges("((A,B),(C,D));", 4, 5);
    expect_edges("(A,(B,(C,D)));", 4, 5);
    expect_edges("(A,B,(C,D));", 4, 5);
    expect_edges("(((A)),((B),((C,D))));", 4, 5);
    expect_edges("((((A,B),C)));", 3, 3);
    expect_edges("((((A,B),C),D));", 4, 5);
    expect_edges("(((A,B)x)y,((C),D)z)root;", 4, 5);
    expect_edges("((A,E),((B,C),D));", 5, 7);
}

/* T tips and their edges, and an edge less for every neighbour above three. */
TEST(multifurcations_become_chains) {
    expect_edges("(A,B,C,D);", 4, 4);
    expect_edges("(A,B,C,D,E,F,G);", 7, 7);
    expect_edges("((A,B,C,D),E);", 5, 5);
    expect_edges("((A,B,C),(D,E,F));", 6, 7);
    expect_edges("(A,(B,C,D,E),F);", 6, 7);
    made m = make("(A,(B,C,D,E),F);", letters, 6);
    /* Node 6: A, the inner node, F. That has five neighbours: its parent and B; C; D and E. */
    static const uint32_t expected[4][3] = {{0, 7, 5}, {6, 1, 8}, {7, 2, 9}, {8, 3, 4}};
    assert_memory_equal(m.tree.neighbour + 6, expected, sizeof expected);
    release(&m);
}

/* Names in any order: the tips are the alignment's rows. */
TEST(tips_are_rows) {
    static const char *const names[] = {"D", "B", "A", "C"};
    made m = make("((A:1,B:2):3,(C,D));", names, 4);
    check_shape(&m.tree);
    static const uint32_t lower[] = {2, 1, 4, 3, 0}, nodes[] = {2, 3, 1, 5, 6};
    for (uint32_t e = 0; e < 5; e++) {
        assert_int_equal(m.tree.edge[e][1], lower[e]);
        assert_int_equal(m.tree.file_node[e], nodes[e]);
    }
    assert_int_equal(m.tree.edge[2][0], 5);
    release(&m);
}

TEST(random_trees) {
    wl_random random = wl_random_stream(1, 0);
    for (int round = 0; round < 5000; round++) {
        static char text[1 << 16];
        uint32_t taxa = 3 + wl_random_below(&random, 14);
        random_tree(&random, taxa, text);
        made m = make(text, letters, taxa);
        check_shape(&m.tree);
        check_splits(&m);
        release(&m);
    }
}

/* A ladder, a star, and a chain of nodes with one child each: no recursion, no quadratic time. */
TEST(a_hundred_thousand_tips) {
    enum { TAXA = 100000 };
    char **names = malloc(TAXA * sizeof *names), *block = malloc(TAXA * 8), *text = malloc(TAXA * 16);
    for (uint32_t t = 0; t < TAXA; t++) sprintf(names[t] = block + 8 * t, "t%u", t);
    for (int star = 0; star < 2; star++) {
        char *end = text;
        for (uint32_t t = 0; t + 1 < TAXA; t++) end += sprintf(end, star && t > 0 ? "%s," : "(%s,", names[t]);
        end += sprintf(end, "%s", names[TAXA - 1]);
        for (uint32_t t = 0; t + 1 < (star ? 2 : TAXA); t++) *end++ = ')';
        strcpy(end, ";");
        made m = make(text, (const char *const *)names, TAXA);
        check_shape(&m.tree);
        assert_int_equal(m.tree.edges, star ? TAXA : 2 * TAXA - 3);
        release(&m);
    }
    memset(text, '(', TAXA);
    char *end = text + TAXA + sprintf(text + TAXA, "A,B,C");
    memset(end, ')', TAXA);
    strcpy(end + TAXA, ";");
    made m = make(text, letters, 3);
    check_shape(&m.tree);
    assert_int_equal(m.tree.edges, 3);
    release(&m);
    free(text);
    free(block);
    free(names);
}

static void refuse(const char *text, const char *const *names, uint32_t taxa, const char *expected) {
    wl_newick newick;
    papara_tree tree;
    check(wl_newick_parse("tree.nwk", text, strlen(text), &newick));
    assert_int_equal(papara_tree_make("tree.nwk", &newick, "rows.phy", names, taxa, &tree), WL_BAD_INPUT);
    assert_string_equal(wl_error(), expected);
    wl_newick_free(&newick);
}

TEST(what_does_not_fit_is_named) {
    static const char *const twice[] = {"A", "B", "C", "B"};
    refuse("(A,B,\nX,C,Y);", letters, 3,
           "tree.nwk:2: found 2 tips of the tree that rows.phy lacks, the first 'X'; expected a row for every tip");
    refuse("(A,B,X);", letters, 4,
           "tree.nwk:1: found 1 tip of the tree that rows.phy lacks, the first 'X'; expected a row for every tip");
    refuse("(A,C,D);", letters, 6,
           "rows.phy: found 3 rows that the tree in tree.nwk lacks, the first 'B'; expected a tip for every row");
    refuse("(A,B,\n(C,\nA));", letters, 3,
           "tree.nwk:3: found the taxon 'A' again, after line 1; expected every name once");
    refuse("(A,B,C);", twice, 4, "rows.phy: found the taxon 'B' twice; expected every name once");
    refuse("(A,B);", letters, 2, "tree.nwk: found a tree of 2 tips; expected at least 3");
    refuse("((A));", letters, 3, "tree.nwk: found a tree of 1 tip; expected at least 3");
    refuse("(A,B,C);", letters, 2, "rows.phy: found 2 rows; expected at least 3, the tips of a tree");
}

static void expect_written(const char *text, const char *const *names, uint32_t taxa, const char *expected) {
    made m = make(text, names, taxa);
    char *written;
    size_t size;
    FILE *stream = open_memstream(&written, &size);
    papara_tree_write_numbered(stream, &m.newick, &m.tree);
    fclose(stream);
    assert_string_equal(written, expected);
    free(written);
    release(&m);
}

TEST(numbers_are_written_behind_lengths) {
    static const char *const odd[] = {"it's", "a b", "C", "x{1}"};
    expect_written("(A:0.1,B:1e-30,(C,D:0.1234567890123):2)r;", letters, 4,
                   "(A:0.1{0},B:1e-30{1},(C{2},D:0.1234567890123{3}):2{4})r;\n");
    /* Edges that are one here, a removed root's and those of a node with one child, have numbers of their own. */
    expect_written("((A:1,B:2)i:3,((C:4):5,D:6):7):8;", letters, 4,
                   "((A:1{0},B:2{1})i:3{2},((C:4{3}):5{4},D:6{5}):7{6}):8;\n");
    expect_written("((A,B,C));", letters, 3, "((A{0},B{1},C{2}){3});\n");
    expect_written("('it''s','a b',(C,'x{1}'));", odd, 4, "('it''s'{0},'a b'{1},(C{2},'x{1}'{3}){4});\n");
}

int main(void) { return run_all_tests(NULL, NULL); }
