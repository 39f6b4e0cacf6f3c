/* The chain samples what it should: its priors without data; a posterior known by quadrature; topologies in the
   proportions of an exact integral. Every backend takes the same steps, and what it keeps is what the tree gives from
   scratch. */
#include <math.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "tools/likelihood/chain/trace.h"
#include "peeling/options.h"
#include "peeling/reference.h"
#include "peeling/simulate/simulate.h"

enum { DEVICES = 3 };

static void must(wl_status status, const char *what) {
    if (status != WL_OK) fail_msg("%s: %s", what, wl_error());
}

static void assert_near(double expected, double found, double tolerance, const char *what) {
    if (fabs(found - expected) <= tolerance) return;
    fail_msg("%s: expected %.10g, found %.10g, more than %g away", what, expected, found, tolerance);
}

static void make(const char *options, peeling_recipe *recipe, peeling_owned_input *made) {
    wl_arguments arguments;
    must(wl_arguments_parse(peeling_options, options, &arguments), options);
    must(peeling_options_recipe(&arguments, 7, recipe), options);
    free(arguments.values);
    must(peeling_simulate(recipe, made), options);
}

/* The CPU, or the simulated device, several times over. */
static void list(const char *request, wl_device *devices) {
    wl_device_list all;
    must(wl_devices_select(request, &all), request);
    for (size_t i = 0; i < DEVICES; i++) devices[i] = all.items[all.count - 1];
}

static peeling_chain *open_chain(const char *request, const char *variant, size_t devices,
                                 const peeling_owned_input *made, const peeling_recipe *recipe,
                                 const peeling_chain_options *options) {
    wl_device all[DEVICES];
    peeling_chain *chain = NULL;
    list(request, all);
    must(peeling_chain_open(all, devices, variant, &made->input, &made->tree, &recipe->settings, options, &chain),
         variant ? variant : "best");
    return chain;
}

/* --- Known distributions ----------------------------------------------------------------------------------------- */

typedef struct {
    double sum, squares;
    uint64_t count;
} moments;
static void note(moments *m, double value) {
    m->sum += value;
    m->squares += value * value;
    m->count++;
}
static double mean(const moments *m) { return m->sum / (double)m->count; }
static double deviation(const moments *m) { return sqrt(m->squares / (double)m->count - mean(m) * mean(m)); }

/* Which two of five tips are nearest neighbours, as a number that tells all 15 topologies apart. */
static unsigned topology(const peeling_chain *chain) {
    peeling_tree tree;
    unsigned cherries = 0;
    must(peeling_chain_tree(chain, 0, &tree), "tree");
    /* Rooted at tip 0: inner nodes' sets of the others, all that have two. */
    unsigned set[16] = {0};
    for (uint32_t v = 0; v < tree.nodes; v++)
        set[v] = v < tree.tips ? 1u << v : set[tree.child[v][0]] | set[tree.child[v][1]];
    for (uint32_t v = tree.tips; v + 1 < tree.nodes; v++) cherries += set[v] * set[v];
    peeling_tree_free(&tree);
    return cherries;
}

TEST(without_data_the_priors) {
    static const char *const cases[] = {"--model HKY85+G4 --taxa 5 --patterns 9",
                                        "--model GTR+G4 --taxa 5 --patterns 9",
                                        "--model GY94+G2 --taxa 4 --patterns 1"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        peeling_recipe recipe;
        peeling_owned_input made;
        make(cases[i], &recipe, &made);
        peeling_chain_options options = peeling_chain_defaults(11);
        options.prior_only = 1;
        for (int m = 0; m < PEELING_MOVES; m++) options.size[m] = 4; // long steps: the priors are wide
        peeling_chain *chain = open_chain("cpu", NULL, 1, &made, &recipe, &options);
        moments length = {0}, parameter[PEELING_PARAMETERS] = {0};
        unsigned seen[64] = {0}, count[64] = {0}, kinds = 0;
        enum { STEPS = 600000 };
        for (int step = 0; step < STEPS; step++) {
            peeling_chain_step done;
            must(peeling_chain_next(chain, &done), cases[i]);
            peeling_settings settings = peeling_chain_here(chain)->settings;
            note(&length, peeling_chain_length(chain));
            for (int p = 0; p < PEELING_PARAMETERS; p++) note(&parameter[p], *peeling_parameter_of(&settings, p));
            if (step % 20 != 0 || made.tree.tips != 5) continue;
            const unsigned found = topology(chain);
            unsigned k = 0;
            while (k < kinds && seen[k] != found) k++;
            if (k == kinds) seen[kinds++] = found;
            count[k]++;
        }
        const double branches = 2 * made.tree.tips - 3;
        assert_near(0.1 * branches, mean(&length), 0.004 * sqrt(branches), "tree length");
        assert_near(0.1 * sqrt(branches), deviation(&length), 0.02 * sqrt(branches), "its deviation");
        for (int p = 0; p < PEELING_PARAMETERS; p++) {
            const peeling_parameter *known = &peeling_chain_parameters[p];
            if (!peeling_has_parameter(&recipe.settings, p)) continue;
            /* Shares of a Dirichlet(1, 1, 1, 1, 1, 1): variance 5 / (36 * 7). */
            if (known->move == PEELING_MOVE_EXCHANGE) {
                assert_near(1. / 6, mean(&parameter[p]), 0.005, known->name);
                assert_near(sqrt(5. / 252), deviation(&parameter[p]), 0.005, known->name);
                continue;
            }
            /* What the lower limit cuts away moves the mean up by as much: an exponential has no memory. */
            assert_near(known->mean + known->low, mean(&parameter[p]), 0.06 * known->mean, known->name);
            assert_near(known->mean, deviation(&parameter[p]), 0.1 * known->mean, known->name);
        }
        if (made.tree.tips == 5) {
            assert_int_equal(kinds, 15);
            for (unsigned k = 0; k < kinds; k++) assert_near(1. / 15, count[k] / (STEPS / 20.), 0.01, "a topology");
        }
        peeling_chain_close(chain);
        peeling_owned_input_free(&made);
    }
}

/* Two sequences that differ in 12 of 100 columns: t's posterior under JC69 is exp(-10 t) (3/4 (1 - q))^12 (1/4 + 3/4
   q)^88 with q = exp(-4 t / 3), up to a factor. */
TEST(two_taxa_by_quadrature) {
    double all = 0, first = 0, second = 0;
    for (double t = 5e-5; t < 2; t += 1e-4) {
        const double q = exp(-4 * t / 3);
        const double density = exp(-10 * t + 12 * log(0.75 * (1 - q)) + 88 * log(0.25 + 0.75 * q) + 40);
        all += density;
        first += density * t;
        second += density * t * t;
    }
    peeling_recipe recipe;
    peeling_owned_input made;
    make("--model JC69 --taxa 2 --patterns 2", &recipe, &made);
    const uint16_t code[4] = {0, 0, 0, 3}; // AA and AT
    const double weight[2] = {88, 12};
    made.input.data.code = code;
    made.input.data.weight = weight;
    const peeling_chain_options options = peeling_chain_defaults(3);
    peeling_chain *chain = open_chain("cpu", "serial_O3", 1, &made, &recipe, &options);
    moments length = {0};
    for (int step = 0; step < 200000; step++) {
        peeling_chain_step done;
        must(peeling_chain_next(chain, &done), "step");
        assert_int_equal(done.move, PEELING_MOVE_BRANCH); // there is nothing else
        note(&length, peeling_chain_length(chain));
    }
    const double expected = first / all;
    assert_near(expected, mean(&length), 0.01 * expected, "mean of t");
    const double spread = sqrt(second / all - expected * expected);
    assert_near(spread, deviation(&length), 0.03 * spread, "deviation of t");
    peeling_chain_close(chain);
    peeling_owned_input_free(&made);
}

/* Four taxa under JC69. Each of the five branches has its x = exp(-4 t / 3). P is 1/4 + 3/4 x for no change and
   1/4 - 1/4 x for one particular change. So a column's likelihood is a polynomial in five x. The likelihood of COLUMNS
   columns has degree COLUMNS in each x. If t is exponential with mean m, the mean of x^k is 1 / (1 + 4/3 k m), and the
   mean of t x^k is m times the square of that. So the integrals are exact. */
enum { BRANCHES = 5, COLUMNS = 4, TERMS = 3125 }; // (COLUMNS + 1)^BRANCHES
static const char columns[COLUMNS][5] = {"AACC", "AATT", "AAAA", "ACAC"};

/* polynomial [TERMS]: times the likelihood of a column where tips a and b, c and d are neighbours. */
static void times_column(const int tips[4], const char *column, double *polynomial) {
    double linear[1 << BRANCHES] = {0}, product[TERMS] = {0};
    for (int inner = 0; inner < 16; inner++) {
        const int one = inner / 4, other = inner % 4;
        double terms[1 << BRANCHES] = {[0] = 0.25};
        for (int b = 0; b < BRANCHES; b++) {
            const char letters[] = "ACGT";
            const int same = b == 4 ? one == other : letters[b < 2 ? one : other] == column[tips[b]];
            for (int mask = (1 << b) - 1; mask >= 0; mask--) {
                terms[mask | 1 << b] = terms[mask] * (same ? 0.75 : -0.25);
                terms[mask] *= 0.25;
            }
        }
        for (int mask = 0; mask < 1 << BRANCHES; mask++) linear[mask] += terms[mask];
    }
    for (int mask = 0; mask < 1 << BRANCHES; mask++) {
        int shift = 0;
        for (int b = 0, place = 1; b < BRANCHES; b++, place *= COLUMNS + 1) shift += mask >> b & 1 ? place : 0;
        for (int i = 0; i + shift < TERMS; i++) product[i + shift] += polynomial[i] * linear[mask];
    }
    memcpy(polynomial, product, sizeof product);
}

/* The integral of the likelihood over the priors, and of the likelihood times the tree's length. */
static double integral(const int tips[4], double *length) {
    static double polynomial[TERMS];
    double sum = 0;
    memset(polynomial, 0, sizeof polynomial);
    polynomial[0] = 1;
    for (int c = 0; c < COLUMNS; c++) times_column(tips, columns[c], polynomial);
    *length = 0;
    for (int i = 0; i < TERMS; i++) {
        double expectation = 1, mean_length = 0;
        for (int b = 0, rest = i; b < BRANCHES; b++, rest /= COLUMNS + 1) {
            const double one = 1 / (1 + 4. / 3 * (rest % (COLUMNS + 1)) * 0.1);
            expectation *= one;
            mean_length += 0.1 * one;
        }
        sum += polynomial[i] * expectation;
        *length += polynomial[i] * expectation * mean_length;
    }
    return sum;
}

TEST(topologies_by_exact_integrals) {
    static const int topologies[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
    double weight[3], all = 0, length = 0;
    for (int k = 0; k < 3; k++) {
        double part;
        all += weight[k] = integral(topologies[k], &part);
        length += part;
    }
    assert_true(weight[0] > 2 * weight[1] && weight[1] > 1.1 * weight[2]); // else there is little to see
    peeling_recipe recipe;
    peeling_owned_input made;
    make("--model JC69 --taxa 4 --patterns 4", &recipe, &made);
    uint16_t code[4 * COLUMNS];
    double ones[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        ones[c] = 1;
        for (int t = 0; t < 4; t++) code[t * COLUMNS + c] = (uint16_t)(strchr("ACGT", columns[c][t]) - "ACGT");
    }
    made.input.data.code = code;
    made.input.data.weight = ones;
    const peeling_chain_options options = peeling_chain_defaults(4);
    peeling_chain *chain = open_chain("cpu", "serial_O3", 1, &made, &recipe, &options);
    moments lengths = {0};
    unsigned count[3] = {0};
    enum { STEPS = 400000 };
    for (int step = 0; step < STEPS; step++) {
        peeling_chain_step done;
        must(peeling_chain_next(chain, &done), "step");
        note(&lengths, peeling_chain_length(chain));
        if (step % 4 != 0) continue;
        peeling_tree tree;
        must(peeling_chain_tree(chain, 0, &tree), "tree");
        /* Rooted at tip 0, tip 0's neighbour is the one that is not in the cherry. */
        const uint32_t below = tree.child[tree.nodes - 1][1];
        const uint32_t neighbour = tree.child[below][tree.child[below][0] >= tree.tips];
        assert_in_range(neighbour, 1, 3);
        count[neighbour - 1]++;
        peeling_tree_free(&tree);
    }
    for (int k = 0; k < 3; k++) assert_near(weight[k] / all, count[k] / (STEPS / 4.), 0.012, "a topology's share");
    assert_near(length / all, mean(&lengths), 0.015 * length / all, "tree length");
    peeling_chain_close(chain);
    peeling_owned_input_free(&made);
}

/* --- Every backend the same -------------------------------------------------------------------------------------- */

typedef struct {
    const char *device, *variant;
    size_t devices;
    double tolerance; // relative, of log-likelihoods
} other;

static void compare_chains(const char *arguments, int steps, const other *others, size_t count) {
    peeling_recipe recipe;
    peeling_owned_input made;
    make(arguments, &recipe, &made);
    peeling_chain_options options = peeling_chain_defaults(5);
    options.tuned = (uint64_t)steps / 2;
    peeling_chain_step *expected = malloc((size_t)steps * sizeof *expected);
    peeling_chain *chain = open_chain("cpu", "serial_O3", 1, &made, &recipe, &options);
    int accepted = 0;
    for (int i = 0; i < steps; i++) {
        must(peeling_chain_next(chain, &expected[i]), arguments);
        accepted += expected[i].accepted;
    }
    assert_true(accepted > steps / 20 && accepted < steps); // both happen
    peeling_chain_close(chain);
    for (size_t k = 0; k < count; k++) {
        char what[160];
        chain = open_chain(others[k].device, others[k].variant, others[k].devices, &made, &recipe, &options);
        for (int i = 0; i < steps; i++) {
            peeling_chain_step done;
            snprintf(what, sizeof what, "%s, %s on %s, step %d", arguments, peeling_chain_engine(chain)->variant->name,
                     others[k].device, i);
            must(peeling_chain_next(chain, &done), what);
            if (done.move != expected[i].move || done.accepted != expected[i].accepted)
                fail_msg("%s: %s %d, expected %s %d", what, peeling_move_names[done.move], done.accepted,
                         peeling_move_names[expected[i].move], expected[i].accepted);
            if (isfinite(expected[i].log_likelihood))
                assert_near(expected[i].log_likelihood, done.log_likelihood,
                            others[k].tolerance * fabs(expected[i].log_likelihood), what);
        }
        double scratch = NAN;
        must(peeling_chain_scratch(chain, &scratch), what);
        const double kept = peeling_chain_here(chain)->log_likelihood;
        assert_near(scratch, kept, others[k].tolerance * fabs(kept), what);
        peeling_chain_close(chain);
    }
    free(expected);
    peeling_owned_input_free(&made);
}

TEST(the_same_steps_everywhere) {
    static const other cpu[] = {{"cpu", NULL, 1, 1e-11}, {"cpu", "serial_O3", 3, 1e-11}, {"cpu", NULL, 2, 1e-11}};
    static const other sim[] = {{"sim", "01_naive", 1, 1e-11}, {"sim", "01_naive", 3, 1e-11}, {"sim", NULL, 1, 1e-11}};
    static const other whole[] = {{"sim", "08_fused", 1, 1e-11}};
    compare_chains("--model GTR+G4 --taxa 12 --patterns 60", 400, cpu, 3);
    compare_chains("--model GY94+G2 --taxa 6 --patterns 20 --code vertebrate-mitochondrial", 60, cpu, 3);
    compare_chains("--model WAG+G2 --taxa 5 --patterns 10 --tree-shape ladder", 100, cpu, 3);
    compare_chains("--model K80 --taxa 3 --patterns 10 --tree-shape star", 100, cpu, 1); // no interchange
    compare_chains("--model HKY85+G2 --taxa 7 --patterns 20", 25, sim, 3);
    compare_chains("--model HKY85+G2 --taxa 7 --patterns 20", 12, whole, 1);
}

/* After many steps, what is kept is the reference's likelihood of the tree, wherever that is rooted, and its matrices
   and partials were never touched by what was rejected. */
TEST(kept_is_from_scratch) {
    static const char *const cases[] = {
        "--model GTR+G4 --taxa 9 --patterns 30 --missing 0.1 --ambiguous 0.1",
        "--model HKY85 --taxa 4 --patterns 20 --tree-shape balanced",
        "--model HKY85+G2 --taxa 5 --patterns 20 --tree-shape ladder --branches mixed",
        "--model JC69 --taxa 30 --patterns 20",
    };
    uint64_t accepted = 0, rejected = 0; // interchanges
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        peeling_recipe recipe;
        peeling_owned_input made;
        make(cases[i], &recipe, &made);
        peeling_chain_options options = peeling_chain_defaults(6);
        options.share[PEELING_MOVE_NNI] = 60;
        peeling_chain *chain = open_chain("cpu", "serial_O3", 1, &made, &recipe, &options);
        double *site = malloc(sizeof *site * made.input.data.patterns);
        for (int step = 0; step < 600; step++) {
            peeling_chain_step done;
            must(peeling_chain_next(chain, &done), cases[i]);
            if (step % 7 != 0) continue;
            const double kept = peeling_chain_here(chain)->log_likelihood;
            double scratch = NAN;
            must(peeling_chain_scratch(chain, &scratch), cases[i]);
            assert_near(kept, scratch, 1e-11 * fabs(kept), cases[i]);
            peeling_tree tree;
            peeling_model model;
            peeling_edge edges[64];
            peeling_join joins[32];
            peeling_input input = made.input;
            must(peeling_chain_tree(chain, (uint32_t)step % made.tree.tips, &tree), cases[i]);
            must(peeling_model_make(&peeling_chain_here(chain)->settings, &model), cases[i]);
            peeling_tree_work(&tree, edges, joins, &input.work);
            input.model = &model;
            input.reference_matrix = NULL;
            peeling_reference(&input, 0, input.data.patterns, site);
            assert_near(kept, peeling_reference_total(&input, site), 1e-11 * fabs(kept), cases[i]);
            peeling_tree_free(&tree);
        }
        const peeling_chain_now *now = peeling_chain_here(chain);
        assert_int_equal(now->step, 600);
        accepted += now->accepted[PEELING_MOVE_NNI];
        rejected += now->proposed[PEELING_MOVE_NNI] - now->accepted[PEELING_MOVE_NNI];
        free(site);
        peeling_chain_close(chain);
        peeling_owned_input_free(&made);
    }
    assert_true(accepted > 20 && rejected > 20);
}

TEST(sizes_are_tuned) {
    peeling_recipe recipe;
    peeling_owned_input made;
    make("--model HKY85+G4 --taxa 8 --patterns 100", &recipe, &made);
    peeling_chain_options options = peeling_chain_defaults(8);
    options.tuned = 2000;
    for (int m = 0; m < PEELING_MOVES; m++) options.size[m] = 0.01; // nearly all accepted
    peeling_chain *chain = open_chain("cpu", NULL, 1, &made, &recipe, &options);
    uint64_t proposed[PEELING_MOVES], accepted[PEELING_MOVES];
    for (int step = 0; step < 6000; step++) {
        peeling_chain_step done;
        const peeling_chain_now *now = peeling_chain_here(chain);
        if (now->step == options.tuned) {
            memcpy(proposed, now->proposed, sizeof proposed);
            memcpy(accepted, now->accepted, sizeof accepted);
        }
        must(peeling_chain_next(chain, &done), "step");
    }
    const peeling_chain_now *now = peeling_chain_here(chain);
    for (int m = 0; m < PEELING_MOVES; m++) {
        if (m == PEELING_MOVE_NNI || now->proposed[m] == proposed[m]) continue;
        assert_near(0.3, (double)(now->accepted[m] - accepted[m]) / (double)(now->proposed[m] - proposed[m]), 0.15,
                    peeling_move_names[m]);
    }
    peeling_chain_close(chain);
    peeling_owned_input_free(&made);
}

/* --- What it leaves ---------------------------------------------------------------------------------------------- */

TEST(log_and_trees) {
    char folder[] = "/tmp/warpladder-chain-XXXXXX", path[64], line[1000];
    assert_non_null(mkdtemp(folder));
    peeling_recipe recipe;
    peeling_owned_input made;
    make("--model GTR+G4 --taxa 5 --patterns 20", &recipe, &made);
    const char *names[5] = {"one-1", "two words", "thr=e", "four's\\", "five_5"};
    const peeling_chain_options options = peeling_chain_defaults(9);
    peeling_chain *chain = open_chain("cpu", "serial_O3", 1, &made, &recipe, &options);
    peeling_trace trace;
    must(peeling_trace_open(folder, "run", names, 5, 10, &recipe.settings, &trace), "open");
    must(peeling_trace_note(&trace, chain), "note");
    double scratch[4] = {0};
    for (int step = 0; step < 35; step++) {
        peeling_chain_step done;
        if (step % 10 == 0) scratch[step / 10] = peeling_chain_here(chain)->log_likelihood;
        must(peeling_chain_next(chain, &done), "step");
        must(peeling_trace_note(&trace, chain), "note");
    }
    must(peeling_trace_close(&trace), "close");

    snprintf(path, sizeof path, "%s/run.log", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(line[0], '#');
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "state\tposterior\tlikelihood\tprior\ttreeLength\talpha\trAC\trAG\trAT\trCG\trCT\trGT\n");
    for (int i = 0; i < 4; i++) {
        double number[12];
        int used = 0;
        for (int k = 0; k < 12; k++) assert_int_equal(fscanf(file, "%lf%n", &number[k], &used), 1);
        assert_near(10 * i, number[0], 0, "state");
        assert_near(scratch[i], number[2], 1e-6, "likelihood");
        assert_near(number[1], number[2] + number[3], 1e-6, "posterior");
        double sum = 0;
        for (int k = 6; k < 12; k++) sum += number[k];
        assert_near(1, sum, 1e-6, "rates");
    }
    fclose(file);

    /* What is punctuation to NEXUS is quoted, not to Newick alone. */
    static const char *const heads[5] = {"\t\t1 one-1,\n", "\t\t2 'two words',\n", "\t\t3 'thr=e',\n",
                                         "\t\t4 'four''s\\',\n", "\t\t5 five_5;\n"};
    snprintf(path, sizeof path, "%s/run.trees", folder);
    file = fopen(path, "r");
    assert_non_null(file);
    int trees = 0, ended = 0;
    for (int k = 0; fgets(line, sizeof line, file); k++) {
        if (k == 0) assert_string_equal(line, "#NEXUS\n");
        if (k >= 3 && k < 8) assert_string_equal(line, heads[k - 3]);
        trees += strncmp(line, "tree STATE_", 11) == 0 && strstr(line, "= [&U] (1:") != NULL;
        ended = strcmp(line, "end;\n") == 0;
    }
    assert_int_equal(trees, 4);
    assert_true(ended);
    fclose(file);
    unlink(path);
    snprintf(path, sizeof path, "%s/run.log", folder);
    unlink(path);
    rmdir(folder);
    peeling_chain_close(chain);
    peeling_owned_input_free(&made);
}

int main(void) { return run_all_tests(NULL, NULL); }
