/* Smith-Waterman's problem: its reference is right, its random data are what they are said to be, its shapes are awkward
   and affordable, its slices are alike. */
#include <math.h>

#include <omp.h>

#include "tests/support/unit.h"
#include "harness/bench/check.h"
#include "harness/base/random.h"
#include "io/database/alphabet.h"
#include "sw/problem.h"
#include "sw/reference.h"
#include "tests/support/inputs.h"
#include "tests/support/serial.h"

static const wl_problem *sw(void) { return wl_problem_named("sw"); }

static wl_status inputs_of(const char *options, uint64_t seed, wl_inputs *inputs) {
    return create_inputs("sw", options, seed, inputs);
}

static const sw_input *open_inputs(const char *options, wl_inputs *inputs) {
    return make_inputs("sw", options, 5, inputs);
}

static const uint8_t *residues(const sw_set *set, size_t s) { return set->residues + set->start[s]; }

/* --- The reference ----------------------------------------------------------------------------------------------- */

static int at_least(int a, int b) { return a > b ? a : b; }

/* Waterman, Smith & Beyer 1976: any gap cost at all, every gap length tried at every cell. No E, no F, and the gaps
   counted as BLAST's users do: another algorithm for the same score. */
static int score_by_definition(const sw_scoring *scoring, int open, int extend, const uint8_t *q, int m,
                               const uint8_t *s, int n) {
    int best = 0, *H = calloc((size_t)(m + 1) * (size_t)(n + 1), sizeof *H); // [m + 1][n + 1]
    assert_non_null(H);
#define AT(i, j) H[(i) * (n + 1) + (j)]
    for (int i = 1; i <= m; i++)
        for (int j = 1; j <= n; j++) {
            int h = at_least(0, AT(i - 1, j - 1) + scoring->matrix[q[i - 1]][s[j - 1]]);
            for (int k = 1; k <= i; k++) h = at_least(h, AT(i - k, j) - (open + k * extend));
            for (int k = 1; k <= j; k++) h = at_least(h, AT(i, j - k) - (open + k * extend));
            AT(i, j) = h;
            best = at_least(best, h);
        }
#undef AT
    free(H);
    return best;
}

TEST(reference_is_the_definition) {
    static const char *const data[] = {
        "--kind random --longest 60",  "--kind related --longest 60",
        "--kind gaps --longest 90",    "--kind letters --longest 60",
        "--kind repeat --longest 50",  "--kind related --longest 60 --nucleotide",
        "--subject-length 1",          "--kind gaps --longest 60 --matrix PAM250",
        "--kind unknown --longest 50",
    };
    static const int gaps[][2] = {{11, 1}, {0, 1}, {5, 0}, {0, 0}, {3, 2}, {100, 100}};
    size_t pairs = 0;
    for (size_t d = 0; d < sizeof data / sizeof *data; d++)
        for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
            char options[200];
            wl_inputs inputs;
            const void *expected;
            snprintf(options, sizeof options,
                     "%s --subjects 12 --query-lengths 1,2,17,40 --gap-open %d --gap-extend %d", data[d], gaps[g][0],
                     gaps[g][1]);
            const sw_input *in = open_inputs(options, &inputs);
            assert_int_equal(wl_inputs_expected(&inputs, 0, &expected), WL_OK);
            for (size_t q = 0; q < in->queries.count; q++)
                for (size_t s = 0; s < in->database.count; s++, pairs++)
                    assert_int_equal(((const int *)expected)[q * in->database.count + s],
                                     score_by_definition(&in->scoring, gaps[g][0], gaps[g][1],
                                                         residues(&in->queries, q), (int)in->queries.length[q],
                                                         residues(&in->database, s), (int)in->database.length[s]));
            wl_inputs_free(&inputs);
        }
    assert_int_equal(pairs, 9 * 6 * 4 * 12);
}

/* Both compilations are the same function. */
TEST(both_references_agree) {
    wl_inputs inputs;
    const sw_input *in = open_inputs("--kind gaps --subjects 50 --longest 200 --query-lengths 30,80", &inputs);
    int first[100], second[100];
    sw_reference(in, 0, sw_slices(in), first);
    serial_O0_in_parts("sw", in, 0, sw_slices(in), second);
    assert_memory_equal(first, second, sizeof first);
    wl_inputs_free(&inputs);
}

/* Scores beyond 16 bits: 3,500 W against as many, 11 each, and 100,000 residues on one side. */
TEST(long_sequences_score_exactly) {
    wl_inputs inputs;
    const void *expected;
    open_inputs("--kind repeat --subjects 1 --subject-length 3500 --query-lengths 3500", &inputs);
    assert_int_equal(wl_inputs_expected(&inputs, 0, &expected), WL_OK);
    assert_int_equal(*(const int *)expected, 11 * 3500);
    wl_inputs_free(&inputs);
    open_inputs("--kind repeat --subjects 1 --subject-length 100000 --query-lengths 100", &inputs);
    assert_int_equal(wl_inputs_expected(&inputs, 0, &expected), WL_OK);
    assert_int_equal(*(const int *)expected, 11 * 100);
    wl_inputs_free(&inputs);
}

/* --- Slices ------------------------------------------------------------------------------------------------------ */

/* Every score is in exactly one slice: run alone, a slice writes what no other does, and together they write all. */
TEST(slices_are_a_partition) {
    for (size_t subjects = 0; subjects < 140; subjects++) {
        char options[80];
        wl_inputs inputs;
        snprintf(options, sizeof options, "--subjects %zu --subject-length 2 --query-lengths 1,2", subjects);
        const sw_input *in = open_inputs(options, &inputs);
        int written[280] = {0}, score[280];
        for (size_t slice = 0; slice < sw_slices(in); slice++) {
            for (size_t i = 0; i < 2 * subjects; i++) score[i] = -1;
            sw_reference(in, slice, 1, score);
            for (size_t i = 0; i < 2 * subjects; i++) written[i] += score[i] != -1;
        }
        for (size_t i = 0; i < 2 * subjects; i++) assert_int_equal(written[i], 1);
        wl_inputs_free(&inputs);
    }
}

/* A baseline that is timed on its first slices is timed on what the whole is like: their lengths are within 5 % of the
   mean, where those of the longest sequences would be ten times as much. */
TEST(first_slices_are_typical) {
    wl_inputs inputs;
    const sw_input *in = open_inputs("--subjects 20000 --query-lengths 1", &inputs);
    size_t slices = sw_slices(in);
    double letters = 0, mean = (double)in->database.letters / (double)slices;
    assert_int_equal(slices, 2500);
    for (size_t slice = 0; slice < 40; slice++) {
        for (size_t s = sw_slice_begin(slice, slices); s < in->database.count; s += slices)
            letters += in->database.length[s];
        if (slice >= 4) assert_true(fabs(letters / (double)(slice + 1) / mean - 1) < 0.05);
    }
    assert_int_equal(sw_slice_begin(slices - 1, slices), 0); // the longest is in the last
    wl_inputs_free(&inputs);
}

/* --- Random data ------------------------------------------------------------------------------------------------- */

static uint64_t checksum(const sw_set *set) { // FNV-1a
    uint64_t sum = 0xCBF29CE484222325u;
    for (uint64_t i = 0; i < sw_set_bytes(set); i++) sum = (sum ^ set->residues[set->start[0] + i]) * 0x100000001B3u;
    return sum;
}

TEST(data_depend_on_the_seed_only) {
    static const char *const options = "--subjects 3000 --query-lengths 100,200 --kind related";
    wl_inputs one, many, other;
    int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const sw_input *first = open_inputs(options, &one);
    omp_set_num_threads(4);
    assert_int_equal(inputs_of("--subjects 3000 --query-lengths 100,200 --kind=related --gap-open 12", 5, &many),
                     WL_OK);
    omp_set_num_threads(threads);
    const sw_input *second = many.inputs[0];
    assert_ptr_not_equal(first->database.residues, second->database.residues);
    assert_int_equal(checksum(&first->database), checksum(&second->database));
    assert_int_equal(checksum(&first->queries), checksum(&second->queries));
    assert_int_equal(inputs_of(options, 6, &other), WL_OK);
    assert_int_not_equal(checksum(&first->database), checksum(&((const sw_input *)other.inputs[0])->database));
    wl_inputs_free(&one);
    wl_inputs_free(&many);
    wl_inputs_free(&other);
}

/* Swiss-Prot's lengths: median 295, standard deviation of the logarithm 0.63; with 20,000 of them the median's own
   standard error is 1.6 and the deviation's 0.003. Robinson & Robinson's frequencies, from the published table once more:
   7 million letters leave a standard error of at most 0.011 % on each. */
TEST(data_have_the_published_distribution) {
    static const double published[] = {7.805, 5.129, 4.487, 5.364, 1.925, 4.264, 6.295, 7.377, 2.199, 5.142,
                                       9.019, 5.744, 2.243, 3.856, 5.203, 7.120, 5.841, 1.330, 3.216, 6.441};
    wl_inputs inputs;
    const sw_set *set = &open_inputs("--subjects 20000 --query-lengths 10", &inputs)->database;
    double sum = 0, squares = 0, counted[32] = {0};
    for (size_t s = 0; s < set->count; s++) {
        double x = log(set->length[s]);
        sum += x;
        squares += x * x;
        assert_true(s == 0 || set->length[s] <= set->length[s - 1]);
        for (uint32_t k = 0; k < set->length[s]; k++) counted[residues(set, s)[k]]++;
    }
    double mean = sum / (double)set->count;
    assert_true(fabs((double)set->length[set->count / 2] - 295) < 8);
    assert_true(fabs(sqrt(squares / (double)set->count - mean * mean) - 0.63) < 0.015);
    for (int a = 0; a < 20; a++) assert_true(fabs(100 * counted[a] / (double)set->letters - published[a]) < 0.06);
    for (int a = 20; a < 32; a++) assert_true(counted[a] == 0);
    wl_inputs_free(&inputs);
}

TEST(kinds_are_what_they_say) {
    wl_inputs inputs;
    const sw_set *set = &open_inputs("--kind identical --subjects 100 --query-lengths 10", &inputs)->database;
    for (size_t s = 1; s < set->count; s++) {
        assert_int_equal(set->length[s], set->length[0]);
        assert_memory_equal(residues(set, s), residues(set, 0), set->length[0]);
    }
    wl_inputs_free(&inputs);

    set = &open_inputs("--kind unknown --subjects 9 --query-lengths 10 --nucleotide", &inputs)->database;
    for (uint32_t k = 0; k < set->length[0]; k++) assert_int_equal(residues(set, 0)[k], sw_code(SW_NUCLEOTIDE, 'n'));
    wl_inputs_free(&inputs);

    int seen[32] = {0};
    set = &open_inputs("--kind letters --subjects 50 --query-lengths 10", &inputs)->database;
    for (size_t s = 0; s < set->count; s++)
        for (uint32_t k = 0; k < set->length[s]; k++) seen[residues(set, s)[k]]++;
    for (int a = 0; a < 32; a++) assert_true((seen[a] > 0) == (a < SW_LETTERS));
    wl_inputs_free(&inputs);

    set = &open_inputs("--subjects 50 --longest 100 --outlier 3000 --query-lengths 10", &inputs)->database;
    assert_int_equal(set->length[0], 3000);
    assert_true(set->length[1] <= 100);
    wl_inputs_free(&inputs);

    set = &open_inputs("--subjects 5000 --longest 999 --letters 1596000 --query-lengths 10", &inputs)->database;
    assert_int_equal(set->letters, 1596000);
    assert_true(set->longest <= 999);
    wl_inputs_free(&inputs);
}

/* In a stretch of 250 related residues, a third or more of them score. Random sequences of that length stay below 60, except for
   one in a million (E-value of 60 at BLOSUM62 11/1 and 250 x 250: 0.0005). */
TEST(relatives_score) {
    static const char *const kinds[] = {"random", "related", "gaps"};
    for (int k = 0; k < 3; k++) {
        char options[120];
        wl_inputs inputs;
        const void *expected;
        snprintf(options, sizeof options, "--subjects 100 --subject-length 250 --query-lengths 250 --kind %s",
                 kinds[k]);
        open_inputs(options, &inputs);
        assert_int_equal(wl_inputs_expected(&inputs, 0, &expected), WL_OK);
        for (int s = 0; s < 100; s++) assert_true((((const int *)expected)[s] > 100) == (k > 0));
        wl_inputs_free(&inputs);
    }
}

/* --- Shapes ------------------------------------------------------------------------------------------------------ */

/* Affordable on the simulated device, and beyond 8, 11, 15 and 16 bits: else a stage that loses bits would pass. */
TEST(shapes_are_cheap_and_awkward) {
    double cells = 0;
    int beyond_8 = 0, at_2048 = 0, beyond_15 = 0, beyond_16 = 0, zero = 0, empty = 0;
    for (const char *const *shape = sw()->check_shapes; *shape; shape++) {
        wl_inputs inputs;
        const void *expected;
        const sw_input *in = open_inputs(*shape, &inputs);
        cells += sw()->work(in);
        empty += in->database.count == 0;
        assert_int_equal(wl_inputs_expected(&inputs, 0, &expected), WL_OK);
        for (size_t i = 0; i < in->queries.count * in->database.count; i++) {
            int score = ((const int *)expected)[i];
            zero += score == 0;
            beyond_8 += score > 255 && score < 1000;
            at_2048 += score >= 2040 && score <= 2060;
            beyond_15 += score > 32767 && score <= 65535;
            beyond_16 += score > 65535;
        }
        wl_inputs_free(&inputs);
    }
    assert_true(cells < 15e6);
    assert_true(beyond_8 && at_2048 && beyond_15 && beyond_16 && zero && empty);
}

/* --- Inputs ------------------------------------------------------------------------------------------------------ */

TEST(each_query_shares_the_database) {
    wl_inputs inputs;
    open_inputs("--subjects 100 --query-lengths 30,7,50 --each-query", &inputs);
    static const uint32_t lengths[] = {30, 7, 50};
    assert_int_equal(inputs.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const sw_input *in = inputs.inputs[i], *first = inputs.inputs[0];
        assert_int_equal(in->queries.count, 1);
        assert_int_equal(in->queries.length[0], lengths[i]);
        assert_ptr_equal(in->database.residues, first->database.residues);
        assert_int_equal(sw()->work(in), lengths[i] * in->database.letters);
    }
    wl_inputs_free(&inputs);
}

TEST(shapes_read_well) {
    static const char *const cases[][2] = {
        {"--subjects 10 --subject-length 7 --query-lengths 464", "464x70"},
        {"--subjects 1000 --subject-length 1000 --query-lengths 464", "464x1.0M"},
        {"--subjects 10 --subject-length 7 --query-lengths 20,5,9", "3q5-20x70"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_inputs inputs;
        char text[96];
        sw()->shape(open_inputs(cases[i][0], &inputs), text, sizeof text);
        assert_string_equal(text, cases[i][1]);
        wl_inputs_free(&inputs);
    }
}

TEST(mistakes_are_described) {
    wl_inputs inputs;
    char first[112];
    const sw_input *in = open_inputs("--subjects 3 --subject-length 5 --query-lengths 5,6", &inputs);
    static const struct {
        int expected, found;
        const char *text;
    } cases[] = {
        {40, 41, "score[query=1][subject=1]: expected 40, found 41"},
        {40, (int)0xA5A5A5A5u, "score[query=1][subject=1]: expected 40, found -1515870811 (never written)"},
        {38500, 32767, "score[query=1][subject=1]: expected 38500, found 32767 (stuck at the end of 16 bits)"},
        {38500, 38500 - 65536, "score[query=1][subject=1]: expected 38500, found -27036 (wrapped at 16 bits)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int should[6] = {0}, is[6] = {0};
        assert_int_equal(sw()->compare(in, should, is, first, sizeof first), 0);
        should[4] = cases[i].expected;
        is[4] = cases[i].found;
        is[5] = 1;
        assert_int_equal(sw()->compare(in, should, is, first, sizeof first), 2);
        assert_string_equal(first, cases[i].text);
    }
    wl_inputs_free(&inputs);
}

TEST(bad_options_are_refused) {
    static const char *const bad[] = {
        "--db x --subjects 3",
        "--query x --query-lengths 3",
        "--nucleotide --matrix PAM30",
        "--match 3",
        "--mismatch -3",
        "--db - --query -",
        "--query - --each-query",
        "--query-lengths 0",
        "--query-lengths 3,",
        "--query-lengths ,3",
        "--query-lengths 3;4",
        "--query-lengths 1073741825",
        "--kind odd",
        "--subjects -1",
        "--longest 49",
        "--longest 40001",
        "--outlier 0",
        "--matrix PAM31",
        "--gap-open -1",
        "--gap-open 9999 --gap-extend 2",
        "--nucleotide --match 0",
        "--nucleotide --match 128",
        "--nucleotide --mismatch 1",
        "--subject-length 4 --longest 100",
        "--subjects 10 --letters 9",
        "--subjects 2 --letters 80001",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        wl_inputs inputs;
        if (inputs_of(bad[i], 5, &inputs) != WL_BAD_USAGE) fail_msg("%s was taken", bad[i]);
        assert_non_null(strstr(wl_error(), "expected"));
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
