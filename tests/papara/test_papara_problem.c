/* PaPaRa's problem: its random data are what they are said to be and the same everywhere, its shapes are awkward and affordable,
   its slices are alike, what is wrong is refused or described. That its reference is right: test_papara_reference.c. */
#include <math.h>

#include <omp.h>

#include "tests/support/unit.h"
#include "harness/bench/check.h"
#include "papara/alphabet.h"
#include "papara/problem.h"
#include "papara/reference.h"
#include "tests/support/inputs.h"
#include "tests/support/serial.h"

static const wl_problem *papara(void) { return wl_problem_named("papara"); }

static wl_status inputs_of(const char *options, uint64_t seed, wl_inputs *inputs) {
    return create_inputs("papara", options, seed, inputs);
}

static const papara_input *open_inputs(const char *options, wl_inputs *inputs) {
    return make_inputs("papara", options, 5, inputs);
}

/* --- The reference's two compilations, and slices ------------------------------------------------------------------ */

TEST(both_references_agree) {
    wl_inputs inputs;
    const papara_input *in = open_inputs("--kind gaps --reads 10 --vectors 20 --sites 80 --read-length 30", &inputs);
    int first[200], second[200];
    papara_reference(in, 0, papara_slices(in), first);
    serial_O0_in_parts("papara", in, 0, papara_slices(in), second);
    assert_memory_equal(first, second, sizeof first);
    wl_inputs_free(&inputs);
}

/* Every score is in exactly one slice: run alone, a slice writes what no other does, and together they write all. */
TEST(slices_are_a_partition) {
    for (size_t reads = 0; reads < 70; reads += 1 + reads / 6)
        for (size_t vectors = 0; vectors < 20; vectors++) {
            char options[80];
            wl_inputs inputs;
            snprintf(options, sizeof options, "--reads %zu --vectors %zu --sites 3 --read-lengths 1,2", reads, vectors);
            const papara_input *in = open_inputs(options, &inputs);
            const size_t pairs = reads * vectors;
            int written[70 * 20] = {0}, score[70 * 20];
            assert_true(papara_slices(in) <= pairs && (papara_slices(in) > 0 || pairs == 0));
            for (size_t slice = 0; slice < papara_slices(in); slice++) {
                for (size_t i = 0; i < pairs; i++) score[i] = -1;
                papara_reference(in, slice, 1, score);
                for (size_t i = 0; i < pairs; i++) written[i] += score[i] != -1;
            }
            for (size_t i = 0; i < pairs; i++) assert_int_equal(written[i], 1);
            wl_inputs_free(&inputs);
        }
}

/* A baseline that is timed on its first slices is timed on what the whole is like, though reads differ sixteenfold in length
   and long ones come first: mean lengths are within 5 % of the whole's. */
TEST(first_slices_are_typical) {
    enum { READS = 1000 };
    char options[8 * READS] = "--vectors 32 --sites 483 --read-lengths ";
    for (int r = 0; r < READS; r++)
        sprintf(options + strlen(options), "%s%d", r > 0 ? "," : "", 483 - r * 454 / (READS - 1));
    wl_inputs inputs;
    const papara_input *in = open_inputs(options, &inputs);
    const size_t slices = papara_slices(in), pairs = in->reads.count * in->vectors;
    double letters = 0, mean = (double)in->reads.letters * (double)in->vectors / (double)slices;
    assert_int_equal(slices, pairs / 8);
    for (size_t slice = 0; slice < 40; slice++) {
        for (size_t p = papara_slice_begin(slice, slices); p < pairs; p += slices)
            letters += in->reads.length[p / in->vectors];
        if (slice >= 4) assert_true(fabs(letters / (double)(slice + 1) / mean - 1) < 0.05);
    }
    wl_inputs_free(&inputs);
}

/* --- Random data ------------------------------------------------------------------------------------------------- */

static uint64_t checksum(const papara_input *in) { // FNV-1a
    uint64_t sum = 0xCBF29CE484222325u;
    for (size_t i = 0; i < in->vectors * in->sites; i++) sum = (sum ^ in->site[i]) * 0x100000001B3u;
    for (uint64_t i = 0; i < in->reads.letters; i++) sum = (sum ^ in->reads.codes[i]) * 0x100000001B3u;
    for (size_t r = 0; r < in->reads.count; r++) sum = (sum ^ in->reads.length[r]) * 0x100000001B3u;
    return sum;
}

TEST(data_depend_on_the_seed_only) {
    static const char *const kinds[] = {"cut", "random", "gaps", "ambiguous", "allgap", "repeat"};
    for (size_t k = 0; k < 6; k++) {
        char options[120];
        wl_inputs one, many, other;
        snprintf(options, sizeof options, "--kind %s --reads 300 --vectors 20 --sites 9000", kinds[k]);
        int threads = omp_get_max_threads();
        omp_set_num_threads(1);
        const papara_input *first = open_inputs(options, &one);
        omp_set_num_threads(4);
        strcat(options, " --cgap 7");
        const papara_input *second = open_inputs(options, &many);
        omp_set_num_threads(threads);
        assert_int_equal(checksum(first), checksum(second));
        assert_int_equal(inputs_of(options, 6, &other), WL_OK);
        assert_int_not_equal(checksum(first), checksum(other.inputs[0]));
        wl_inputs_free(&one);
        wl_inputs_free(&many);
        wl_inputs_free(&other);
    }
}

/* What every variant may rely on. */
static void assert_sound(const papara_input *in) {
    const uint32_t all = in->states == 4 ? 15 : 0xfffff;
    uint64_t letters = 0;
    uint32_t longest = 0;
    for (size_t i = 0; i < in->vectors * in->sites; i++) {
        const uint32_t states = in->site[i] & ~PAPARA_CGAP;
        assert_true(states > 0 && (states & ~all) == 0);
    }
    for (size_t r = 0; r < in->reads.count; r++) {
        const uint32_t m = in->reads.length[r];
        assert_true(m >= 1 && m <= in->sites);
        assert_int_equal(in->reads.start[r], letters);
        for (uint32_t j = 0; j < m; j++) {
            const uint8_t code = in->reads.codes[letters + j];
            assert_true(code < PAPARA_CODES && (in->states == 20 || (code >= 1 && code <= 15)));
        }
        letters += m;
        if (m > longest) longest = m;
    }
    assert_true(letters == in->reads.letters && longest == in->reads.longest);
    for (int c = 0; c < PAPARA_CODES; c++) assert_true(in->sets[c] > 0 && (in->sets[c] & ~all) == 0);
}

/* Shares of an input's sites and letters. */
typedef struct {
    double cgap, by_states[21], ambiguous; // of sites; of sites without CGAP by their number of states; of letters
} shares;

static shares shares_of(const papara_input *in) {
    shares s = {0};
    const size_t sites = in->vectors * in->sites;
    size_t plain = 0;
    for (size_t i = 0; i < sites; i++) {
        s.cgap += (in->site[i] >> 31) / (double)sites;
        plain += !(in->site[i] >> 31);
    }
    for (size_t i = 0; i < sites; i++)
        if (!(in->site[i] >> 31)) s.by_states[__builtin_popcount(in->site[i])] += 1 / (double)plain;
    for (uint64_t i = 0; i < in->reads.letters; i++)
        s.ambiguous += (__builtin_popcount(in->sets[in->reads.codes[i]]) > 1) / (double)in->reads.letters;
    return s;
}

static shares shares_at(const char *options) {
    wl_inputs inputs;
    const papara_input *in = open_inputs(options, &inputs);
    assert_sound(in);
    shares s = shares_of(in);
    wl_inputs_free(&inputs);
    return s;
}

TEST(kinds_are_what_they_say) {
#define SIZE " --reads 200 --vectors 50 --sites 3000"
    shares cut = shares_at("--kind cut" SIZE), gaps = shares_at("--kind gaps" SIZE),
           allgap = shares_at("--kind allgap" SIZE), ambiguous = shares_at("--kind ambiguous" SIZE),
           random = shares_at("--kind random" SIZE), repeat = shares_at("--kind repeat" SIZE),
           protein = shares_at("--kind cut --protein" SIZE);
#undef SIZE
    assert_true(cut.cgap > 0.1 && cut.cgap < 0.4);
    assert_true(cut.by_states[1] > 0.7 && cut.by_states[2] > 0.08 && cut.by_states[3] > 0.02 &&
                cut.by_states[4] > 0.02);
    assert_true(cut.ambiguous > 0.003 && cut.ambiguous < 0.03);
    assert_true(protein.by_states[1] > 0.7 && protein.by_states[20] > 0.02 && protein.by_states[4] == 0);
    assert_true(gaps.cgap > 0.35 && gaps.cgap < 0.65);
    assert_true(allgap.cgap > 1 - 1e-9);
    assert_true(fabs(ambiguous.cgap - 0.5) < 0.03);
    assert_true(fabs(ambiguous.by_states[2] - 6.0 / 15) < 0.01 && fabs(ambiguous.ambiguous - 11.0 / 15) < 0.02);
    assert_true(random.by_states[1] > 0.75 && random.ambiguous == 0);
    assert_true(repeat.by_states[1] > 1 - 1e-9 && repeat.ambiguous == 0);
}

/* All sets of states and all codes of both alphabets occur. */
TEST(ambiguous_data_have_everything) {
    uint32_t sets = 0, codes = 0;
    wl_inputs inputs;
    const papara_input *in = open_inputs("--kind ambiguous --reads 40 --vectors 3 --sites 500", &inputs);
    for (size_t i = 0; i < 3 * 500; i++) sets |= 1u << (in->site[i] & 15);
    for (uint64_t i = 0; i < in->reads.letters; i++) codes |= 1u << in->reads.codes[i];
    assert_int_equal(sets, 0xfffe);
    assert_int_equal(codes, 0xfffe);
    wl_inputs_free(&inputs);
    in = open_inputs("--protein --kind ambiguous --reads 40 --vectors 3 --sites 500", &inputs);
    codes = 0;
    for (uint64_t i = 0; i < in->reads.letters; i++) codes |= 1u << in->reads.codes[i];
    assert_int_equal(codes, 0xffffff);
    wl_inputs_free(&inputs);
}

/* Every vector is nearly the same as one before it; independent ones agree on less than half of their sites. */
TEST(vectors_are_related) {
    for (int cut = 0; cut < 2; cut++) {
        wl_inputs inputs;
        const papara_input *in =
            open_inputs(cut ? "--vectors 30 --sites 5000" : "--vectors 30 --sites 5000 --kind random", &inputs);
        for (size_t v = 1; v < in->vectors; v++) {
            double most = 0;
            for (size_t u = 0; u < v; u++) {
                size_t same = 0;
                for (size_t i = 0; i < in->sites; i++)
                    same += in->site[v * in->sites + i] == in->site[u * in->sites + i];
                if ((double)same / in->sites > most) most = (double)same / in->sites;
            }
            assert_true(cut ? most > 0.9 && most < 1 : most < 0.5);
        }
        wl_inputs_free(&inputs);
    }
}

/* A cut read fits somewhere far better than a random one of its length: the mean of the best scores. */
TEST(cut_reads_fit) {
    double mean[3];
    static const char *const kinds[] = {"cut", "gaps", "random"};
    for (int k = 0; k < 3; k++) {
        char options[120];
        wl_inputs inputs;
        const void *expected;
        snprintf(options, sizeof options, "--kind %s --reads 30 --vectors 20 --sites 500 --read-length 80", kinds[k]);
        open_inputs(options, &inputs);
        assert_int_equal(wl_inputs_expected(&inputs, 0, &expected), WL_OK);
        mean[k] = 0;
        for (int r = 0; r < 30; r++) {
            int best = INT32_MAX;
            for (int v = 0; v < 20; v++)
                if (((const int *)expected)[r * 20 + v] < best) best = ((const int *)expected)[r * 20 + v];
            mean[k] += best / 30.0;
        }
        wl_inputs_free(&inputs);
    }
    assert_true(mean[0] < 20 && mean[1] < 60 && mean[2] > 60);
}

/* The mean asked for is the mean, however lopsided the range: 29 to 483 letters with mean 168 have a standard deviation of
   about 130, so that of 20,000 the mean's own is 1. */
TEST(lengths_have_their_mean) {
    wl_inputs inputs;
    const papara_input *in =
        open_inputs("--reads 20000 --vectors 1 --sites 500 --read-length 168 --shortest 29 --longest 483", &inputs);
    uint32_t shortest = UINT32_MAX;
    for (size_t r = 0; r < in->reads.count; r++)
        if (in->reads.length[r] < shortest) shortest = in->reads.length[r];
    assert_true(fabs((double)in->reads.letters / 20000 - 168) < 4);
    assert_true(shortest >= 29 && shortest < 32 && in->reads.longest <= 483 && in->reads.longest > 475);
    wl_inputs_free(&inputs);
    in = open_inputs("--reads 5 --vectors 1 --sites 50 --read-lengths 9,50", &inputs);
    static const uint32_t lengths[] = {9, 50, 9, 50, 9};
    for (size_t r = 0; r < 5; r++) assert_int_equal(in->reads.length[r], lengths[r]);
    wl_inputs_free(&inputs);
}

/* --- Shapes ------------------------------------------------------------------------------------------------------ */

/* Affordable on the simulated device, 100,000 pairs of every kind together, lengths n = m, n = m + 1, 1; and scores beyond 8,
   15 and 16 bits: else a stage that loses bits would pass. */
TEST(shapes_are_cheap_and_awkward) {
    double counted = 0, computed = 0;
    size_t pairs = 0, straight = 0, one_more = 0, single = 0, empty = 0;
    int beyond_8 = 0, beyond_15 = 0, at_16 = 0, beyond_16 = 0, zero = 0;
    for (const char *const *shape = papara()->check_shapes; *shape; shape++) {
        wl_inputs inputs;
        const void *expected;
        const papara_input *in = open_inputs(*shape, &inputs);
        assert_sound(in);
        counted += papara()->work(in);
        computed += papara_cells_computed(&in->reads, in->vectors, in->sites);
        empty += in->reads.count == 0 || in->vectors == 0;
        pairs += in->reads.count * in->vectors;
        for (size_t r = 0; r < in->reads.count; r++) {
            straight += in->reads.length[r] == in->sites;
            one_more += in->reads.length[r] + 1 == in->sites;
            single += in->reads.length[r] == 1;
        }
        assert_int_equal(wl_inputs_expected(&inputs, 0, &expected), WL_OK);
        for (size_t i = 0; i < in->reads.count * in->vectors; i++) {
            int score = ((const int *)expected)[i];
            zero += score == 0;
            beyond_8 += score > 255 && score < 1000;
            beyond_15 += score > 32767 && score <= 65535;
            at_16 += score >= 32640 && score <= 32895;
            beyond_16 += score > 65535;
            assert_true(score >= 0 && score <= papara_score_most(&in->penalties, in->reads.longest));
        }
        wl_inputs_free(&inputs);
    }
    print_message("%zu pairs, %.1f million cells counted, %.1f million computed\n", pairs, 1e-6 * counted,
                  1e-6 * computed);
    assert_true(counted < 25e6 && computed < 10e6);
    assert_true(pairs > 100000 && straight > 50 && one_more > 20 && single > 20 && empty == 2);
    assert_true(zero && beyond_8 && beyond_15 && at_16 && beyond_16);
}

/* The default is the paper's launch, and what the simulated device gets is small. */
TEST(shapes_read_well) {
    const struct {
        const char *options, *shape;
        double work, computed;
    } cases[] = {
        {"--reads 10 --read-lengths 7 --vectors 3 --sites 50", "10r7x3v50", 10500, 10 * 7.0 * 44 * 3},
        {"--read-lengths 20,5,9 --vectors 3 --sites 50", "3r5-20x3v50", 34 * 150, (20 * 31 + 5 * 46 + 9 * 42) * 3},
        {"--reads 0", "0r0x320v5000", 0, 0},
        {"--protein --reads 10 --read-lengths 7 --vectors 3 --sites 50", "10r7x3v50aa", 10500, 10 * 7.0 * 44 * 3},
        {papara()->small_arguments, "1r48x64v1200", 48 * 64 * 1200, 48 * 64 * 1153},
    };
    wl_inputs inputs;
    char text[96];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const papara_input *in = open_inputs(cases[i].options, &inputs);
        papara()->shape(in, text, sizeof text);
        assert_string_equal(text, cases[i].shape);
        assert_true(papara()->work(in) == cases[i].work);
        assert_true(papara_cells_computed(&in->reads, in->vectors, in->sites) == cases[i].computed);
        wl_inputs_free(&inputs);
    }
    const papara_input *in = open_inputs("", &inputs);
    papara()->shape(in, text, sizeof text);
    assert_string_equal(text, "1250r90-110x320v5000");
    assert_true(fabs(papara()->work(in) / 2e11 - 1) < 0.01);
    assert_true(papara()->work(in) > papara()->fast_oracle_work);
    wl_inputs_free(&inputs);
}

/* --- Mistakes ---------------------------------------------------------------------------------------------------- */

TEST(mistakes_are_described) {
    wl_inputs inputs;
    char first[112];
    const papara_input *in = open_inputs("--vectors 3 --sites 9 --read-lengths 5,6", &inputs);
    static const struct {
        int expected, found;
        const char *text;
    } cases[] = {
        {40, 41, "score[read=1][vector=1]: expected 40, found 41"},
        {40, (int)0xA5A5A5A5u, "score[read=1][vector=1]: expected 40, found -1515870811 (never written)"},
        {40, 1 << 30,
         "score[read=1][vector=1]: expected 40, found 1073741824 (infinite: no cell of the last row was taken)"},
        {38500, 32767, "score[read=1][vector=1]: expected 38500, found 32767 (stuck at the end of 16 bits)"},
        {38500, 38500 - 65536, "score[read=1][vector=1]: expected 38500, found -27036 (wrapped at 16 bits)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int should[6] = {0}, is[6] = {0};
        assert_int_equal(papara()->compare(in, should, is, first, sizeof first), 0);
        should[4] = cases[i].expected;
        is[4] = cases[i].found;
        is[5] = 1;
        assert_int_equal(papara()->compare(in, should, is, first, sizeof first), 2);
        assert_string_equal(first, cases[i].text);
    }
    int should[6], *poisoned = wl_poisoned(sizeof should);
    papara_reference(in, 0, papara_slices(in), should);
    assert_int_equal(papara()->compare(in, should, poisoned, first, sizeof first), 6);
    free(poisoned);
    wl_inputs_free(&inputs);
}

/* The option that is wrong is named, and what was expected in its place. */
TEST(bad_options_are_refused) {
    static const struct {
        const char *options, *named;
    } bad[] = {
        {"--read-lengths 0", "--read-lengths"},
        {"--read-lengths 3,", "--read-lengths"},
        {"--read-lengths ,3", "--read-lengths"},
        {"--read-lengths 3;4", "--read-lengths"},
        {"--read-lengths 70 --sites 69", "--read-lengths: found 70; expected no read longer than --sites, which is 69"},
        {"--read-lengths 3,1048577 --sites 2000000", "--read-lengths"},
        {"--read-lengths 3 --read-length 3", "--read-length"},
        {"--read-lengths 3 --shortest 3", "--shortest"},
        {"--read-lengths 3 --longest 3", "--longest"},
        {"--read-length 0", "--read-length"},
        {"--read-length 5001", "--read-length: found 5001; expected no read longer than --sites, which is 5000"},
        {"--sites 99", "--read-length: found 100; expected no read longer than --sites, which is 99"},
        {"--read-length 50 --longest 101 --sites 100", "--longest: found 101"},
        {"--read-length 50 --longest 49", "--longest"},
        {"--read-length 50 --shortest 51", "--shortest"},
        {"--read-length 50 --shortest 50 --longest 60", "--read-length"},
        {"--read-length 50 --shortest 0", "--shortest"},
        {"--reads -1", "--reads"},
        {"--vectors x", "--vectors"},
        {"--sites 0", "--sites"},
        {"--sites 67108865", "--sites"},
        {"--kind odd", "--kind"},
        {"--mismatch 256", "--mismatch"},
        {"--insertion -1", "--insertion"},
        {"--gap-open 256", "--gap-open"},
        {"--gap-extend 256", "--gap-extend"},
        {"--cgap 256", "--cgap"},
        {"--gap-open 1 --gap-extend 2", "--gap-open: found 1; expected at least --gap-extend, which is 2"},
        {"--gap-extend 5", "--gap-open: found 4; expected at least --gap-extend, which is 5"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        wl_inputs inputs;
        if (inputs_of(bad[i].options, 5, &inputs) != WL_BAD_USAGE) fail_msg("%s was taken", bad[i].options);
        if (!strstr(wl_error(), bad[i].named) || !strstr(wl_error(), "expected"))
            fail_msg("%s: %s", bad[i].options, wl_error());
    }
}

/* 64 million vectors of 64 million sites: said, not tried. */
TEST(what_does_not_fit_is_refused) {
    wl_inputs inputs;
    assert_int_equal(inputs_of("--vectors 67108864 --sites 67108864 --reads 1", 5, &inputs), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "GB of memory"));
}

int main(void) { return run_all_tests(NULL, NULL); }
