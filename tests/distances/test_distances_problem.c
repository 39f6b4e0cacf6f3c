/* The problem `distances`: its serial reference against brute force on plain numbers, its random instances, options, planes, and
   what a comparison says. */
#include "tests/support/distances_oracle.h"

#include <math.h>

#include "distances/data.h"
#include "distances/planes.h"
#include "distances/problem.h"
#include "harness/bench/problem.h"
#include "tests/support/serial.h"

static const wl_problem *problem;

static int setup(void **state) {
    (void)state;
    problem = wl_problem_named("distances");
    return problem == NULL;
}

static wl_status created(const char *text, uint64_t seed, void **input) {
    wl_arguments arguments;
    assert_int_equal(wl_arguments_parse(problem->options, text, &arguments), WL_OK);
    wl_status status = problem->input_create(&arguments, seed, 0, input);
    free(arguments.values);
    return status;
}

/* --- The reference ------------------------------------------------------------------------------------------------- */

static void reference_is_right(in_parts *function, const char *who) {
    static const uint64_t sites[] = {1, 63, 64, 65, 511, 512, 513};
    static const size_t rows[] = {1, 2, 7}, columns[] = {0, 1, 5};
    for (size_t s = 0; s < COUNT(sites); s++) {
        for (int values = 2; values <= 9; values++) {
            recipe r = {.rows = rows[s % 3], .columns = columns[values % 3], .sites = sites[s], .values = values};
            r.sum = values <= 8 && s % 2 ? DISTANCES_STEPS : DISTANCES_DIFFERENT;
            r.missing = values % 2 ? 20 : 0;
            r.what = (kind)((s + (size_t)values) % KINDS);
            example e = make(r);
            uint32_t *expected = brute_force(&e), *actual = poisoned(&e);
            function("distances", &e.input, e.input.rows.count / 2, e.input.rows.count, actual);
            same(&e, expected, actual, who);
            free(expected);
            free(actual);
            discard(&e);
        }
    }
}

TEST(reference_against_brute_force) {
    reference_is_right(reference_in_parts, "reference");
    reference_is_right(serial_O0_in_parts, "reference -O0");
}

/* A slice writes its row, in both parts, and nothing else. */
TEST(slices_keep_to_themselves) {
    example e = make((recipe){.rows = 6, .columns = 5, .sites = 70, .values = 4, .missing = 10});
    uint32_t *whole = brute_force(&e), *part = poisoned(&e);
    distances_reference(&e.input, 2, 3, part);
    for (size_t at = 0; at < 60; at++) {
        const size_t row = at % 30 / 5;
        assert_int_equal(part[at], row >= 2 && row < 5 ? whole[at] : 0xA5A5A5A5u);
    }
    distances_reference(&e.input, 6, 0, part);
    assert_int_equal(problem->slices(&e.input), 6);
    assert_int_equal(problem->output_size(&e.input), 2 * 30 * 4);
    free(whole);
    free(part);
    discard(&e);
}

/* --- Planes ---------------------------------------------------------------------------------------------------------- */

/* The packer writes what the header says, every word of it, counts what is missing, and the unpacker takes it back. */
TEST(planes) {
    for (uint64_t sites = 1; sites < 1100; sites += sites < 130 ? 1 : 97) {
        for (int values = 2; values <= 128; values += values < 9 ? 1 : 17) {
            const distances_sum sum = values <= 8 && sites % 2 ? DISTANCES_STEPS : DISTANCES_DIFFERENT;
            recipe r = {.rows = 1, .sites = sites, .values = values, .missing = 15, .sum = sum};
            example e = make(r);
            const size_t words = e.input.words, all = (size_t)(e.input.planes + 1) * words;
            uint8_t *value = malloc(sites), *back = malloc(sites);
            uint64_t *bits = malloc(sizeof *bits * all), missing = 0;
            assert_true(value != NULL && back != NULL && bits != NULL);
            for (uint64_t k = 0; k < sites; k++) {
                value[k] = (uint8_t)(e.value[k] == GONE ? DISTANCES_MISSING : e.value[k]);
                missing += e.value[k] == GONE;
            }
            memset(bits, 0xA5, sizeof *bits * all);
            assert_int_equal(distances_words(sites), words);
            assert_int_equal(distances_planes(sum, values), e.input.planes);
            assert_int_equal(distances_pack(sum, e.input.planes, sites, value, words, bits), missing);
            assert_memory_equal(bits, e.bits, sizeof *bits * all);
            distances_unpack(sum, e.input.planes, sites, bits, words, back);
            assert_memory_equal(value, back, sites);
            free(value);
            free(back);
            free(bits);
            discard(&e);
        }
    }
}

/* --- Random instances ------------------------------------------------------------------------------------------------ */

static double share_of(uint64_t part, uint64_t whole) { return (double)part / (double)whole; }

/* Shares of missing and of different values are those asked for, and every value occurs. */
TEST(random_values) {
    static const struct {
        distances_kind kind;
        int values;
        double missing, difference;
    } cases[] = {{DISTANCES_LETTERS, 4, 0.02, 0.1},  {DISTANCES_LETTERS, 128, 0, 1}, {DISTANCES_GENOTYPES, 3, 0.3, 0.5},
                 {DISTANCES_INTEGERS, 8, 0.5, 0.01}, {DISTANCES_LETTERS, 2, 1, 0.5}, {DISTANCES_LETTERS, 20, 0.1, 0}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        distances_recipe r = {.kind = cases[c].kind,
                              .count = 40,
                              .sites = 5000,
                              .values = cases[c].values,
                              .missing = cases[c].missing,
                              .difference = cases[c].difference,
                              .seed = 7};
        distances_data d;
        assert_int_equal(distances_generate(&r, &d), WL_OK);
        const size_t each = (size_t)(d.planes + 1) * d.words;
        static uint8_t value[40][5000];
        uint64_t missing = 0, apart = 0, compared = 0, seen[128] = {0};
        for (size_t i = 0; i < 40; i++) {
            distances_unpack(d.sum, d.planes, d.sites, d.bits + i * each, d.words, value[i]);
            for (size_t k = 0; k < 5000; k++) {
                missing += value[i][k] == DISTANCES_MISSING;
                if (value[i][k] == DISTANCES_MISSING) continue;
                assert_true(value[i][k] < r.values);
                seen[value[i][k]]++;
                if (i > 0 && value[0][k] != DISTANCES_MISSING) {
                    apart += value[i][k] != value[0][k];
                    compared++;
                }
            }
        }
        assert_true(fabs(share_of(missing, 200000) - r.missing) < 0.01);
        assert_int_equal(d.complete, missing == 0);
        if (compared > 0) {
            // Two mutants agree where neither has changed, or both to the same of values - 1 others.
            const double q = r.difference, others = r.values - 1;
            const double expected = q >= 1 ? others / r.values : 1 - (1 - q) * (1 - q) - q * q / others;
            assert_true(fabs(share_of(apart, compared) - expected) < 0.02);
            for (int v = 0; v < r.values; v++) assert_true(seen[v] > 0);
        }
        assert_string_equal(d.names[39], "random40");
        distances_data_free(&d);
        assert_null(d.bits);
    }
}

/* The seed alone decides: not the threads, and an instance not by how many others there are. */
TEST(reproducible) {
    distances_recipe r = {
        .kind = DISTANCES_GENOTYPES, .count = 9, .sites = 1000, .values = 3, .missing = 0.1, .difference = 0.3};
    distances_data a, b;
    assert_int_equal(distances_generate(&r, &a), WL_OK);
    r.count = 5;
    assert_int_equal(distances_generate(&r, &b), WL_OK);
    const size_t bytes = 5 * sizeof *a.bits * (size_t)(a.planes + 1) * a.words;
    assert_memory_equal(a.bits, b.bits, bytes);
    distances_data_free(&b);
    r.seed = 1;
    assert_int_equal(distances_generate(&r, &b), WL_OK);
    assert_memory_not_equal(a.bits, b.bits, bytes);
    distances_data_free(&a);
    distances_data_free(&b);
}

TEST(recipes_refused) {
    distances_recipe r = {.kind = DISTANCES_GENOTYPES, .count = 1, .sites = 1, .values = 9};
    distances_data d;
    assert_int_equal(distances_generate(&r, &d), WL_BAD_USAGE);
    assert_string_equal(wl_error(), "random values: found 9 of them; expected 2 to 8");
    r = (distances_recipe){.kind = DISTANCES_LETTERS, .count = 1, .sites = 1, .values = 1};
    assert_int_equal(distances_generate(&r, &d), WL_BAD_USAGE);
    r = (distances_recipe){.count = (size_t)1 << 24, .sites = DISTANCES_SITES_MOST, .values = 4};
    assert_int_equal(distances_generate(&r, &d), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "GB of memory"));
}

/* --- The problem ----------------------------------------------------------------------------------------------------- */

TEST(wrong_options) {
    static const char *const cases[][2] = {
        {"--rows -1", "--rows"},
        {"--rows 16777217", "--rows"},
        {"--columns x", "--columns"},
        {"--sites 0", "--sites"},
        {"--sites 2147483649", "--sites"},
        {"--values 1", "--values"},
        {"--values 129", "--values"},
        {"--values 9 --sum steps", "--values"},
        {"--sum most", "--sum"},
        {"--missing 1.5", "--missing"},
        {"--missing nan", "--missing"},
        {"--missing 2%", "--missing"},
        {"--difference -0.1", "--difference"},
        {"--difference 0.1x", "--difference"},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        void *input = NULL;
        assert_int_equal(created(cases[c][0], 1, &input), WL_BAD_USAGE);
        assert_non_null(strstr(wl_error(), cases[c][1]));
        assert_null(input);
    }
}

TEST(shapes_and_work) {
    void *input;
    char text[64];
    assert_int_equal(created("--rows 10 --sites 100 --missing 0", 1, &input), WL_OK);
    problem->shape(input, text, sizeof text);
    assert_string_equal(text, "10x100, 2 planes, none missing");
    assert_true(problem->work(input) == 10000 && problem->work_done(input) == 4500);
    assert_true(((distances_input *)input)->complete);
    problem->input_free(input);
    assert_int_equal(created("--rows 10 --columns 3 --sites 100 --missing 1", 1, &input), WL_OK);
    problem->shape(input, text, sizeof text);
    assert_string_equal(text, "10:3x100, 2 planes");
    assert_true(problem->work(input) == 3000 && problem->work_done(input) == 3000);
    assert_false(((distances_input *)input)->complete);
    assert_false(((distances_input *)input)->symmetric);
    problem->input_free(input);
    assert_int_equal(created("--rows 10 --sites 100 --values 2 --sum steps", 1, &input), WL_OK);
    problem->shape(input, text, sizeof text);
    assert_string_equal(text, "10x100, 1 plane of steps");
    problem->input_free(input);
    assert_int_equal(created("--rows 0 --columns 3", 1, &input), WL_OK);
    assert_int_equal(problem->output_size(input), 0);
    problem->input_free(input);
    problem->input_free(NULL);
}

/* Every shape that `check` tries can be made, has planes as the header wants them, and among them are all numbers of planes for
   both sums, with and without missing values. */
TEST(check_shapes) {
    int seen[2][2][DISTANCES_PLANES_MOST + 1] = {{{0}}};
    for (const char *const *shape = problem->check_shapes; *shape != NULL; shape++) {
        void *made;
        assert_int_equal(created(*shape, 1, &made), WL_OK);
        const distances_input *in = made;
        assert_true((uintptr_t)in->rows.bits % 64 == 0 && (uintptr_t)in->columns.bits % 64 == 0);
        assert_int_equal(in->words % DISTANCES_WORDS_ALIGN, 0);
        assert_true(in->words * 64 >= in->sites && in->words * 64 < in->sites + 512);
        if (in->symmetric) assert_ptr_equal(in->rows.bits, in->columns.bits);
        seen[in->sum][in->complete][in->planes] = 1;
        problem->input_free(made);
    }
    for (int p = 1; p <= DISTANCES_PLANES_MOST; p++)
        for (int sum = 0; sum < 2; sum++) assert_true(seen[sum][0][p] || seen[sum][1][p]);
    assert_true(seen[0][1][2] && seen[0][0][2] && seen[1][1][2] && seen[1][0][2]);
}

TEST(comparison) {
    example e = make((recipe){.rows = 2, .columns = 3, .sites = 100, .values = 4, .missing = 10});
    uint32_t *should = brute_force(&e), *is = brute_force(&e);
    char text[200], expected[200];
    assert_int_equal(problem->compare(&e.input, should, is, text, sizeof text), 0);
    is[4] = 0xA5A5A5A5u;
    is[11] += 1;
    assert_int_equal(problem->compare(&e.input, should, is, text, sizeof text), 2);
    snprintf(expected, sizeof expected, "distance[row=1][column=1]: expected %u, found 2779096485 (never written)",
             should[4]);
    assert_string_equal(text, expected);
    is[4] = should[4];
    assert_int_equal(problem->compare(&e.input, should, is, text, sizeof text), 1);
    snprintf(expected, sizeof expected, "compared[row=1][column=2]: expected %u, found %u (sites after the last one?)",
             should[11], should[11] + 1);
    assert_string_equal(text, expected);
    free(should);
    free(is);
    discard(&e);
}

int main(void) { return run_all_tests(setup, NULL); }
