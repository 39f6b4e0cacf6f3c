/* The oracle of peeling is right. It is compared with sums over all states of all inner nodes, with the same sums peeled in
   long double without exponents, and with closed forms. Three things must not change a likelihood: where the root is,
   which number a taxon has, and how often a column is written. */
#include <float.h>
#include <math.h>

#include "tests/support/unit.h"
#include "harness/bench/check.h"
#include "peeling/model/model.h"
#include "peeling/problem.h"
#include "peeling/reference.h"
#include "peeling/simulate/simulate.h"
#include "tests/support/inputs.h"
#include "tests/support/serial.h"
#include "tests/support/peeling_transition.h"

static const peeling_owned_input *open_inputs(const char *options, wl_inputs *inputs) {
    return make_inputs("peeling", options, 5, inputs);
}

/* Numbers that are the same but for rounding, or infinite alike. */
static void assert_close(double expected, double found, double tolerance, const char *where) {
    if (expected == found || fabs(expected - found) <= tolerance * fmax(1, fabs(expected))) return;
    fail_msg("%s: expected %.17g, found %.17g", where, expected, found);
}

/* site [patterns] of these data on another tree; the input's matrices are of no use then. */
static void likelihoods(const peeling_input *like, const peeling_data *data, const peeling_tree *tree, double *site) {
    peeling_edge *edges = malloc(sizeof *edges * (2 * tree->tips - 2));
    peeling_join *joins = malloc(sizeof *joins * (tree->tips - 1));
    peeling_input in = *like;
    in.data = *data;
    in.reference_matrix = NULL;
    peeling_tree_work(tree, edges, joins, &in.work);
    peeling_reference(&in, 0, data->patterns, site);
    free(edges);
    free(joins);
}

/* --- Against other computations ---------------------------------------------------------------------------------- */

static int in_set(const peeling_data *data, uint32_t tip, uint32_t pattern, int state) {
    return data->set[data->code[(size_t)tip * data->patterns + pattern]] >> state & 1;
}

/* Equation 2 without any rearrangement: over all rates and all states of all inner nodes, the product over all
   branches. P [nodes] [states][states]: of the branch above each node. */
static double brute_site(const peeling_owned_input *made, uint32_t pattern, double *P) {
    const peeling_model *model = &made->model;
    const peeling_tree *tree = &made->tree;
    const int S = model->states;
    int state[16] = {0};
    double likelihood = 0;
    for (int r = 0; r < model->rates; r++) {
        for (uint32_t v = 0; v + 1 < tree->nodes; v++) peeling_transition(model, r, tree->length[v], P + v * S * S);
        for (uint32_t v = tree->tips; v < tree->nodes; v++) state[v] = 0;
        for (int more = 1; more;) {
            double product = model->share[r] * model->frequency[state[tree->nodes - 1]];
            for (uint32_t v = 0; v + 1 < tree->nodes; v++) {
                const double *row = P + (v * S + (uint32_t)state[tree->parent[v]]) * S;
                double factor = v < tree->tips ? 0 : row[state[v]];
                for (int j = 0; v < tree->tips && j < S; j++)
                    if (in_set(&made->input.data, v, pattern, j)) factor += row[j];
                product *= factor;
            }
            likelihood += product;
            more = 0; // the next combination: count up in base S
            for (uint32_t v = tree->tips; !more && v < tree->nodes; v++)
                if (++state[v] < S)
                    more = 1;
                else
                    state[v] = 0;
        }
    }
    return log(likelihood);
}

TEST(all_states_of_inner_nodes) {
    static const char *const cases[] = {
        "--model JC69 --taxa 2 --patterns 16",
        "--model HKY85+G4 --taxa 3 --patterns 40 --missing 0.1",
        "--model GTR+G5 --taxa 4 --patterns 40 --ambiguous 0.3 --missing 0.1",
        "--model GTR+G4 --taxa 5 --patterns 40 --ambiguous 0.2 --tree-shape ladder",
        "--model GTR+G2 --taxa 5 --patterns 40 --tree-shape star",
        "--model GTR+G2 --taxa 5 --patterns 40 --tree-shape balanced --height 3",
        "--model GTR+G2 --taxa 5 --patterns 40 --branches mixed",
        "--model HKY85 --taxa 5 --patterns 40 --branches mixed --kind random",
        "--model K80 --taxa 5 --patterns 40 --height 0 --kind random --missing 0.6",
        "--model WAG+G2 --taxa 3 --patterns 10 --missing 0.1 --ambiguous 0.1",
        "--model WAG --taxa 4 --patterns 3",
        "--model GY94+G2 --taxa 3 --patterns 3 --ambiguous 0.1",
        "--model GY94 --taxa 3 --patterns 3 --code vertebrate-mitochondrial --branches mixed",
        "--model GTR+G8 --taxa 4 --patterns 20 --alpha 0.02",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_inputs inputs;
        const peeling_owned_input *made = open_inputs(cases[i], &inputs);
        const uint32_t patterns = made->input.data.patterns;
        const int S = made->model.states;
        double *site = malloc(sizeof *site * patterns), *P = malloc(sizeof *P * made->tree.nodes * S * S);
        peeling_reference(&made->input, 0, patterns, site);
        for (uint32_t c = 0; c < patterns; c++) assert_close(brute_site(made, c, P), site[c], 1e-12, cases[i]);
        free(site);
        free(P);
        wl_inputs_free(&inputs);
    }
}

/* Of 2,000 taxa the likelihood is near 2^-4000, far below what a double can hold; a long double goes down to
   2^-16000 and needs no exponents. F [nodes][states]. */
static double long_site(const peeling_owned_input *made, uint32_t pattern, const double *matrix) {
    const peeling_tree *tree = &made->tree;
    const int S = made->model.states, R = made->model.rates;
    long double *F = malloc(sizeof *F * tree->nodes * (size_t)S), likelihood = 0;
    for (int r = 0; r < R; r++) {
        for (uint32_t v = 0; v < tree->nodes; v++)
            for (int s = 0; s < S; s++) {
                if (v < tree->tips) {
                    F[v * S + s] = in_set(&made->input.data, v, pattern, s);
                    continue;
                }
                F[v * S + s] = 1;
                for (int c = 0; c < 2; c++) {
                    const uint32_t child = tree->child[v][c];
                    long double sum = 0;
                    for (int j = 0; j < S; j++) sum += matrix[((child * R + r) * S + s) * S + j] * F[child * S + j];
                    F[v * S + s] *= sum;
                }
            }
        for (int s = 0; s < S; s++)
            likelihood += made->model.share[r] * made->model.frequency[s] * F[(tree->nodes - 1) * S + s];
    }
    free(F);
    return (double)logl(likelihood);
}

TEST(large_trees_do_not_underflow) {
    static const char *const cases[] = {
        "--model JC69 --taxa 2000 --patterns 3 --height 5",
        "--model GTR+G4 --taxa 2000 --patterns 3 --height 10 --missing 0.1",
        "--model GTR+G4 --taxa 1000 --patterns 3 --height 1 --tree-shape ladder",
        "--model GTR+G4 --taxa 1000 --patterns 3 --height 1 --kind random --tree-shape star",
        "--model GY94 --taxa 400 --patterns 1 --height 3",
        "--model JC69+R2{1,1e-9,1,2} --taxa 2000 --patterns 3 --height 5", // the classes are 2^4000 apart
    };
    if (LDBL_MIN_EXP > -16000) skip(); // a long double that is a double
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_inputs inputs;
        const peeling_owned_input *made = open_inputs(cases[i], &inputs);
        double site[3], least = 0;
        peeling_reference(&made->input, 0, made->input.data.patterns, site);
        for (uint32_t c = 0; c < made->input.data.patterns; c++) {
            assert_close(long_site(made, c, made->input.reference_matrix), site[c], 1e-12, cases[i]);
            least = fmin(least, site[c]);
        }
        if (least > log(DBL_MIN)) fail_msg("%s: %g would do without exponents", cases[i], least);
        wl_inputs_free(&inputs);
    }
}

/* The oracle's own matrices and the model's, which everything else uses. */
TEST(matrices_are_the_models) {
    static const char *const cases[] = {"--model GTR+G4 --taxa 30 --patterns 1 --branches mixed",
                                        "--model WAG+G4 --taxa 8 --patterns 1 --branches mixed",
                                        "--model GY94 --taxa 8 --patterns 1 --branches mixed"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_inputs inputs;
        const peeling_input *in = &open_inputs(cases[i], &inputs)->input;
        const int S = in->model->states, R = in->model->rates;
        double P[PEELING_STATES_MOST * PEELING_STATES_MOST];
        for (uint32_t e = 0; e < in->work.edge_count; e++)
            for (int r = 0; r < R; r++) {
                const double *own = in->reference_matrix + (size_t)(in->work.edges[e].matrix * R + r) * S * S;
                peeling_transition(in->model, r, in->work.edges[e].length, P);
                for (int k = 0; k < S * S; k++) {
                    assert_true(own[k] >= 0); // not even a little less: the logarithm of that is no number
                    assert_close(P[k], own[k], 1e-13, cases[i]);
                }
            }
        wl_inputs_free(&inputs);
    }
}

TEST(both_compilations_agree) {
    wl_inputs inputs;
    const peeling_input *in = &open_inputs("--model WAG+G4 --taxa 9 --patterns 20 --missing 0.2", &inputs)->input;
    double first[20], second[21];
    peeling_input own = *in;
    own.reference_matrix = NULL; // so that both compute their own
    peeling_reference(&own, 0, 20, first);
    serial_O0_in_parts("peeling", &own, 0, 20, second);
    for (int c = 0; c < 20; c++) assert_close(first[c], second[c], 1e-13, "-O3 and -O0");
    wl_inputs_free(&inputs);
}

/* --- Closed forms ------------------------------------------------------------------------------------------------ */

/* One column for each pair of states: Jukes & Cantor's own formula, over the rate classes. */
TEST(two_tips_under_jukes_cantor) {
    static const double lengths[] = {0, 1e-12, 0.01, 0.3, 2, 50, INFINITY};
    peeling_settings settings = peeling_settings_of(PEELING_JC69);
    settings.rates = 4;
    peeling_model model;
    peeling_tree tree;
    assert_int_equal(peeling_model_make(&settings, &model), WL_OK);
    assert_int_equal(peeling_tree_allocate(2, &tree), WL_OK);
    memcpy(tree.child, (uint32_t[3][2]){{WL_NO_NODE, WL_NO_NODE}, {WL_NO_NODE, WL_NO_NODE}, {0, 1}}, 24);
    memcpy(tree.parent, (uint32_t[3]){2, 2, WL_NO_NODE}, 12);
    uint16_t code[2][16];
    double weight[16], site[16];
    const uint64_t set[4] = {1, 2, 4, 8};
    for (uint16_t c = 0; c < 16; c++) {
        code[0][c] = c / 4;
        code[1][c] = c % 4;
        weight[c] = 1;
    }
    const peeling_data data = {2, 16, weight, code[0], 4, set};
    const peeling_input like = {.precision = PEELING_DOUBLE, .model = &model, .matrices = 2, .partials = 1};
    for (size_t a = 0; a < sizeof lengths / sizeof *lengths; a++)
        for (size_t b = 0; b < sizeof lengths / sizeof *lengths; b++) {
            memcpy(tree.length, (double[3]){lengths[a], lengths[b], 0}, 24);
            likelihoods(&like, &data, &tree, site);
            double same = 0, other = 0;
            for (int r = 0; r < 4; r++) {
                const double changed = -expm1(-4. / 3 * model.rate[r] * (lengths[a] + lengths[b]));
                same += (1 - 0.75 * changed) / 4;
                other += changed / 4 / 4;
            }
            for (int c = 0; c < 16; c++)
                assert_close(log((c / 4 == c % 4 ? same : other) / 4), site[c], 1e-12, "Jukes & Cantor");
        }
    peeling_tree_free(&tree);
}

/* Tips at the ends of infinite branches are independent. If all branches have length 0, all tips are the root. Missing
   characters say nothing. */
TEST(limits) {
    static const char *const cases[] = {"--model GTR+G4 --taxa 9 --patterns 20 --height inf",
                                        "--model GTR+G4 --taxa 9 --patterns 4 --height 0",
                                        "--model GY94 --taxa 3 --patterns 20 --height 0 --kind random",
                                        "--model WAG --taxa 5 --patterns 2 --missing 1"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_inputs inputs;
        const peeling_input *in = &open_inputs(cases[i], &inputs)->input;
        const peeling_data *data = &in->data;
        double site[20];
        peeling_reference(in, 0, data->patterns, site);
        for (uint32_t c = 0; c < data->patterns; c++) {
            const uint16_t first = data->code[c];
            double expected = i == 3 ? 0 : log(in->model->frequency[first]);
            for (uint32_t t = 1; t < data->tips && i != 3; t++) {
                const uint16_t code = data->code[(size_t)t * data->patterns + c];
                if (i == 0)
                    expected += log(in->model->frequency[code]);
                else if (code != first)
                    expected = -INFINITY;
            }
            assert_close(expected, site[c], 1e-12, cases[i]);
        }
        wl_inputs_free(&inputs);
    }
}

/* --- What must not matter ---------------------------------------------------------------------------------------- */

/* Node `from` of the old tree, seen from its neighbour `by`, as a node of the new one; returns its number. */
static uint32_t turn(const peeling_tree *old, uint32_t from, uint32_t by, uint32_t *next, peeling_tree *turned) {
    if (from < old->tips) {
        turned->child[from][0] = turned->child[from][1] = WL_NO_NODE;
        return from;
    }
    const uint32_t root = old->nodes - 1;
    uint32_t around[3] = {old->child[from][0], old->child[from][1], old->parent[from]}, child[2], found = 0;
    double length[2];
    for (int k = 0; k < 3; k++) {
        uint32_t to = around[k];
        double far = to == old->parent[from] ? old->length[from] : old->length[to];
        if (to == root) { // no node any more: its two branches are one
            to = old->child[root][old->child[root][0] == from];
            far += old->length[to];
        }
        if (to == by) continue;
        assert_true(found < 2);
        child[found] = turn(old, to, from, next, turned);
        length[found++] = far;
    }
    const uint32_t node = (*next)++;
    for (int k = 0; k < 2; k++) {
        turned->child[node][k] = child[k];
        turned->parent[child[k]] = node;
        turned->length[child[k]] = length[k];
    }
    return node;
}

/* Felsenstein's pulley principle: the root may be anywhere on any branch. */
TEST(any_root_will_do) {
    static const char *const cases[] = {"--model GTR+G4 --taxa 12 --patterns 30 --ambiguous 0.1",
                                        "--model WAG+G4 --taxa 5 --patterns 5", "--model GY94 --taxa 5 --patterns 3"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_inputs inputs;
        const peeling_owned_input *made = open_inputs(cases[i], &inputs);
        const peeling_tree *old = &made->tree;
        const uint32_t root = old->nodes - 1, *sides = old->child[root];
        double expected[30], site[30];
        peeling_reference(&made->input, 0, made->input.data.patterns, expected);
        for (uint32_t v = 0; v < root; v++)
            for (double share = 0; share <= 1; share += 0.25) {
                peeling_tree turned;
                uint32_t next = old->tips, below = v, above = old->parent[v];
                double length = old->length[v];
                if (above == root) {
                    above = sides[sides[0] == v];
                    length += old->length[above];
                }
                assert_int_equal(peeling_tree_allocate(old->tips, &turned), WL_OK);
                const uint32_t left = turn(old, below, above, &next, &turned);
                const uint32_t right = turn(old, above, below, &next, &turned);
                assert_int_equal(next, root);
                turned.child[root][0] = left;
                turned.child[root][1] = right;
                turned.parent[left] = turned.parent[right] = root;
                turned.parent[root] = WL_NO_NODE;
                turned.length[left] = share * length;
                turned.length[right] = (1 - share) * length;
                turned.length[root] = 0;
                likelihoods(&made->input, &made->input.data, &turned, site);
                for (uint32_t c = 0; c < made->input.data.patterns; c++)
                    assert_close(expected[c], site[c], 1e-12, cases[i]);
                peeling_tree_free(&turned);
            }
        wl_inputs_free(&inputs);
    }
}

/* Taxon t becomes taxon (5 t + 3) mod 12, in the tree and in the data. */
TEST(names_do_not_matter) {
    enum { TAXA = 12, PATTERNS = 30 };
    wl_inputs inputs;
    const peeling_owned_input *made = open_inputs("--model GTR+G4 --taxa 12 --patterns 30 --missing 0.1", &inputs);
    const peeling_tree *tree = &made->tree;
    double expected[PATTERNS], site[PATTERNS];
    uint16_t code[TAXA][PATTERNS];
    uint32_t number[2 * TAXA - 1];
    peeling_tree renamed;
    assert_int_equal(peeling_tree_allocate(TAXA, &renamed), WL_OK);
    for (uint32_t v = 0; v < tree->nodes; v++) number[v] = v < TAXA ? (5 * v + 3) % TAXA : v;
    for (uint32_t v = 0; v < tree->nodes; v++) {
        const uint32_t to = number[v];
        renamed.length[to] = tree->length[v];
        renamed.parent[to] = tree->parent[v];
        for (int k = 0; k < 2; k++) renamed.child[to][k] = v < TAXA ? WL_NO_NODE : number[tree->child[v][1 - k]];
        if (v < TAXA) memcpy(code[to], made->input.data.code + v * PATTERNS, sizeof *code);
    }
    peeling_data data = made->input.data;
    data.code = code[0];
    peeling_reference(&made->input, 0, PATTERNS, expected);
    likelihoods(&made->input, &data, &renamed, site);
    for (int c = 0; c < PATTERNS; c++) assert_close(expected[c], site[c], 1e-13, "renamed");
    peeling_tree_free(&renamed);
    wl_inputs_free(&inputs);
}

/* A weight of 3 is three columns; a slice writes its own site and nothing else. */
TEST(weights_and_slices) {
    enum { PATTERNS = 30 };
    wl_inputs inputs;
    const peeling_input *in = &open_inputs("--model HKY85+G4 --taxa 7 --patterns 30", &inputs)->input;
    double all[PATTERNS + 1], one[PATTERNS + 1], weight[PATTERNS], total = 0;
    peeling_reference(in, 0, PATTERNS, all);
    peeling_input weighted = *in;
    weighted.data.weight = weight;
    for (int c = 0; c < PATTERNS; c++) {
        weight[c] = 1 + c % 3;
        for (int k = 0; k < weight[c]; k++) total += all[c];
    }
    assert_close(total, peeling_reference_total(&weighted, all), 1e-14, "weights");
    for (size_t slice = 0; slice < PATTERNS; slice++) {
        for (int c = 0; c <= PATTERNS; c++) one[c] = 1;
        peeling_reference(in, slice, 1, one);
        for (size_t c = 0; c <= PATTERNS; c++) assert_true(one[c] == (c == slice ? all[c] : 1));
    }
    wl_inputs_free(&inputs);
}

int main(void) { return run_all_tests(NULL, NULL); }
