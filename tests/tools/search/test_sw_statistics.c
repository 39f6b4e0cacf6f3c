/* Bits, E-values and search spaces: against numbers that BLAST+ 2.12 printed (tests/tools/search/blast compares many more where
   BLAST is installed), and against the definitions, tried out one value after the other. */
#include <limits.h>
#include <math.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "tools/search/statistics/evalues.h"

static sw_scoring protein(const char *matrix, int open, int extend) {
    sw_scoring scoring;
    assert_int_equal(sw_scoring_named(matrix, &scoring), WL_OK);
    assert_int_equal(sw_scoring_gaps(open, extend, &scoring), WL_OK);
    return scoring;
}

static sw_scoring nucleotide(int match, int mismatch, int open, int extend) {
    sw_scoring scoring;
    assert_int_equal(sw_scoring_nucleotide(match, mismatch, &scoring), WL_OK);
    assert_int_equal(sw_scoring_gaps(open, extend, &scoring), WL_OK);
    return scoring;
}

static void assert_close(double found, double expected, double relative) {
    if (!(fabs(found - expected) <= relative * fabs(expected))) fail_msg("found %.9g; expected %.9g", found, expected);
}

/* HBB_HUMAN (146 residues) against globins45.fa (45 sequences, 6,519 residues): blastp's trailer and three of its
   lines. */
TEST(blastp_s_numbers) {
    sw_scoring scoring = protein("BLOSUM62", 11, 1);
    sw_statistics s = sw_statistics_of(&scoring);
    sw_space space = sw_space_of(&s, 146, 6519, 45);
    assert_true(s.known);
    assert_true(space.size == 500214);
    assert_close(sw_bits(&s, 247), 99.8, 0.0005);
    assert_close(sw_evalue(&s, &space, 1, 740), 3.19e-82, 0.002);
    assert_close(sw_evalue(&s, &space, 1, 140), 1.20e-12, 0.005);
    assert_close(sw_evalue(&s, &space, 1, 17), 219, 0.003);
}

/* The same query and others against databases and themselves, blastp without OLD_FSC: each pair has E-values of its own. */
TEST(blastp_s_numbers_by_pair) {
    static const struct {
        const char *matrix;
        int open, extend, score;
        uint32_t query, subject;
        uint64_t letters;
        double evalue;
    } cases[] = {
        {"BLOSUM62", 11, 1, 740, 146, 146, 6519, 7.47e-106}, {"BLOSUM62", 11, 1, 361, 146, 145, 6519, 3.75e-48},
        {"BLOSUM62", 11, 1, 254, 146, 141, 6519, 5.27e-32},  {"BLOSUM62", 11, 1, 75, 8, 8, 8, 3.16e-11},
        {"PAM30", 9, 1, 1030, 146, 146, 6519, 5.46e-151},    {"PAM30", 9, 1, 144, 146, 141, 6519, 1.42e-14},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sw_scoring scoring = protein(cases[i].matrix, cases[i].open, cases[i].extend);
        sw_statistics s = sw_statistics_of(&scoring);
        assert_true(s.known && s.has_lengths && !s.by_pair);
        s.by_pair = 1;
        sw_space space = sw_space_of(&s, cases[i].query, cases[i].letters, 45);
        assert_close(sw_evalue(&s, &space, cases[i].subject, cases[i].score), cases[i].evalue, 0.002);
    }
    sw_scoring bases = nucleotide(2, -3, 5, 2);
    assert_false(sw_statistics_of(&bases).has_lengths);
}

/* By pair, sw_score_for is a promise: no lower score is good enough with a subject of any length. And no empty one: a score
   not much higher is, with some length. */
TEST(score_for_by_pair) {
    static const double evalues[] = {1e-100, 1e-10, 1e-3, 10, 1e4};
    wl_random random = wl_random_stream(2, 0);
    for (const char *const *matrix = sw_scoring_names(); *matrix; matrix++) {
        sw_scoring scoring;
        assert_int_equal(sw_scoring_named(*matrix, &scoring), WL_OK);
        sw_statistics s = sw_statistics_of(&scoring);
        assert_true(s.has_lengths);
        s.by_pair = 1;
        for (int round = 0; round < 40; round++) {
            uint32_t m = 1 + wl_random_below(&random, round % 2 ? 60 : 3000);
            uint64_t letters = 1 + wl_random_below(&random, round % 3 ? 1000000000 : 1000);
            sw_space space = sw_space_of(&s, m, letters, 1 + letters / 300);
            for (size_t k = 0; k < sizeof evalues / sizeof *evalues; k++) {
                const int least = sw_score_for(&s, &space, evalues[k]);
                assert_true(least >= 1 && least < 100000);
                int reached = 0;
                for (double length = 1; length <= 1.2 * (double)letters; length = length * 1.2 + 1) {
                    const uint32_t n = (uint32_t)fmin(length, (double)letters);
                    for (int score = least - 1; score > 0 && score > least - 40; score--)
                        if (sw_evalue(&s, &space, n, score) <= evalues[k])
                            fail_msg("%s, query %u, subject %u: %d < %d has %g", *matrix, m, n, score, least,
                                     sw_evalue(&s, &space, n, score));
                    reached |= sw_evalue(&s, &space, n, least + 60) <= evalues[k];
                }
                assert_true(reached);
            }
            assert_int_equal(sw_score_for(&s, &space, 0), INT_MAX);
            assert_int_equal(sw_score_for(&s, &space, NAN), INT_MAX);
        }
    }
}

/* A query of 500 bases against 3 sequences of 3,773: blastn's search spaces; 2/-4 is 1/-2 in units twice as fine. The
   limits for dear gaps are those where blastn takes them. */
TEST(blastn_s_numbers) {
    static const struct {
        int match, mismatch, open, extend;
        double lambda, K, space;
    } cases[] = {
        {2, -3, 5, 2, 0.625, 0.410, 1808080},  {1, -3, 5, 2, 1.37, 0.711, 1834070},
        {1, -3, 2, 2, 1.37, 0.700, 1828860},   {1, -2, 5, 2, 1.33, 0.621, 1823656},
        {2, -4, 4, 4, 0.665, 0.620, 1823656},  {4, -6, 10, 4, 0.312, 0.410, 1808080},
        {3, -4, 6, 3, 0.389, 0.250, 1792558},  {3, -2, 5, 5, 0.208, 0.0300, 1384530},
        {4, -5, 12, 8, 0.301, 0.306, 1797726}, {1, -1, 5, 2, 1.10, 0.333, 1771946},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sw_scoring scoring = nucleotide(cases[i].match, cases[i].mismatch, cases[i].open, cases[i].extend);
        sw_statistics s = sw_statistics_of(&scoring);
        assert_true(s.known);
        assert_close(s.lambda, cases[i].lambda, 0.004); // printed with three digits
        assert_close(s.K, cases[i].K, 0.002);
        assert_true(sw_space_of(&s, 500, 3773, 3).size == cases[i].space);
    }
}

/* 2/-3 was simulated for even scores: an odd score has the E-value of the one below it, but bits of its own. */
TEST(odd_scores) {
    sw_scoring scoring = nucleotide(2, -3, 5, 2);
    sw_statistics s = sw_statistics_of(&scoring);
    sw_space space = sw_space_of(&s, 100, 100000, 10);
    assert_true(sw_evalue(&s, &space, 1, 29) == sw_evalue(&s, &space, 1, 28));
    assert_true(sw_evalue(&s, &space, 1, 30) < sw_evalue(&s, &space, 1, 29));
    assert_close(sw_bits(&s, 29), 27.4, 0.002);
}

/* No statistics: gap costs that nobody simulated, a match score without a table, and a file that is called like a
   matrix and is not it. There are neither bits nor E-values then, and every score will do. */
TEST(unknown) {
    sw_scoring cases[] = {protein("BLOSUM62", 11, 3), protein("BLOSUM62", 0, 0), nucleotide(5, -11, 5, 2),
                          nucleotide(1, -2, 0, 0), protein("BLOSUM62", 11, 1)};
    assert_true(sw_statistics_of(&cases[4]).known);
    cases[4].matrix[3][5]++;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sw_statistics s = sw_statistics_of(&cases[i]);
        assert_false(s.known);
        sw_space space = sw_space_of(&s, 100, 1000, 2);
        assert_true(space.size == 100000);
        assert_true(isnan(sw_bits(&s, 50)) && isnan(sw_evalue(&s, &space, 1, 50)));
        assert_int_equal(sw_score_for(&s, &space, 1e-3), 1);
    }
}

/* The length adjustment against its definition, tried from 0 on: the largest l with
   alpha / lambda ln(K (m - l)(n - N l)) + beta >= l of those with K (m - l)(n - N l) >= max(m, n). */
TEST(length_adjustment) {
    sw_scoring scorings[] = {protein("BLOSUM62", 11, 1), protein("BLOSUM45", 14, 2), protein("PAM30", 9, 1),
                             protein("BLOSUM62", 6, 2), nucleotide(1, -2, 1, 1)};
    wl_random random = wl_random_stream(1, 0);
    for (int round = 0; round < 3000; round++) {
        sw_statistics s = sw_statistics_of(&scorings[round % 5]);
        uint32_t m = 1 + wl_random_below(&random, round % 2 ? 60 : 3000);
        size_t sequences = 1 + wl_random_below(&random, round % 3 ? 1000 : 10);
        uint64_t letters = sequences * (uint64_t)(1 + wl_random_below(&random, round % 7 ? 500 : 50));
        double n = (double)letters, N = (double)sequences, space;
        int64_t expected = 0;
        for (int64_t l = 0; l < m && n > N * (double)l; l++) {
            space = s.K * ((double)m - (double)l) * (n - N * (double)l);
            if (space < fmax(m, n) * (1 - 1e-12) || s.alpha / s.lambda * log(space) + s.beta < (double)l) break;
            expected = l;
        }
        sw_space found = sw_space_of(&s, m, letters, sequences);
        assert_int_equal(found.length_adjustment, expected);
        assert_true(found.size == ((double)m - (double)expected) * fmax(n - N * (double)expected, 1));
    }
}

/* sw_score_for is the boundary: its score is good enough, and the one below is not. */
TEST(score_for) {
    sw_scoring scorings[] = {protein("BLOSUM62", 11, 1), protein("PAM250", 14, 2), nucleotide(2, -3, 5, 2)};
    static const double evalues[] = {1e-300, 1e-50, 1e-3, 1, 10, 1000, 1e9, 1e30};
    for (size_t i = 0; i < 3; i++) {
        sw_statistics s = sw_statistics_of(&scorings[i]);
        sw_space space = sw_space_of(&s, 350, 204000000, 570000);
        for (size_t k = 0; k < sizeof evalues / sizeof *evalues; k++) {
            int score = sw_score_for(&s, &space, evalues[k]);
            assert_true(score >= 1 && sw_evalue(&s, &space, 1, score) <= evalues[k]);
            assert_true(score == 1 || sw_evalue(&s, &space, 1, score - 1) > evalues[k]);
        }
        assert_int_equal(sw_score_for(&s, &space, 0), INT_MAX);
        assert_int_equal(sw_score_for(&s, &space, -1), INT_MAX);
        assert_int_equal(sw_score_for(&s, &space, NAN), INT_MAX);
        assert_int_equal(sw_score_for(&s, &space, INFINITY), 1);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
