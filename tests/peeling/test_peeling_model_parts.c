/* What models of substitution are made of: rate classes are those of other people's arithmetic, the amino acid model is
   the published one, genetic codes are NCBI's, letters IUPAC's. Names: test_peeling_model_names.c. */
#include <math.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "peeling/model/internal.h"

/* --- Rate classes ------------------------------------------------------------------------------------------------ */

static void is_rate(double value, double expected, double error, double alpha, int rate) {
    if (!(fabs(value - expected) <= error * fabs(expected)))
        fail_msg("alpha %g, class %d: expected %.17g, found %.17g, of which %.3g is wrong", alpha, rate, expected,
                 value, fabs(value / expected - 1));
}

/* Yang 1994's own example. */
TEST(yangs_rates) {
    static const double means[4] = {0.0334, 0.2519, 0.8203, 2.8944};
    double rate[4];
    peeling_gamma_rates(0.5, 4, 0, rate);
    for (int r = 0; r < 4; r++) assert_true(fabs(rate[r] - means[r]) < 0.5e-4);
}

/* Computed with 40 digits, by mpmath 1.3: quantiles of its incomplete gamma function by Newton's method. */
TEST(rates_of_arithmetic_with_40_digits) {
    static const struct {
        double alpha, mean[4], median[4];
    } known[] = {
        {0.001,
         {0, 1.047793488167428e-301, 1.939215214312336e-125, 4},
         {0, 0, 2.978683180258288e-146, 4}}, // beyond 1e-308
        {0.02,
         {4.413609048154614e-31, 9.938564032314077e-16, 9.505564673287118e-7, 3.999999049443532},
         {2.222550430766066e-42, 1.595564481790617e-18, 1.974021329370364e-7, 3.999999802597867}},
        {0.3,
         {0.005295306405595605, 0.1044951085844391, 0.5958028376115882, 3.294406747398377},
         {0.002923662381826382, 0.1161734186939955, 0.7064988213371908, 3.174404097586987}},
        {2.5,
         {0.3464566285464928, 0.6994546629033108, 1.078627681538111, 1.875461027012085},
         {0.3753454467824205, 0.724328856594476, 1.109972267080184, 1.79035342954292}},
        {9.75,
         {0.6272684413396613, 0.8689330906879681, 1.072845629153249, 1.430952838819122},
         {0.6549954834458364, 0.8779929929537246, 1.080016058315976, 1.386995465284463}},
        {64,
         {0.845885704805392, 0.9550758425524142, 1.036002471743087, 1.163035980899107},
         {0.8595302471306398, 0.9570455980450525, 1.036585660062521, 1.146838494761787}},
        {1000,
         {0.9600949285752522, 0.9894494294895861, 1.009979041840173, 1.040476600094989},
         {0.9638286480108639, 0.9897210640269408, 1.009871656397694, 1.036578631564502}},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        double rate[4];
        peeling_gamma_rates(known[k].alpha, 4, 0, rate);
        for (int r = 0; r < 4; r++) is_rate(rate[r], known[k].mean[r], 1e-12, known[k].alpha, r);
        peeling_gamma_rates(known[k].alpha, 4, 1, rate);
        for (int r = 0; r < 4; r++) is_rate(rate[r], known[k].median[r], 1e-12, known[k].alpha, r);
    }
}

/* For whole alpha the distribution is a sum of Poisson's: P(n, x) = 1 - e^-x (1 + x + .. + x^(n-1) / (n-1)!). */
static long double poisson_below(int n, long double x) {
    long double sum = 0;
    for (int j = 0; j < n; j++) sum += expl(j * logl(x) - x - lgammal(j + 1.0L));
    return 1 - sum;
}

TEST(rates_of_whole_alpha_are_poissons) {
    static const int alphas[] = {1, 2, 7, 8, 9, 10, 11, 40, 300, 1000};
    for (size_t k = 0; k < sizeof alphas / sizeof alphas[0]; k++)
        for (int rates = 2; rates <= 10; rates += 4) {
            double rate[10];
            long double before = 0;
            peeling_gamma_rates(alphas[k], rates, 0, rate);
            for (int r = 0; r < rates; r++) {
                long double low = 1e-6L, high = alphas[k] + 40 * sqrtl(alphas[k]), below = 1;
                for (int bit = 0; bit < 70 && r + 1 < rates; bit++) {
                    const long double middle = (low + high) / 2;
                    *(poisson_below(alphas[k], middle) * rates < r + 1 ? &low : &high) = middle;
                }
                if (r + 1 < rates) below = poisson_below(alphas[k] + 1, low);
                is_rate(rate[r], (double)(rates * (below - before)), 2e-12, alphas[k], r);
                before = below;
            }
        }
}

/* Whatever alpha: the mean is 1, classes rise, and no step is seen where the arithmetic changes. */
TEST(rates_have_a_mean_of_one_and_rise) {
    for (int median = 0; median <= 1; median++)
        for (int rates = 1; rates <= PEELING_RATES_MOST; rates = rates * 3 / 2 + 1) {
            double before[PEELING_RATES_MOST] = {0};
            for (double alpha = 1e-3; alpha <= 1e6; alpha *= 1.31) {
                double rate[PEELING_RATES_MOST], sum = 0;
                peeling_gamma_rates(alpha, rates, median, rate);
                for (int r = 0; r < rates; r++) {
                    sum += rate[r];
                    assert_true(rate[r] >= (r > 0 ? rate[r - 1] : 0) && isfinite(rate[r]));
                    if (r > 0 && rate[r] > 1e-300) assert_true(rate[r] > rate[r - 1]);
                }
                // The lowest class rises with alpha, the highest falls.
                if (alpha > 1e-3 && rates > 1)
                    assert_true(rate[0] >= before[0] && rate[rates - 1] <= before[rates - 1]);
                memcpy(before, rate, sizeof rate);
                is_rate(sum / rates, 1, 1e-13, alpha, -1);
                if (alpha > 5e5)
                    for (int r = 0; r < rates; r++) is_rate(rate[r], 1, 5e-3, alpha, r);
            }
        }
    for (int median = 0; median <= 1; median++) {
        double below[8], above[8];
        peeling_gamma_rates(nextafter(10, 0), 8, median, below);
        peeling_gamma_rates(10, 8, median, above);
        for (int r = 0; r < 8; r++) is_rate(above[r], below[r], 1e-13, 10, r);
    }
}

/* --- Published models -------------------------------------------------------------------------------------------- */

/* Sums over the table of HyPhy 2.5.47 (Debian's hyphy-common, libv3/models/protein/matrices/WAG.ibf), which goes by
   letters, and some of its numbers. */
TEST(wag_is_the_published_one) {
    static const char letters[] = "ARNDCQEGHILKMFPSTWYV";
    static const struct {
        char pair[3];
        double rate;
    } known[] = {{"IV", 7.8213},   {"CE", 0.021352}, {"AS", 3.37079},
                 {"CY", 0.543833}, {"DG", 0.865584}, {"WY", 2.48539}};
    double exchange[400], sum = 0, weighted = 0, frequencies = 0;
    const peeling_empirical *wag = peeling_empirical_named("WAG", 3);
    peeling_empirical_exchange(wag, exchange);
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++) {
            assert_true(exchange[i * 20 + j] == exchange[j * 20 + i] && (exchange[i * 20 + j] > 0) == (i != j));
            if (j >= i) continue;
            sum += exchange[i * 20 + j];
            weighted += exchange[i * 20 + j] * (letters[i] - 'A' + 1) * (letters[j] - 'A' + 1);
        }
    assert_true(fabs(sum - 185.1413309) < 1e-10 && fabs(weighted - 30019.6878493) < 1e-8);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        assert_true(exchange[20 * (strchr(letters, known[k].pair[0]) - letters) +
                             (strchr(letters, known[k].pair[1]) - letters)] == known[k].rate);
    for (int s = 0; s < 20; s++) frequencies += wag->frequency[s];
    assert_true(fabs(frequencies - 0.9999999) < 1e-12);
    assert_true(wag->frequency[0] == 0.0866279 && wag->frequency[10] == 0.086209 && wag->frequency[17] == 0.0143859);
}

/* Every published model can be parsed: 190 rates and 20 frequencies, which are 1 together to the digits that they are printed with. */
TEST(published) {
    size_t count = 0;
    for (const peeling_empirical *model; (model = peeling_empirical_at(count)) != NULL; count++) {
        double sum = 0, rates = 0;
        for (int s = 0; s < 20; s++) sum += model->frequency[s];
        for (int k = 0; k < 190; k++) rates += model->exchange[k] > 0;
        assert_true(fabs(sum - 1) < 2e-6);
        assert_true(rates > 80); // DAYHOFF's table has many zeros
        assert_ptr_equal(peeling_empirical_named(model->name, strlen(model->name)), model);
    }
    assert_int_equal(count, 26);
    assert_non_null(peeling_empirical_named("jttdcmut", 8));
    assert_non_null(peeling_empirical_named("Jtt-DCmut+G4", 9));
    assert_null(peeling_empirical_named("JT", 2));
    assert_null(peeling_empirical_named("LGG", 3));
    assert_null(peeling_empirical_named("", 0));
}

TEST(own_files) {
    static const struct {
        const char *text, *says;
    } broken[] = {{"", ":1: found '' after 0 numbers"},
                  {"1 2 x", ":1: found 'x' after 2 numbers"},
                  {"# 1\n1\n-2", ":3: found -2; expected an exchange rate of 0 or above"},
                  {"1 nan", "found nan; expected"},
                  {"1 2,3", "found '2,3' after 1 numbers"}};
    char path[] = "/tmp/warpladder-model-XXXXXX";
    peeling_empirical made;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        assert_int_equal(ftruncate(file, 0), 0);
        assert_int_equal(pwrite(file, broken[i].text, strlen(broken[i].text), 0), (ssize_t)strlen(broken[i].text));
        assert_int_equal(peeling_empirical_read(path, &made), WL_BAD_INPUT);
        if (strstr(wl_error(), broken[i].says) == NULL) fail_msg("%s: no '%s'", wl_error(), broken[i].says);
    }
    close(file);
    unlink(path);
    assert_int_equal(peeling_empirical_read(path, &made), WL_BAD_INPUT);
}

TEST(defaults) {
    static const struct {
        peeling_model_kind kind;
        const char *name;
        peeling_alphabet alphabet;
        int states;
        peeling_frequencies frequencies;
    } known[] = {{PEELING_JC69, "JC69", PEELING_NUCLEOTIDES, 4, PEELING_EQUAL},
                 {PEELING_K80, "K80", PEELING_NUCLEOTIDES, 4, PEELING_EQUAL},
                 {PEELING_HKY85, "HKY85", PEELING_NUCLEOTIDES, 4, PEELING_OBSERVED},
                 {PEELING_GTR, "GTR", PEELING_NUCLEOTIDES, 4, PEELING_OBSERVED},
                 {PEELING_POISSON, "POISSON", PEELING_AMINO_ACIDS, 20, PEELING_EQUAL},
                 {PEELING_EMPIRICAL, "WAG", PEELING_AMINO_ACIDS, 20, PEELING_PUBLISHED},
                 {PEELING_GY94, "GY94", PEELING_CODONS, 61, PEELING_F3X4}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        char text[PEELING_NAME];
        peeling_settings s = peeling_settings_of(known[k].kind);
        assert_int_equal(peeling_alphabet_of(known[k].kind), known[k].alphabet);
        assert_int_equal(peeling_states_of(&s), known[k].states);
        assert_int_equal(s.frequencies, known[k].frequencies);
        assert_true(s.kind == known[k].kind && s.rates == 1 && !s.median && s.alpha == 0.5 && s.kappa == 2 &&
                    s.omega == 0.5);
        for (int e = 0; e < 6; e++) assert_true(s.exchange[e] == 1);
        assert_int_equal(s.code, PEELING_CODE_STANDARD);
        assert_ptr_equal(peeling_model_name(&s, text), text);
        assert_string_equal(text, known[k].name);
        s.code = PEELING_CODE_VERTEBRATE_MITOCHONDRIAL;
        assert_int_equal(peeling_states_of(&s), known[k].alphabet == PEELING_CODONS ? 60 : known[k].states);
    }
}

/* --- Codes and letters ------------------------------------------------------------------------------------------- */

/* NCBI's translation tables 1 and 2, in its order of T, C, A, G. */
static const char *const ncbi[2] = {"FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                                    "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG"};

/* The row of a codon of three nucleotides A C G T in them. */
static int ncbi_row(int codon) {
    static const int of[4] = {2, 1, 3, 0};
    return 16 * of[codon / 16] + 4 * of[codon / 4 % 4] + of[codon % 4];
}

TEST(genetic_codes_are_ncbis) {
    for (int code = 0; code < 2; code++) {
        int next = 0;
        for (int codon = 0; codon < 64; codon++) {
            const int row = ncbi_row(codon);
            char text[4] = {"ACGT"[codon / 16], "ACGT"[codon / 4 % 4], "ACGT"[codon % 4], 0}, letters[4];
            const unsigned long long set = peeling_character(PEELING_CODONS, code, text);
            if (ncbi[code][row] == '*') {
                assert_true(set == 0);
                continue;
            }
            assert_true(set == 1ull << next); // in alphabetical order
            peeling_codon_letters(code, next, letters);
            assert_string_equal(letters, text);
            assert_int_equal("ARNDCQEGHILKMFPSTWYV"[peeling_codon_amino_acid(code, next++)], ncbi[code][row]);
        }
        assert_int_equal(next, code == 0 ? 61 : 60);
    }
}

/* A text of all letters that a character may be, and what each is, for every byte there is. */
TEST(one_letter_sets) {
    static const struct {
        char letter;
        const char *set;
    } nucleotides[] = {{'A', "A"},    {'C', "C"},    {'G', "G"},    {'T', "T"},    {'U', "T"},
                       {'R', "AG"},   {'Y', "CT"},   {'S', "CG"},   {'W', "AT"},   {'K', "GT"},
                       {'M', "AC"},   {'B', "CGT"},  {'D', "AGT"},  {'H', "ACT"},  {'V', "ACG"},
                       {'N', "ACGT"}, {'X', "ACGT"}, {'-', "ACGT"}, {'?', "ACGT"}, {'.', "ACGT"}};
    static const char order[] = "ARNDCQEGHILKMFPSTWYV";
    for (int byte = 0; byte < 256; byte++) {
        const char text[2] = {(char)byte, 0};
        const char upper = byte >= 'a' && byte <= 'z' ? (char)(byte - 32) : (char)byte;
        unsigned long long expected = 0;
        for (size_t k = 0; k < sizeof nucleotides / sizeof nucleotides[0]; k++)
            for (const char *c = nucleotides[k].set; nucleotides[k].letter == upper && *c; c++)
                expected |= 1ull << (strchr("ACGT", *c) - "ACGT");
        assert_true(peeling_character(PEELING_NUCLEOTIDES, 0, text) == expected);

        expected = 0;
        const char *set = upper == 'B' ? "DN" : upper == 'Z' ? "EQ" : upper == 'J' ? "IL" : (char[2]){upper, 0};
        if (byte != 0 && strchr("XUO-?.", upper)) set = order;
        for (const char *c = set; *c; c++)
            if (strchr(order, *c)) expected |= 1ull << (strchr(order, *c) - order);
        assert_true(peeling_character(PEELING_AMINO_ACIDS, 0, text) == expected);
    }
}

/* For all triples of characters: a codon's set is that of all codons that its letters may be, but stop codons. */
TEST(codon_sets) {
    static const char letters[] = "ACGTUacgtuRYSWKMBDHVNXnryk-?.*Z1 ";
    for (int code = 0; code < 2; code++)
        for (const char *a = letters; *a; a++)
            for (const char *b = letters; *b; b++)
                for (const char *c = letters; *c; c++) {
                    const char text[3] = {*a, *b, *c}; // not terminated
                    unsigned long long one[3], expected = 0;
                    for (int p = 0; p < 3; p++) one[p] = peeling_character(PEELING_NUCLEOTIDES, 0, text + p);
                    for (int codon = 0, s = 0; codon < 64; codon++) {
                        if (ncbi[code][ncbi_row(codon)] == '*') continue;
                        if (one[0] >> (codon >> 4) & one[1] >> (codon >> 2 & 3) & one[2] >> (codon & 3) & 1)
                            expected |= 1ull << s;
                        s++;
                    }
                    if (peeling_character(PEELING_CODONS, code, text) != expected) fail_msg("%c%c%c", *a, *b, *c);
                }
    assert_true(peeling_character(PEELING_CODONS, 0, "---") == (1ull << 61) - 1);
    assert_true(peeling_character(PEELING_CODONS, 1, "NNN") == (1ull << 60) - 1);
    assert_true(peeling_character(PEELING_CODONS, 0, "TAR") == 0); // TAA and TAG
    assert_true(peeling_character(PEELING_CODONS, 0, "") == 0);
    assert_true(peeling_character(PEELING_CODONS, 0, "AC") == 0);
}

int main(void) { return run_all_tests(NULL, NULL); }
