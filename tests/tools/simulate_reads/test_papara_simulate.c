/* Simulated data: the truth that comes with it is true, sequences differ as the tree says, and what is drawn depends on the seed
   alone. */
#include <ctype.h>
#include <math.h>
#include <omp.h>

#include "tests/support/unit.h"
#include "io/newick.h"
#include "tools/simulate_reads/simulate.h"
#include "tools/align_reads/tree/tree.h"

static void check(wl_status status) {
    if (status != WL_OK) fail_msg("%s", wl_error());
}

static papara_recipe usual(uint64_t seed) {
    return (papara_recipe){.taxa = 40,
                           .sites = 600,
                           .reads = 300,
                           .shortest = 30,
                           .longest = 90,
                           .depth = 0.15,
                           .indels = 0.02,
                           .error = 0.01,
                           .indel_error = 0.001,
                           .seed = seed};
}

/* --- The alignment and the truth --------------------------------------------------------------------------------- */

static uint32_t letters_in(const char *row) {
    uint32_t count = 0;
    for (; *row; row++) count += *row != '-';
    return count;
}

static void check_alignment(const papara_recipe *recipe, const papara_simulated *s) {
    const char *letters = recipe->alphabet == PAPARA_DNA ? "ACGT-" : "ARNDCQEGHILKMFPSTWYV-";
    assert_int_equal(s->taxa, recipe->taxa);
    assert_int_equal(s->sites, recipe->sites);
    for (uint32_t t = 0; t < s->taxa; t++) {
        assert_int_equal(strlen(s->row[t]), recipe->sites);
        assert_int_equal(strspn(s->row[t], letters), recipe->sites);
        assert_true(letters_in(s->row[t]) >= recipe->longest);
    }
    for (uint32_t c = 0; c < s->sites; c++) {
        uint32_t t = 0;
        while (t < s->taxa && s->row[t][c] == '-') t++;
        assert_true(t < s->taxa);
    }
    wl_newick newick;
    papara_tree tree;
    check(wl_newick_parse("tree", s->newick, strlen(s->newick), &newick));
    check(papara_tree_make("tree", &newick, "rows", (const char *const *)s->name, s->taxa, &tree));
    assert_int_equal(tree.edges, 2 * s->taxa - 3);
    papara_tree_free(&tree);
    wl_newick_free(&newick);
}

typedef struct {
    size_t letters, substituted, gained, lost;
} errors;

/* Letters stand in columns where the source has one, in order; counted is what differs from an exact copy. */
static errors check_reads(const papara_recipe *recipe, const papara_simulated *s) {
    errors e = {0};
    assert_int_equal(s->reads, recipe->reads);
    for (uint32_t q = 0; q < s->reads; q++) {
        uint32_t length = (uint32_t)strlen(s->read[q]);
        assert_true(length >= recipe->shortest && length <= recipe->longest);
        assert_true(s->source[q] < s->taxa);
        const char *row = s->row[s->source[q]];
        int32_t last = -1;
        for (uint32_t k = 0; k < length; k++) {
            int32_t c = s->column[q][k];
            e.letters++;
            if (c == -1) {
                e.gained++;
                continue;
            }
            assert_true(c > last && c < (int32_t)s->sites && row[c] != '-');
            for (int32_t between = last + 1; last >= 0 && between < c; between++) e.lost += row[between] != '-';
            e.substituted += row[c] != s->read[q][k];
            last = c;
        }
    }
    return e;
}

TEST(the_truth_is_true) {
    for (uint64_t seed = 0; seed < 12; seed++) {
        papara_recipe recipe = usual(seed);
        if (seed % 3 == 2) recipe.alphabet = PAPARA_PROTEIN;
        if (seed == 3) recipe.taxa = 3;
        if (seed == 4) recipe.shortest = recipe.longest = recipe.sites = 1;
        if (seed == 5) recipe.shortest = recipe.longest = recipe.sites;
        if (seed == 6) recipe.reads = 0;
        if (seed == 7) recipe.indels = 3; // more insertions than there are columns for, and rows at their shortest
        if (seed == 8) recipe.depth = 0;
        if (seed > 8) recipe.error = recipe.indel_error = 0;
        papara_simulated s;
        check(papara_simulate(&recipe, &s));
        check_alignment(&recipe, &s);
        errors e = check_reads(&recipe, &s);
        if (seed > 8) assert_int_equal(e.substituted + e.gained + e.lost, 0);
        if (seed == 8)
            for (uint32_t t = 1; t < s.taxa; t++) assert_string_equal(s.row[t], s.row[0]);
        papara_simulated_free(&s);
    }
}

static void assert_near(double found, double expected, double part) {
    if (!(fabs(found - expected) <= part * expected)) fail_msg("found %g; expected %g", found, expected);
}

/* 400,000 letters: about 20,000, 4,000 and 4,000 errors, to 10 %, which is six standard deviations of 4,000. */
TEST(errors_are_as_frequent_as_asked) {
    papara_recipe recipe = usual(20);
    recipe.reads = 4000;
    recipe.shortest = recipe.longest = 100;
    recipe.error = 0.05;
    recipe.indel_error = 0.02;
    papara_simulated s;
    check(papara_simulate(&recipe, &s));
    errors e = check_reads(&recipe, &s);
    assert_near((double)e.substituted, 0.05 * (double)(e.letters - e.gained), 0.1);
    assert_near((double)e.gained, 0.01 * (double)e.letters, 0.1);
    assert_near((double)e.lost, 0.01 * (double)e.letters, 0.1);
    papara_simulated_free(&s);
}

/* --- Tree and sequences ------------------------------------------------------------------------------------------ */

/* The length of the path between two tips, of a tree whose parents come before their children. */
static double path_length(const wl_newick *newick, uint32_t a, uint32_t b) {
    double length = 0;
    while (a != b) {
        uint32_t *lower = a > b ? &a : &b;
        length += newick->length[*lower];
        *lower = newick->parent[*lower];
    }
    return length;
}

/* All tips are as deep as asked. Over all pairs of rows, the share of columns that differ is what the tree's paths say. Under Jukes and
   Cantor's model, a column of rate r differs after time t with probability 3/4 (1 - exp(-4/3 r t)). The mean of this over exponential
   rates is t / (1 + 4/3 t). Kimura's model with kappa 2 is within a percent of that here. */
TEST(sequences_differ_as_the_tree_says) {
    for (int protein = 0; protein < 2; protein++) {
        papara_recipe recipe = usual(31);
        recipe.taxa = 30;
        recipe.sites = 20000;
        recipe.reads = 0;
        recipe.indels = 0;
        recipe.alphabet = protein ? PAPARA_PROTEIN : PAPARA_DNA;
        papara_simulated s;
        check(papara_simulate(&recipe, &s));
        wl_newick newick;
        check(wl_newick_parse("tree", s.newick, strlen(s.newick), &newick));
        uint32_t tip[30], tips = 0;
        for (uint32_t v = 0; v < newick.nodes; v++)
            if (newick.first_child[v] == WL_NO_NODE) tip[tips++] = v;
        double found = 0, expected = 0, ceiling = protein ? 20. / 19 : 4. / 3;
        for (uint32_t a = 0; a < tips; a++) {
            assert_near(path_length(&newick, 0, tip[a]), recipe.depth, 1e-4);
            for (uint32_t b = 0; b < a; b++) {
                const char *x = s.row[strtoul(newick.label[tip[a]] + 1, NULL, 10) - 1];
                const char *y = s.row[strtoul(newick.label[tip[b]] + 1, NULL, 10) - 1];
                for (uint32_t c = 0; c < s.sites; c++) found += x[c] != y[c];
                double t = path_length(&newick, tip[a], tip[b]);
                expected += s.sites * t / (1 + ceiling * t);
            }
        }
        assert_near(found, expected, 0.05);
        for (uint32_t t = 0; t < s.taxa; t++) assert_int_equal(letters_in(s.row[t]), s.sites);
        wl_newick_free(&newick);
        papara_simulated_free(&s);
    }
}

/* Deletions take three letters each, on average, and come so often along each branch: seen from the root, a row has lost
   1 - exp(-depth x indels / 2 x 3) of the root's letters. Insertions are as frequent. */
TEST(indels_are_as_frequent_as_asked) {
    papara_recipe recipe = usual(41);
    recipe.taxa = 200;
    recipe.sites = 20000;
    recipe.reads = 0;
    recipe.indels = 0.2;
    papara_simulated s;
    check(papara_simulate(&recipe, &s));
    double whole = 0, tree_length = 0;
    for (uint32_t t = 0; t < s.taxa; t++) whole += letters_in(s.row[t]);
    whole /= s.taxa;
    wl_newick newick;
    check(wl_newick_parse("tree", s.newick, strlen(s.newick), &newick));
    for (uint32_t v = 1; v < newick.nodes; v++) tree_length += newick.length[v];
    wl_newick_free(&newick);
    /* As many letters come as go, so that rows are as long as the root's; and that is what is left of the columns. */
    assert_near(whole, recipe.sites / (1 + tree_length * 0.1 * 3), 0.05);
    /* Columns that most rows have are the root's: a row has lost its share of them. */
    double lost = 0, columns = 0;
    for (uint32_t c = 0; c < s.sites; c++) {
        uint32_t have = 0;
        for (uint32_t t = 0; t < s.taxa; t++) have += s.row[t][c] != '-';
        if (2 * have < s.taxa) continue;
        columns += s.taxa;
        lost += s.taxa - have;
    }
    assert_near(lost / columns, 1 - exp(-recipe.depth * 0.1 * 3), 0.25);
    papara_simulated_free(&s);
}

/* --- The seed ---------------------------------------------------------------------------------------------------- */

static int same(const papara_simulated *a, const papara_simulated *b) {
    int differ = strcmp(a->newick, b->newick);
    for (uint32_t t = 0; t < a->taxa; t++) differ |= strcmp(a->row[t], b->row[t]);
    for (uint32_t q = 0; q < a->reads; q++) {
        differ |= strcmp(a->read[q], b->read[q]) | strcmp(a->read_name[q], b->read_name[q]);
        differ |= a->source[q] != b->source[q];
        differ |= memcmp(a->column[q], b->column[q], strlen(a->read[q]) * sizeof(int32_t));
    }
    return differ == 0;
}

TEST(the_seed_decides) {
    papara_recipe recipe = usual(7), other = usual(8);
    papara_simulated first, again, another;
    check(papara_simulate(&recipe, &first));
    int threads = omp_get_max_threads();
    omp_set_num_threads(threads == 1 ? 3 : 1);
    check(papara_simulate(&recipe, &again));
    omp_set_num_threads(threads);
    check(papara_simulate(&other, &another));
    assert_true(same(&first, &again));
    assert_false(same(&first, &another));
    papara_simulated_free(&first);
    papara_simulated_free(&again);
    papara_simulated_free(&another);
}

static void refuse(papara_recipe recipe, wl_status status, const char *expected) {
    papara_simulated s;
    assert_int_equal(papara_simulate(&recipe, &s), status);
    assert_string_equal(wl_error(), expected);
    assert_null(s.newick);
}

TEST(impossible_recipes_are_refused) {
    papara_recipe r = usual(1);
    r.taxa = 2;
    refuse(r, WL_BAD_USAGE, "found 2 taxa to simulate; expected at least 3");
    r = usual(1);
    r.sites = 0;
    refuse(r, WL_BAD_USAGE, "found 0 sites to simulate; expected 1 to 67108864");
    r = usual(1);
    r.sites = 89;
    refuse(r, WL_BAD_USAGE, "found reads of 30 to 90 letters to simulate; expected lengths from 1 to 89");
    r = usual(1);
    r.shortest = 0;
    refuse(r, WL_BAD_USAGE, "found reads of 0 to 90 letters to simulate; expected lengths from 1 to 600");
    r = usual(1);
    r.depth = NAN;
    refuse(r, WL_BAD_USAGE, "found nan as the depth of a simulation; expected 0 to 100");
    r = usual(1);
    r.error = 1.5;
    refuse(r, WL_BAD_USAGE, "found 1.5 as the error rate of a simulation; expected 0 to 1");
    r = usual(1);
    r.taxa = 1000000000;
    r.sites = 60000000;
    refuse(r, WL_NO_MACHINE, "not enough memory to simulate 1000000000 taxa of 60000000 sites and 300 reads");
}

int main(void) { return run_all_tests(NULL, NULL); }
