/* Peeling's random trees and data: sequences are distributed as the model says, trees are of the shape and height
   asked for, patterns are unique wherever there are enough, and all of it is the same on every machine. */
#include <math.h>

#include <omp.h>

#include "tests/support/unit.h"
#include "harness/bench/check.h"
#include "peeling/problem.h"
#include "peeling/simulate/simulate.h"
#include "tests/support/inputs.h"
#include "tests/support/peeling_transition.h"

static const peeling_owned_input *open_seed(const char *options, uint64_t seed, wl_inputs *inputs) {
    return make_inputs("peeling", options, seed, inputs);
}

static const peeling_owned_input *open_inputs(const char *options, wl_inputs *inputs) {
    return open_seed(options, 5, inputs);
}

static uint32_t code_of(const peeling_data *data, uint32_t tip, uint32_t pattern) {
    return data->code[(size_t)tip * data->patterns + pattern];
}

static double columns(const peeling_data *data) {
    double sum = 0;
    for (uint32_t c = 0; c < data->patterns; c++) sum += data->weight[c];
    return sum;
}

/* --- Sequences --------------------------------------------------------------------------------------------------- */

/* Patterns of two tips under a model of unequal frequencies: of 40,000 columns each pair of states has the share
   that the model gives it, sum_r share[r] pi[i] P^(r)(t)[i][j], within five standard deviations. With so few pairs,
   weights count the columns, but for the last ones, which fill up what the pairs cannot. */
TEST(pairs_are_as_frequent_as_expected) {
    static const char *const cases[] = {"--model GTR+G4 --taxa 2 --patterns 2500 --height 0.2",
                                        "--model HKY85 --kappa 5 --taxa 2 --patterns 2500 --height 1.5",
                                        "--model WAG+G4 --alpha 0.3 --taxa 2 --patterns 2500 --height 0.6"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_inputs inputs;
        const peeling_owned_input *made = open_inputs(cases[i], &inputs);
        const peeling_data *data = &made->input.data;
        const int S = made->model.states;
        const double all = columns(data), length = made->tree.length[0] + made->tree.length[1];
        double *seen = calloc((size_t)S * S, sizeof *seen), P[PEELING_STATES_MOST * PEELING_STATES_MOST];
        assert_true(all > 16 * 2500);
        for (uint32_t c = 0; c < data->patterns; c++)
            seen[code_of(data, 0, c) * S + code_of(data, 1, c)] += data->weight[c];
        for (int k = 0; k < S * S; k++) {
            double expected = 0;
            for (int r = 0; r < made->model.rates; r++) {
                peeling_transition(&made->model, r, length, P);
                expected += made->model.share[r] * made->model.frequency[k / S] * P[k];
            }
            const double deviation = sqrt(all * expected * (1 - expected));
            if (fabs(seen[k] - all * expected) > 5 * deviation + 1)
                fail_msg("%s: pair %d-%d: %g of %g columns, expected %g", cases[i], k / S, k % S, seen[k], all,
                         all * expected);
        }
        free(seen);
        wl_inputs_free(&inputs);
    }
}

/* All tips of a large tree have the codons as often as the model: chi-square over the 61, of tips that are far
   apart. */
TEST(codons_have_their_frequencies) {
    wl_inputs inputs;
    const peeling_owned_input *made =
        open_inputs("--model GY94 --taxa 8 --patterns 5000 --tree-shape star --height 20", &inputs);
    const peeling_data *data = &made->input.data;
    double seen[61] = {0}, square = 0;
    assert_true(columns(data) == 5000);
    for (uint32_t t = 0; t < 8; t++)
        for (uint32_t c = 0; c < 5000; c++) seen[code_of(data, t, c)]++;
    for (int s = 0; s < 61; s++) {
        const double expected = 40000 * made->model.frequency[s];
        square += (seen[s] - expected) * (seen[s] - expected) / expected;
    }
    assert_true(square < 60 + 5 * sqrt(120.)); // 60 degrees of freedom
    wl_inputs_free(&inputs);
}

TEST(kinds_are_what_they_say) {
    wl_inputs inputs;
    const peeling_data *data = &open_inputs("--model GY94 --taxa 6 --patterns 400 --kind random", &inputs)->input.data;
    size_t same = 0;
    for (uint32_t c = 0; c < 400; c++) same += code_of(data, 0, c) == code_of(data, 1, c);
    assert_true(same < 30); // 400 / 61 are expected
    wl_inputs_free(&inputs);
    data = &open_inputs("--model GY94 --taxa 6 --patterns 61 --kind identical", &inputs)->input.data;
    for (uint32_t c = 0; c < 61; c++)
        for (uint32_t t = 1; t < 6; t++) assert_int_equal(code_of(data, t, c), code_of(data, 0, c));
    wl_inputs_free(&inputs);
    data = &open_inputs("--model GTR --taxa 4 --patterns 30 --weight 1e12", &inputs)->input.data;
    for (uint32_t c = 0; c < 30; c++) assert_true(data->weight[c] >= 1e12 && fmod(data->weight[c], 1e12) == 0);
    wl_inputs_free(&inputs);
}

/* The shares asked for; every code of the table occurs; the sets of characters that have one state in truth have one
   in common. */
TEST(sets_are_of_the_states) {
    static const struct {
        const char *model;
        uint32_t states;
    } cases[] = {{"GTR", 4}, {"WAG", 20}, {"GY94", 61}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char options[160];
        wl_inputs inputs;
        snprintf(options, sizeof options,
                 "--model %s --taxa 8 --patterns 2000 --height 9 --missing 0.2 --ambiguous 0.5", cases[i].model);
        const peeling_data *data = &open_inputs(options, &inputs)->input.data;
        const uint32_t S = cases[i].states;
        double known = 0, missing = 0, seen[256] = {0};
        assert_int_equal(data->codes, 3 * S + 1);
        for (uint32_t k = 0; k < data->codes; k++) {
            const int size = __builtin_popcountll(data->set[k]);
            if (k < S) assert_true(data->set[k] == (uint64_t)1 << k);
            assert_int_equal(size, k < S ? 1 : k == S ? (int)S : k <= 2 * S ? 2 : 3);
            assert_true(data->set[k] >> S == 0);
        }
        for (uint32_t t = 0; t < 8; t++)
            for (uint32_t c = 0; c < data->patterns; c++) {
                const uint32_t code = code_of(data, t, c);
                assert_true(code < data->codes);
                seen[code]++;
                known += code < S;
                missing += code == S;
            }
        for (uint32_t k = 0; k < data->codes; k++) assert_true(seen[k] > 0);
        assert_true(fabs(missing / 16000 - 0.2) < 0.02 && fabs(known / 16000 - 0.4) < 0.02);
        wl_inputs_free(&inputs);
        snprintf(options, sizeof options, "--model %s --taxa 8 --patterns 500 --kind identical --ambiguous 1",
                 cases[i].model);
        data = &open_inputs(options, &inputs)->input.data;
        for (uint32_t c = 0; c < data->patterns; c++) {
            uint64_t common = ~(uint64_t)0;
            for (uint32_t t = 0; t < 8; t++) common &= data->set[code_of(data, t, c)];
            assert_true(common != 0);
        }
        wl_inputs_free(&inputs);
    }
}

/* --- Patterns ---------------------------------------------------------------------------------------------------- */

static const peeling_data *compared;

static int by_column(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    for (uint32_t t = 0; t < compared->tips; t++)
        if (code_of(compared, t, a) != code_of(compared, t, b))
            return code_of(compared, t, a) < code_of(compared, t, b) ? -1 : 1;
    return 0;
}

static size_t distinct(const peeling_data *data) {
    uint32_t *order = malloc(sizeof *order * data->patterns);
    size_t count = data->patterns > 0;
    compared = data;
    for (uint32_t c = 0; c < data->patterns; c++) order[c] = c;
    qsort(order, data->patterns, sizeof *order, by_column);
    for (uint32_t c = 1; c < data->patterns; c++) count += by_column(&order[c - 1], &order[c]) != 0;
    free(order);
    return count;
}

/* As many as asked for, all different, their weights all columns drawn; where two tips have 16 at most, those and then
   others that repeat. */
TEST(patterns_are_unique) {
    static const struct {
        const char *options;
        size_t distinct;
    } cases[] = {
        {"--model GTR+G4 --taxa 62 --patterns 20000", 20000},
        {"--model GTR+G4 --taxa 8 --patterns 3000", 3000},
        {"--model JC69 --taxa 2 --patterns 16", 16},
        {"--model JC69 --taxa 2 --patterns 100", 16},
        {"--model JC69 --taxa 5 --patterns 9 --height 0", 4},
        {"--model GY94 --taxa 3 --patterns 2 --missing 1", 1},
        {"--model JC69 --taxa 2 --patterns 1", 1},
        {"--model JC69 --taxa 2 --patterns 0", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_inputs inputs;
        const peeling_data *data = &open_inputs(cases[i].options, &inputs)->input.data;
        if (distinct(data) != cases[i].distinct)
            fail_msg("%s: %zu different patterns", cases[i].options, distinct(data));
        for (uint32_t c = 0; c < data->patterns; c++) assert_true(data->weight[c] >= 1);
        if (i == 1) assert_true(columns(data) > 1.2 * data->patterns); // slow columns are often alike
        if (cases[i].distinct < data->patterns) assert_true(columns(data) >= 16. * data->patterns);
        wl_inputs_free(&inputs);
    }
}

/* --- Trees ------------------------------------------------------------------------------------------------------- */

/* What every variant may rely on; returns the number of levels. */
static uint32_t assert_sound(const peeling_tree *tree, double height) {
    uint32_t *level = calloc(tree->nodes, sizeof *level), root = tree->nodes - 1, levels;
    double *distance = calloc(tree->nodes, sizeof *distance), mean = 0;
    int *used = calloc(tree->nodes, sizeof *used);
    assert_int_equal(tree->parent[root], WL_NO_NODE);
    for (uint32_t v = tree->tips; v < tree->nodes; v++)
        for (int k = 0; k < 2; k++) {
            const uint32_t child = tree->child[v][k];
            assert_true(child < v && tree->parent[child] == v && used[child]++ == 0);
            level[v] = level[v] > level[child] + 1 ? level[v] : level[child] + 1;
        }
    for (uint32_t v = root; v-- > 0;) {
        assert_true(tree->length[v] >= 0 && used[v] == 1);
        distance[v] = distance[tree->parent[v]] + tree->length[v];
        if (v < tree->tips) mean += distance[v] / tree->tips;
        if (v < tree->tips) assert_int_equal(tree->child[v][0], WL_NO_NODE);
    }
    assert_true(mean == height || fabs(mean / height - 1) < 1e-12);
    levels = level[root];
    free(level);
    free(distance);
    free(used);
    return levels;
}

TEST(shapes_are_what_they_say) {
    static const uint32_t taxa[] = {2, 3, 5, 64, 100};
    static const double heights[] = {0, 0.3, 1e30, INFINITY};
    for (int shape = 0; shape < PEELING_SHAPES; shape++)
        for (size_t t = 0; t < sizeof taxa / sizeof *taxa; t++)
            for (size_t h = 0; h < sizeof heights / sizeof *heights; h++) {
                const peeling_recipe recipe = {.taxa = taxa[t], .shape = (peeling_shape)shape, .height = heights[h]};
                wl_random random = wl_random_stream(7, t);
                peeling_tree tree;
                assert_int_equal(peeling_simulate_tree(&recipe, &random, &tree), WL_OK);
                const uint32_t levels = assert_sound(&tree, heights[h]);
                const uint32_t least = (uint32_t)ceil(log2(taxa[t]));
                if (shape == PEELING_LADDER || shape == PEELING_STAR) assert_int_equal(levels, taxa[t] - 1);
                if (shape == PEELING_BALANCED) assert_int_equal(levels, least);
                if (shape == PEELING_YULE && taxa[t] == 100) assert_true(levels > least && levels < 40);
                for (uint32_t v = taxa[t]; shape == PEELING_STAR && v < tree.nodes; v++)
                    assert_true(tree.length[v] == 0);
                peeling_tree_free(&tree);
            }
}

/* Yule's tree of three tips: the cherry is any pair of them equally often. Of four: balanced once in three. The time
   with three lineages, of rate 3, is before that with two, of rate 2: of the height a share whose mean is 6 (log 1.5
   - 1/3) = 0.433, about which branches wander by up to a half. */
TEST(yule_trees_are_yules) {
    enum { TREES = 6000 };
    double outside[3] = {0}, balanced = 0, share = 0;
    for (uint64_t i = 0; i < TREES; i++) {
        const peeling_recipe three = {.taxa = 3, .height = 1}, four = {.taxa = 4, .height = 1};
        wl_random random = wl_random_stream(11, i);
        peeling_tree tree;
        assert_int_equal(peeling_simulate_tree(&three, &random, &tree), WL_OK);
        for (uint32_t v = 0; v < 3; v++) outside[v] += tree.parent[v] == 4;
        share += (tree.length[tree.child[3][0]] + tree.length[tree.child[3][1]]) / 2 / TREES;
        peeling_tree_free(&tree);
        assert_int_equal(peeling_simulate_tree(&four, &random, &tree), WL_OK);
        balanced += tree.child[6][0] >= 4 && tree.child[6][1] >= 4;
        peeling_tree_free(&tree);
    }
    for (int v = 0; v < 3; v++) assert_true(fabs(outside[v] / TREES - 1. / 3) < 0.03);
    assert_true(fabs(balanced / TREES - 1. / 3) < 0.03);
    assert_true(fabs(share - 0.433) < 0.012);
}

/* Each of the five lengths, and the tree's own, on about a sixth of the branches. */
TEST(mixed_lengths) {
    const peeling_recipe recipe = {.taxa = 3000, .height = 0.5, .lengths = PEELING_MIXED_LENGTHS};
    wl_random random = wl_random_stream(3, 0);
    peeling_tree tree;
    double zero = 0, tiny = 0, large = 0, huge = 0, infinite = 0, own = 0;
    assert_int_equal(peeling_simulate_tree(&recipe, &random, &tree), WL_OK);
    for (uint32_t v = 0; v + 1 < tree.nodes; v++) {
        const double t = tree.length[v];
        zero += t == 0;
        tiny += t == 1e-9;
        large += t == 20;
        huge += t == 1e9;
        infinite += isinf(t);
        own += t > 0 && t != 1e-9 && t < 20;
    }
    const double counts[] = {zero, tiny, large, huge, infinite, own};
    for (int i = 0; i < 6; i++) assert_true(fabs(counts[i] - 1000) < 150);
    peeling_tree_free(&tree);
}

/* --- The same everywhere ----------------------------------------------------------------------------------------- */

static uint64_t checksum(const peeling_owned_input *made) { // FNV-1a over what is no floating-point number
    const peeling_data *data = &made->input.data;
    uint64_t sum = 0xCBF29CE484222325u;
    for (size_t i = 0; i < data->tips * (size_t)data->patterns; i++) sum = (sum ^ data->code[i]) * 0x100000001B3u;
    for (uint32_t c = 0; c < data->patterns; c++) sum = (sum ^ (uint64_t)data->weight[c]) * 0x100000001B3u;
    for (uint32_t v = 0; v < made->tree.nodes; v++) sum = (sum ^ made->tree.parent[v]) * 0x100000001B3u;
    return sum;
}

/* Seed 5 has these data whatever the machine, the compiler, the library of eigenvectors and the number of threads. */
TEST(data_depend_on_the_seed_only) {
    static const struct {
        const char *options;
        uint64_t checksum;
    } cases[] = {
        {"--model GTR+G4 --taxa 20 --patterns 9000", 0xC613CDA702642ECDu},
        {"--model WAG+G4 --taxa 9 --patterns 500 --missing 0.1 --ambiguous 0.1 --tree-shape balanced",
         0xFD0ABF9F7AC8A290u},
        {"--model GY94+G4 --taxa 12 --patterns 300", 0x5C6D812B88ABAB65u},
        {"--model JC69 --taxa 3 --patterns 100 --kind random --tree-shape ladder", 0x825D9E8C549D6D61u},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_inputs one, many, other;
        const int threads = omp_get_max_threads();
        omp_set_num_threads(1);
        const uint64_t first = checksum(open_inputs(cases[i].options, &one));
        omp_set_num_threads(4);
        const uint64_t second = checksum(open_inputs(cases[i].options, &many));
        omp_set_num_threads(threads);
        const uint64_t third = checksum(open_seed(cases[i].options, 6, &other));
        if (first != cases[i].checksum) fail_msg("%s: checksum 0x%016llX", cases[i].options, (unsigned long long)first);
        assert_true(first == second && first != third);
        wl_inputs_free(&one);
        wl_inputs_free(&many);
        wl_inputs_free(&other);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
