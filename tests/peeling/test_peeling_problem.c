/* Peeling's problem: what is wrong is found and described, whichever number it is; shapes are awkward and
   affordable; options that make no sense are refused; levels, operations and engines are what their headers say.
   That the oracle is right: test_peeling_reference.c. */
#include <math.h>

#include "tests/support/unit.h"
#include "harness/bench/check.h"
#include "peeling/engine/engine.h"
#include "peeling/model/model.h"
#include "peeling/work.h"
#include "peeling/reference.h"
#include "peeling/simulate/simulate.h"
#include "tests/support/inputs.h"

static const wl_problem *peeling(void) { return wl_problem_named("peeling"); }

static wl_status inputs_of(const char *options, wl_inputs *inputs) {
    return create_inputs("peeling", options, 5, inputs);
}

static const peeling_input *open_inputs(const char *options, wl_inputs *inputs) {
    return make_inputs("peeling", options, 5, inputs);
}

/* --- Mistakes ---------------------------------------------------------------------------------------------------- */

enum { PATTERNS = 12, TOTAL = PATTERNS };

/* What a variant should give, the total too, and what the harness has to compare with: no total. */
typedef struct {
    wl_inputs inputs;
    const peeling_input *in;
    double expected[PATTERNS + 1], right[PATTERNS + 1], wrong[PATTERNS + 1];
    char first[160];
} comparison;

static comparison open_comparison(const char *options) {
    comparison c;
    c.in = open_inputs(options, &c.inputs);
    double *poisoned = wl_poisoned(sizeof c.expected);
    memcpy(c.expected, poisoned, sizeof c.expected);
    free(poisoned);
    peeling_reference(c.in, 0, PATTERNS, c.expected);
    memcpy(c.right, c.expected, sizeof c.right);
    c.right[TOTAL] = peeling_reference_total(c.in, c.expected);
    memcpy(c.wrong, c.right, sizeof c.wrong);
    return c;
}

static size_t wrong_numbers(comparison *c) {
    c->first[0] = '\0';
    return peeling()->compare(c->in, c->expected, c->wrong, c->first, sizeof c->first);
}

/* One number of a right result becomes this one. */
static size_t with(comparison *c, int at, double value) {
    memcpy(c->wrong, c->right, sizeof c->wrong);
    c->wrong[at] = value;
    return wrong_numbers(c);
}

static double poison(void) {
    double value;
    memset(&value, WL_POISON_BYTE, sizeof value);
    return value;
}

/* Every number counts, the total among them, and each precision has its tolerance, of a site and of the total. */
TEST(tolerances) {
    static const struct {
        const char *options;
        double site, total;
    } cases[] = {{"--model GTR+G4 --taxa 20 --patterns 12", 1e-10, 1e-10},
                 {"--model GTR+G4 --taxa 20 --patterns 12 --precision single", 1e-5, 1e-6},
                 {"--model GTR+G4 --taxa 20 --patterns 12 --weight 1e9", 1e-10, 1e-10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        comparison c = open_comparison(cases[i].options);
        assert_int_equal(wrong_numbers(&c), 0);
        for (int at = 0; at <= TOTAL; at++) {
            const double tolerance = at == TOTAL ? cases[i].total : cases[i].site;
            assert_true(c.right[at] < -1);
            for (int sign = -1; sign <= 1; sign += 2) {
                assert_int_equal(with(&c, at, c.right[at] * (1 + 0.9 * sign * tolerance)), 0);
                assert_int_equal(with(&c, at, c.right[at] * (1 + 1.1 * sign * tolerance)), 1);
            }
            assert_non_null(strstr(c.first, at == TOTAL ? "total" : "site"));
        }
        wl_inputs_free(&c.inputs);
    }
}

/* Where every likelihood is 1, and its logarithm 0, a result that nobody wrote is near enough as a number. */
TEST(what_is_no_likelihood_fails) {
    static const char *const cases[] = {"--model GTR+G4 --taxa 5 --patterns 12 --missing 1",
                                        "--model GTR+G4 --taxa 20 --patterns 12",
                                        "--model GTR+G4 --taxa 20 --patterns 12 --precision single",
                                        "--model JC69 --taxa 9 --patterns 12 --height 0 --kind random"};
    const double bad[] = {NAN, -NAN, INFINITY, poison(), 1, -1e300};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        comparison c = open_comparison(cases[i]);
        for (int at = 0; at <= TOTAL; at++)
            for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) assert_int_equal(with(&c, at, bad[b]), 1);
        for (int at = 0; at <= TOTAL; at++) c.wrong[at] = poison();
        assert_int_equal(wrong_numbers(&c), PATTERNS + 1);
        for (int at = 0; at <= TOTAL; at++) c.wrong[at] = NAN;
        assert_int_equal(wrong_numbers(&c), PATTERNS + 1);
        wl_inputs_free(&c.inputs);
    }
}

/* -infinity is right where a column is impossible, and nowhere else; one such column makes the total -infinity. */
TEST(impossible_columns) {
    comparison c = open_comparison("--model JC69 --taxa 3 --patterns 12 --height 0 --kind random --missing 0.3");
    int possible = -1, impossible = -1;
    for (int at = 0; at < PATTERNS; at++) *(isinf(c.right[at]) ? &impossible : &possible) = at;
    assert_true(possible >= 0 && impossible >= 0 && isinf(c.right[TOTAL]));
    assert_int_equal(wrong_numbers(&c), 0);
    assert_int_equal(with(&c, impossible, -745), 1);
    assert_int_equal(with(&c, possible, -INFINITY), 1);
    assert_int_equal(with(&c, TOTAL, -1e5), 1);
    wl_inputs_free(&c.inputs);
    c = open_comparison("--model GTR+G4 --taxa 20 --patterns 12");
    assert_int_equal(with(&c, 3, -INFINITY), 1);
    assert_int_equal(with(&c, TOTAL, -INFINITY), 1);
    wl_inputs_free(&c.inputs);
}

TEST(mistakes_are_described) {
    comparison c = open_comparison("--model GTR+G4 --taxa 20 --patterns 12");
    const struct {
        int at;
        double found;
        const char *text;
    } cases[] = {
        {4, poison(), "(never written)"},   {4, NAN, "nan (infinity less infinity, or 0 by infinity?)"},
        {4, -INFINITY, "-inf (underflow)"}, {4, c.right[4] - 7 * log(2), "(an exponent lost, or twice)"},
        {TOTAL, 0, "total: expected "},     {TOTAL, c.right[TOTAL] / 2, "total: expected "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(with(&c, cases[i].at, cases[i].found), 1);
        if (!strstr(c.first, cases[i].text)) fail_msg("%s", c.first);
        if (cases[i].at != TOTAL && strncmp(c.first, "site[pattern=4]: expected -", 27) != 0) fail_msg("%s", c.first);
    }
    wl_inputs_free(&c.inputs);
}

/* The harness checks serial variants on a prefix of the slices: it checks those sites, no others, and no total. */
TEST(prefixes_are_checked) {
    comparison c = open_comparison("--model GTR+G4 --taxa 20 --patterns 12");
    wl_verdict verdict;
    for (size_t slices = 1; slices < PATTERNS; slices++) {
        memcpy(c.wrong, c.right, sizeof c.wrong);
        for (size_t at = slices; at <= TOTAL; at++) c.wrong[at] = poison();
        assert_int_equal(wl_check_output(&c.inputs, 0, c.wrong, slices, &verdict), WL_OK);
        memcpy(c.wrong, c.right, sizeof c.wrong);
        c.wrong[slices - 1] *= 1.001;
        assert_int_equal(wl_check_output(&c.inputs, 0, c.wrong, slices, &verdict), WL_CHECK_FAILED);
    }
    // The whole: here the total counts, 0 among others.
    const double totals[] = {c.right[TOTAL], 0, poison(), c.right[TOTAL] * 1.001};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        memcpy(c.wrong, c.right, sizeof c.wrong);
        c.wrong[TOTAL] = totals[i];
        assert_int_equal(wl_check_output(&c.inputs, 0, c.wrong, 0, &verdict), i ? WL_CHECK_FAILED : WL_OK);
    }
    wl_inputs_free(&c.inputs);
}

/* The result of other data, and that of the same data under another model, are no results. */
TEST(stale_results_fail) {
    comparison c = open_comparison("--model GTR+G4 --taxa 20 --patterns 12");
    comparison other = open_comparison("--model GTR+G4 --taxa 20 --patterns 12 --alpha 0.6");
    memcpy(c.wrong, other.right, sizeof c.wrong);
    assert_int_equal(wrong_numbers(&c), PATTERNS + 1);
    wl_inputs_free(&c.inputs);
    wl_inputs_free(&other.inputs);
}

/* --- Shapes ------------------------------------------------------------------------------------------------------ */

/* Affordable on the simulated device, and with everything in them that goes wrong easily. */
TEST(shapes_are_cheap_and_awkward) {
    double operations = 0;
    size_t impossible[2] = {0}, possible_beside[2] = {0}, certain[2] = {0}, deep[2] = {0}, empty = 0, sets = 0,
           zero = 0, infinite = 0, tiny_rate = 0;
    size_t states[PEELING_STATES_MOST + 1] = {0}, rates[PEELING_RATES_MOST + 1] = {0}, patterns[2000] = {0};
    for (const char *const *shape = peeling()->check_shapes; *shape; shape++) {
        wl_inputs inputs;
        const void *expected;
        const peeling_input *in = open_inputs(*shape, &inputs);
        const int single = in->precision == PEELING_SINGLE, S = in->model->states, R = in->model->rates;
        operations +=
            in->work.edge_count * (double)R * S * S * S + in->work.join_count * 2. * R * in->data.patterns * S * S;
        empty += in->data.patterns == 0;
        sets += in->data.codes > (uint32_t)S + 1;
        states[S]++;
        rates[R]++;
        patterns[in->data.patterns]++;
        tiny_rate += in->model->rate[0] < 1e-6;
        for (uint32_t e = 0; e < in->work.edge_count; e++) {
            zero += in->work.edges[e].length == 0;
            infinite += isinf(in->work.edges[e].length) != 0;
        }
        assert_int_equal(wl_inputs_expected(&inputs, 0, &expected), WL_OK);
        const double *site = expected;
        size_t here = 0;
        for (uint32_t c = 0; c < in->data.patterns; c++) {
            assert_true(site[c] <= 1e-12); // and no NaN
            here += isinf(site[c]) != 0;
            certain[single] += fabs(site[c]) < 1e-12;
            deep[single] += site[c] < 126 * -log(2);
        }
        impossible[single] += here;
        possible_beside[single] += here > 0 && here < in->data.patterns;
        wl_inputs_free(&inputs);
    }
    print_message("%.1f million multiplications\n", 1e-6 * operations);
    assert_true(operations < 47e6);
    assert_true(states[4] && states[20] && states[60] >= 2 && states[61] >= 2);
    assert_true(rates[1] && rates[2] && rates[4] && rates[5] && rates[8]);
    static const int sizes[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) assert_true(patterns[sizes[i]] > 0);
    assert_true(empty == 2 && sets > 4 && zero > 20 && infinite > 20 && tiny_rate > 0);
    for (int single = 0; single < 2; single++)
        assert_true(impossible[single] > 5 && possible_beside[single] && certain[single] && deep[single] + !single);
}

/* The default is the paper's data, and what the simulated device gets is small. */
TEST(shapes_read_well) {
    static const struct {
        const char *options, *shape;
        double work;
    } cases[] = {
        {"--model GTR+G4 --taxa 5 --patterns 40", "5x40s4r4 double", 4. * 4 * 40 * 4 * 15 + 8 * 4 * (2 * 64 + 16)},
        {"--model GY94 --code vertebrate-mitochondrial --taxa 3 --patterns 9 --precision single", "3x9s60r1 single",
         2. * 9 * 60 * 239 + 4 * (2 * 216000 + 3600)},
        {"--taxa 3 --patterns 0", "3x0s61r4 double", 4. * 4 * (2 * 226981 + 3721)},
    };
    char text[96];
    wl_inputs inputs;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const peeling_input *in = open_inputs(cases[i].options, &inputs);
        peeling()->shape(in, text, sizeof text);
        assert_string_equal(text, cases[i].shape);
        assert_true(peeling()->work(in) == cases[i].work);
        wl_inputs_free(&inputs);
    }
    const peeling_input *in = open_inputs("", &inputs);
    peeling()->shape(in, text, sizeof text);
    assert_string_equal(text, "62x3600s61r4 double");
    wl_inputs_free(&inputs);
    in = open_inputs(peeling()->small_arguments, &inputs);
    assert_true(peeling()->work(in) < 1e6);
    wl_inputs_free(&inputs);
}

/* By hand: two cherries of known states take a product each state at their joins, and sums at the root alone; a set
   of three states is two additions. */
TEST(operations_done) {
    wl_inputs inputs;
    peeling_input in = *open_inputs("--model GTR+G2 --taxa 4 --patterns 10 --tree-shape balanced", &inputs);
    const double matrices = 6 * 2 * (2 * 64 + 16), products = 3 * 2 * 10 * 4, sums = 2 * 2 * 10 * 4 * 7;
    assert_true(peeling_operations_done(&in) == matrices + products + sums);
    const uint64_t set[4] = {1, 2, 4, 7};
    double more = 0;
    for (uint32_t i = 0; i < 4 * 10; i++) more += in.data.code[i] == 3 ? 2 * 2 * 4 : 0;
    in.data.set = set;
    assert_true(more > 0 && peeling_operations_done(&in) == matrices + products + sums + more);
    wl_inputs_free(&inputs);
}

/* --- Levels ------------------------------------------------------------------------------------------------------ */

/* Whatever the tree: joins of a level need none of their own or later levels, each is one above its higher child,
   each is there once, and those of a level keep their order. */
TEST(levels_are_levels) {
    for (int shape = 0; shape < PEELING_SHAPES; shape++)
        for (uint32_t taxa = 2; taxa < 70; taxa += 1 + taxa / 4) {
            const peeling_recipe recipe = {.taxa = taxa, .shape = (peeling_shape)shape, .height = 1};
            wl_random random = wl_random_stream(taxa, 0);
            peeling_tree tree;
            peeling_edge edges[140];
            peeling_join joins[70], ordered[70];
            peeling_work work;
            uint32_t first[71], scratch[140], level[140] = {0}, at[140];
            assert_int_equal(peeling_simulate_tree(&recipe, &random, &tree), WL_OK);
            peeling_tree_work(&tree, edges, joins, &work);
            const uint32_t levels = peeling_levels(&work, tree.nodes, ordered, first, scratch);
            for (uint32_t j = 0; j < taxa - 1; j++) at[joins[j].to] = j;
            assert_true(first[0] == 0 && first[levels] == taxa - 1);
            for (uint32_t l = 0; l < levels; l++) {
                assert_true(first[l] < first[l + 1]);
                for (uint32_t j = first[l]; j < first[l + 1]; j++) {
                    const peeling_join *join = &ordered[j];
                    const uint32_t a = level[join->child[0]], b = level[join->child[1]];
                    assert_memory_equal(join, &joins[at[join->to]], sizeof *join);
                    if (j > first[l]) assert_true(at[ordered[j - 1].to] < at[join->to]);
                    assert_int_equal(a > b ? a : b, l);
                    level[join->to] = l + 1;
                }
            }
            peeling_tree_free(&tree);
        }
    // A part of a tree: what was computed earlier is there as tips are.
    const peeling_join part[] = {{7, {5, 2}, {0, 0}}, {8, {7, 6}, {0, 0}}};
    const peeling_work work = {.joins = part, .join_count = 2};
    peeling_join ordered[2];
    uint32_t first[3], scratch[9];
    assert_int_equal(peeling_levels(&work, 9, ordered, first, scratch), 2);
    const peeling_work none = {0};
    assert_int_equal(peeling_levels(&none, 9, ordered, first, scratch), 0);
    assert_int_equal(first[0], 0);
}

/* --- Engines ----------------------------------------------------------------------------------------------------- */

static const char *never(const wl_device *device, const void *input) {
    (void)device, (void)input;
    return "this never runs";
}

/* The last by name that supports the input, but no library unless it is named; and, unless it is for the input's work
   only, one that keeps partials before any that does not. */
TEST(engines_are_found) {
    static const wl_variant variants[] = {
        {.problem = "peeling", .name = "98_test", .backend = WL_SIM},
        {.problem = "peeling", .name = "99_test", .backend = WL_SIM, .supports = never},
        {.problem = "peeling", .name = "library_test", .backend = WL_SIM},
        {.problem = "peeling", .name = "97_test", .backend = WL_SIM}};
    static const peeling_engine engines[] = {{.variant = &variants[0]},
                                             {.variant = &variants[1]},
                                             {.variant = &variants[2]},
                                             {.variant = &variants[3], .keeps_partials = 1}};
    const wl_device device = {.backend = WL_SIM}, cpu = {.backend = WL_CPU};
    wl_inputs inputs;
    const peeling_input *input = open_inputs(peeling()->small_arguments, &inputs);
    peeling_input work_only = *input;
    const char *why = NULL;
    work_only.work_only = 1;
    for (int e = 0; e < 3; e++) peeling_register_engine(&engines[e]);
    assert_ptr_equal(peeling_engine_find(&device, NULL, input, NULL), &engines[0]); // nothing keeps partials
    peeling_register_engine(&engines[3]);
    assert_ptr_equal(peeling_engine_find(&device, NULL, input, NULL), &engines[3]);
    assert_ptr_equal(peeling_engine_find(&device, NULL, &work_only, NULL), &engines[0]);
    assert_ptr_equal(peeling_engine_find(&device, "98_test", input, &why), &engines[0]);
    assert_ptr_equal(peeling_engine_find(&device, "library_test", input, &why), &engines[2]);
    assert_null(why);
    assert_null(peeling_engine_find(&device, "99_test", input, &why));
    assert_string_equal(why, "99_test: this never runs");
    assert_null(peeling_engine_find(&cpu, "98_test", input, &why));
    assert_string_equal(why, "found no variant '98_test' of peeling for the backend cpu");
    wl_inputs_free(&inputs);
}

/* --- Options ----------------------------------------------------------------------------------------------------- */

/* The option that is wrong is named, and what was expected in its place. */
TEST(bad_options_are_refused) {
    static const char *const bad[] = {
        "--taxa 1",
        "--taxa x",
        "--patterns -1",
        "--precision half",
        "--tree-shape bush",
        "--height -1",
        "--height nan",
        "--height 1x",
        "--branches none",
        "--kind odd",
        "--missing 1.01",
        "--ambiguous -0.1",
        "--ambiguous",
        "--weight 0",
        "--weight inf",
        "--alpha 0",
        "--alpha inf",
        "--kappa 0",
        "--omega -1",
        "--code mars",
        // what would change nothing
        "--kappa 3 --model GTR",
        "--omega 1 --model HKY85",
        "--alpha 1 --model GTR",
        "--code standard --model WAG",
        "--trace t",
        "--trace-every 5 --chain 9",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        wl_inputs inputs;
        wl_arguments arguments;
        char option[32];
        sscanf(bad[i], "%31s", option);
        wl_status status = wl_arguments_parse(peeling()->options, bad[i], &arguments);
        if (status == WL_OK) {
            status = wl_inputs_create(peeling(), &arguments, 5, 0, &inputs);
            free(arguments.values);
        }
        if (status != WL_BAD_USAGE) fail_msg("%s was taken", bad[i]);
        if (!strstr(wl_error(), option)) fail_msg("%s: %s", bad[i], wl_error());
    }
    wl_inputs inputs;
    assert_int_equal(inputs_of("--model F99", &inputs), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "F99"));
    assert_int_equal(inputs_of("--taxa 16777216 --patterns 268435456 --model JC69", &inputs), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "memory"));
}

int main(void) { return run_all_tests(NULL, NULL); }
