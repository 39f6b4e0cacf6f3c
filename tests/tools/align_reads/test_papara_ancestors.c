/* Ancestral state vectors: every edge of random trees against the definition, computed by naive recursion from either end;
   the rules of the gap signal worked out by hand; and the same vectors whatever the file's root. */
#include <sys/resource.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "tools/align_reads/tree/ancestors.h"
#include "papara/problem.h"
#include "tests/support/papara_trees.h"

static void check(wl_status status) {
    if (status != WL_OK) fail_msg("%s", wl_error());
}

/* Everything of a small case. */
typedef struct {
    wl_newick newick;
    papara_tree tree;
    papara_ancestors *ancestors;
    uint32_t sites, *site; // [edges][sites]
} vectors;

static vectors make(const char *text, papara_alphabet alphabet, const char *const *rows, uint32_t taxa, int threads) {
    vectors v = {.sites = (uint32_t)strlen(rows[0])};
    check(wl_newick_parse("tree.nwk", text, strlen(text), &v.newick));
    check(papara_tree_make("tree.nwk", &v.newick, "rows.phy", letters, taxa, &v.tree));
    check(papara_ancestors_make(&v.tree, alphabet, rows, v.sites, threads, &v.ancestors));
    v.site = malloc((size_t)v.tree.edges * v.sites * sizeof *v.site);
    memset(v.site, 0xAA, (size_t)v.tree.edges * v.sites * sizeof *v.site);
    uint32_t half = v.tree.edges / 2;
    papara_ancestors_fill(v.ancestors, 0, half, v.site);
    papara_ancestors_fill(v.ancestors, half, v.tree.edges - half, v.site + (size_t)half * v.sites);
    return v;
}

static void release(vectors *v) {
    free(v->site);
    papara_ancestors_free(v->ancestors);
    papara_tree_free(&v->tree);
    wl_newick_free(&v->newick);
}

/* --- The definition, site by site -------------------------------------------------------------------------------- */

typedef enum { NONE, OPEN, GAPPED } gap;

typedef struct {
    char states[32]; // letters, in no order
    gap gap;
    int tip;
} seen;

static const char *expand(papara_alphabet alphabet, char letter) {
    static const char *const dna[] = {"AA",  "CC",   "GG",   "TT",   "UT",   "RAG",   "YCT",   "SCG",   "WAT",  "KGT",
                                      "MAC", "BCGT", "DAGT", "HACT", "VACG", "NACGT", "-ACGT", "?ACGT", ".ACGT"};
    static const char *const protein[] = {"BND", "ZQE", "JIL", "XARNDCQEGHILKMFPSTWYV", "-ARNDCQEGHILKMFPSTWYV"};
    static char one[2];
    if (alphabet == PAPARA_DNA) {
        for (size_t k = 0; k < sizeof dna / sizeof *dna; k++)
            if (dna[k][0] == letter) return dna[k] + 1;
    } else {
        for (size_t k = 0; k < sizeof protein / sizeof *protein; k++)
            if (protein[k][0] == letter) return protein[k] + 1;
        one[0] = letter;
        return one;
    }
    fail_msg("the test has no letter '%c'", letter);
    return NULL;
}

static seen tip(papara_alphabet alphabet, char letter) {
    seen s = {.gap = strchr("-?.", letter) ? GAPPED : NONE, .tip = 1};
    strcpy(s.states, expand(alphabet, letter));
    return s;
}

static void append(char *text, char letter) {
    size_t length = strlen(text);
    text[length] = letter;
    text[length + 1] = '\0';
}

static seen join(seen x, seen y) {
    seen s = {.tip = 0};
    for (const char *c = x.states; *c; c++)
        if (strchr(y.states, *c)) append(s.states, *c);
    if (s.states[0] == '\0') {
        strcpy(s.states, x.states);
        strcat(s.states, y.states);
    }
    if (x.tip || y.tip) { // gapped-and-open counts as gapped
        if (x.gap == OPEN) x.gap = GAPPED;
        if (y.gap == OPEN) y.gap = GAPPED;
    }
    int gapped = (x.gap == GAPPED) + (y.gap == GAPPED);
    s.gap = gapped == 2 ? GAPPED : gapped == 1 ? OPEN : NONE;
    return s;
}

static seen look(const papara_tree *tree, papara_alphabet alphabet, const char *const *rows, uint32_t site,
                 uint32_t node, uint32_t from) {
    if (node < tree->taxa) return tip(alphabet, rows[node][site]);
    seen other[2];
    int n = 0;
    for (int k = 0; k < 3; k++)
        if (tree->neighbour[node][k] != from)
            other[n++] = look(tree, alphabet, rows, site, tree->neighbour[node][k], node);
    return join(other[0], other[1]);
}

static uint32_t bits(papara_alphabet alphabet, const seen *s) {
    const char *order = alphabet == PAPARA_DNA ? "ACGT" : "ARNDCQEGHILKMFPSTWYV";
    uint32_t set = s->gap == GAPPED ? (uint32_t)1 << 31 : 0;
    for (const char *c = s->states; *c; c++) set |= (uint32_t)1 << (strchr(order, *c) - order);
    return set;
}

/* --- Against the definition -------------------------------------------------------------------------------------- */

/* Columns of few letters, so that intersections and unions both happen, and of gaps at every rate. */
static void random_rows(wl_random *random, papara_alphabet alphabet, uint32_t taxa, uint32_t sites, char **rows) {
    const char *all = alphabet == PAPARA_DNA ? "ACGTURYSWKMBDHVN" : "ARNDCQEGHILKMFPSTWYVBZJX";
    for (uint32_t s = 0; s < sites; s++) {
        char some[3];
        for (int k = 0; k < 3; k++) some[k] = all[wl_random_below(random, (uint32_t)strlen(all))];
        uint32_t gaps = wl_random_below(random, 11);
        for (uint32_t t = 0; t < taxa; t++) {
            rows[t][s] = some[wl_random_below(random, 3)];
            if (wl_random_below(random, 10) < gaps)
                rows[t][s] = alphabet == PAPARA_DNA ? "-?."[wl_random_below(random, 3)] : '-';
        }
    }
    for (uint32_t t = 0; t < taxa; t++) rows[t][sites] = '\0';
}

TEST(every_edge_is_the_definition) {
    static const uint32_t awkward[] = {1, 2, 63, 64, 65, 511, 512, 513, 1030};
    wl_random random = wl_random_stream(1, 0);
    static char text[1 << 16], letters_of_rows[LETTERS][1100];
    char *rows[LETTERS];
    for (int t = 0; t < LETTERS; t++) rows[t] = letters_of_rows[t];
    size_t gapped = 0, ambiguous = 0;
    for (int round = 0; round < 400; round++) {
        papara_alphabet alphabet = round % 3 ? PAPARA_DNA : PAPARA_PROTEIN;
        uint32_t taxa = 3 + wl_random_below(&random, 10), sites = 1 + wl_random_below(&random, 20);
        if (round % 40 < 9) sites = awkward[round % 40];
        random_rows(&random, alphabet, taxa, sites, rows);
        random_tree(&random, taxa, text);
        vectors v = make(text, alphabet, (const char *const *)rows, taxa, 1 + round % 3);
        for (uint32_t e = 0; e < v.tree.edges; e++)
            for (uint32_t s = 0; s < sites; s++) {
                uint32_t a = v.tree.edge[e][0], b = v.tree.edge[e][1], found = v.site[(size_t)e * sites + s];
                seen root = join(look(&v.tree, alphabet, (const char *const *)rows, s, a, b),
                                 look(&v.tree, alphabet, (const char *const *)rows, s, b, a));
                if (found != bits(alphabet, &root))
                    fail_msg("%s edge %u site %u: found %x; expected %x", text, e, s, found, bits(alphabet, &root));
                gapped += found >> 31;
                ambiguous += (found & (found - 1) & 0xfffff) != 0;
            }
        release(&v);
    }
    assert_true(gapped > 10000 && ambiguous > 10000);
}

/* --- By hand ----------------------------------------------------------------------------------------------------- */

/* ((A,B),(C,D)): one site, one letter per taxon. Edges: A, B, the inner one, C and D. '*' after states: CGAP. */
static void expect(const char *column, const char *expected) {
    char row[4][2] = {{column[0], 0}, {column[1], 0}, {column[2], 0}, {column[3], 0}}, found[64] = "";
    const char *const rows[4] = {row[0], row[1], row[2], row[3]};
    vectors v = make("((A,B),(C,D));", PAPARA_DNA, rows, 4, 1);
    for (uint32_t e = 0; e < 5; e++) {
        if (e > 0) strcat(found, " ");
        for (int k = 0; k < 4; k++)
            if (v.site[e] >> k & 1) append(found, "ACGT"[k]);
        if (v.site[e] & PAPARA_CGAP) strcat(found, "*");
    }
    assert_string_equal(found, expected);
    release(&v);
}

TEST(examples_by_hand) {
    /* States: the cherry of A and C is {A,C}; with a gap, which has all states, the other's remain. */
    expect("AAAA", "A A A A A");
    expect("ACAA", "A AC A A A");
    expect("ACA-", "A AC A A A");
    expect("ACGT", "ACGT ACGT ACGT ACGT ACGT");
    expect("AACC", "A A AC C C");
    /* No gap is a root's without a second one. */
    expect("-AAA", "A A A A A");
    /* Both of a cherry: seen from A, B is gapped, the rest is not, which is open, and with the tip A counts as gapped.
       Between the cherries, of which one is gapped and neither a tip, it is open: no CGAP. */
    expect("--AA", "A* A* A A A");
    /* One of each cherry: A sees B and an open gap, with a tip among them: open, which A closes. The two open cherries
       do not count when they meet. */
    expect("-A-A", "A* A A A* A");
    /* Three: D sees the gapped C and the gapped cherry; it is the only one without. */
    expect("---A", "A* A* A A* A");
    expect("----", "ACGT* ACGT* ACGT* ACGT* ACGT*");
}

/* --- The file's root is none ------------------------------------------------------------------------------------- */

TEST(the_root_does_not_matter) {
    static const char *const forms[] = {"(((A,B),C),((D,E),(F,G)));",       "(A,B,(C,((D,E),(G,F))));",
                                        "(A,(B,(C,((D,E),(F,G)))));",       "((((G,F),(E,D)),C),(B,A));",
                                        "((F),((G),((((B,A),C)),(D,E))));", "(D,E,((F,G),(C,(A,B))));"};
    wl_random random = wl_random_stream(2, 0);
    static char letters_of_rows[7][302];
    char *rows[7];
    for (int t = 0; t < 7; t++) rows[t] = letters_of_rows[t];
    random_rows(&random, PAPARA_DNA, 7, 300, rows);
    vectors first = make(forms[0], PAPARA_DNA, (const char *const *)rows, 7, 0);
    for (size_t f = 1; f < sizeof forms / sizeof *forms; f++) {
        vectors v = make(forms[f], PAPARA_DNA, (const char *const *)rows, 7, 0);
        assert_int_equal(v.tree.edges, 11);
        uint32_t same = 0;
        for (uint32_t e = 0; e < 11; e++)
            for (uint32_t other = 0; other < 11; other++) {
                if (split_of(&first.tree, e) != split_of(&v.tree, other)) continue;
                same++;
                assert_memory_equal(first.site + e * 300, v.site + other * 300, 300 * sizeof *v.site);
            }
        assert_int_equal(same, 11);
        release(&v);
    }
    release(&first);
}

/* --- Large ------------------------------------------------------------------------------------------------------- */

/* A ladder of 100,000 tips. Sites: all A; all gaps; a gap in the first tip only; in all but the last. */
TEST(a_deep_ladder) {
    enum { TAXA = 100000 };
    char **names = malloc(TAXA * sizeof *names), *block = malloc(TAXA * 8), *text = malloc(TAXA * 16), *end = text;
    const char **rows = malloc(TAXA * sizeof *rows);
    for (uint32_t t = 0; t < TAXA; t++) {
        sprintf(names[t] = block + 8 * t, "t%u", t);
        if (t + 1 < TAXA) end += sprintf(end, "(%s,", names[t]);
        rows[t] = t == 0 ? "A---" : t + 1 < TAXA ? "A-A-" : "A-AA";
    }
    end += sprintf(end, "%s", names[TAXA - 1]);
    memset(end, ')', TAXA - 1);
    strcpy(end + TAXA - 1, ";");
    wl_newick newick;
    papara_tree tree;
    papara_ancestors *ancestors;
    check(wl_newick_parse("tree.nwk", text, strlen(text), &newick));
    check(papara_tree_make("tree.nwk", &newick, "rows.phy", (const char *const *)names, TAXA, &tree));
    check(papara_ancestors_make(&tree, PAPARA_DNA, rows, 4, 2, &ancestors));
    for (uint32_t e = 0; e < tree.edges; e++) {
        uint32_t site[4];
        papara_ancestors_fill(ancestors, e, 1, site);
        assert_int_equal(site[0], 1);
        assert_int_equal(site[1], 15 | PAPARA_CGAP);
        assert_int_equal(site[2], 1);
        /* The last tip has none, and its cherry is open, which does not count where it meets an inner node. */
        int last = tree.edge[e][1] == TAXA - 1 || tree.edge[e][1] == tree.nodes - 1;
        assert_int_equal(site[3], last ? 1 : 1 | PAPARA_CGAP);
    }
    papara_ancestors_free(ancestors);
    papara_tree_free(&tree);
    wl_newick_free(&newick);
    free(rows);
    free(text);
    free(block);
    free(names);
}

/* 3 tips of 2^26 sites need 512 MB; short memory is said, in one line. */
TEST(no_memory) {
#if defined __SANITIZE_ADDRESS__
    skip(); // the sanitizer needs the address space
#else
    wl_newick newick;
    papara_tree tree;
    papara_ancestors *ancestors;
    check(wl_newick_parse("tree.nwk", "(A,B,C);", 8, &newick));
    check(papara_tree_make("tree.nwk", &newick, "rows.phy", letters, 3, &tree));
    struct rlimit before, less;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    less = before;
    less.rlim_cur = (rlim_t)300 << 20;
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    wl_status status = papara_ancestors_make(&tree, PAPARA_DNA, NULL, PAPARA_SITES_MOST, 1, &ancestors);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, WL_NO_MACHINE);
    assert_string_equal(wl_error(), "not enough memory for the ancestral state vectors of 4 nodes and 67108864 sites");
    assert_null(ancestors);
    papara_tree_free(&tree);
    wl_newick_free(&newick);
#endif
}

int main(void) { return run_all_tests(NULL, NULL); }
