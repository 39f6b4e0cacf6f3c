/* The random generator: the same numbers everywhere, all values equally likely, streams apart. */
#include <math.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"

/* Published SplitMix64 outputs (Vigna's splitmix64.c; the second list is Rosetta Code's). */
TEST(known_answers) {
    wl_random zero = {0};
    assert_true(wl_random_next(&zero) == UINT64_C(0xE220A8397B1DCDAF));
    assert_true(wl_random_next(&zero) == UINT64_C(0x6E789E6AA1B965F4));
    assert_true(wl_random_next(&zero) == UINT64_C(0x06C45D188009454F));
    static const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                        UINT64_C(16408922859458223821)};
    wl_random random = {1234567};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) assert_true(wl_random_next(&random) == expected[i]);
}

/* Published results depend on these: a change of how streams start must be noticed. */
TEST(streams_are_fixed) {
    wl_random a = wl_random_stream(2010, 0), b = wl_random_stream(2010, 1), c = wl_random_stream(0, 0);
    assert_true(wl_random_next(&a) == UINT64_C(0x44AD1A338ECB2BDD));
    assert_true(wl_random_next(&b) == UINT64_C(0x87E8EEC5EB9A0046));
    assert_true(wl_random_next(&c) == UINT64_C(0x568A9B0B1A2C05EC));
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* 64 seeds x 64 streams x 16 numbers: 65,536 draws of 64 bits; one that repeats would be a chance of 1e-10. */
TEST(streams_differ) {
    enum { SEEDS = 64, STREAMS = 64, DRAWS = 16, ALL = SEEDS * STREAMS * DRAWS };
    uint64_t *drawn = malloc(sizeof *drawn * ALL);
    assert_non_null(drawn);
    size_t n = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        for (uint64_t stream = 0; stream < STREAMS; stream++) {
            wl_random random = wl_random_stream(seed, stream);
            for (int i = 0; i < DRAWS; i++) drawn[n++] = wl_random_next(&random);
        }
    }
    qsort(drawn, n, sizeof *drawn, by_value);
    for (size_t i = 1; i < n; i++) assert_true(drawn[i - 1] != drawn[i]);
    free(drawn);
}

/* Bits of neighbouring streams agree as often as coins do: 64,000 pairs of bits, standard deviation 126. */
TEST(streams_are_uncorrelated) {
    for (uint64_t stream = 0; stream < 32; stream++) {
        wl_random a = wl_random_stream(7, stream), b = wl_random_stream(7, stream + 1);
        long agree = 0;
        for (int i = 0; i < 1000; i++) {
            for (uint64_t same = ~(wl_random_next(&a) ^ wl_random_next(&b)); same; same &= same - 1) agree++;
        }
        assert_in_range(agree, 32000 - 5 * 126, 32000 + 5 * 126);
    }
}

/* Chi-square of `draws` numbers below `bound` in `cells` equal cells. */
static double chi_square(uint32_t bound, uint32_t cells, int draws) {
    wl_random random = wl_random_stream(42, bound);
    double *count = calloc(cells, sizeof *count);
    assert_non_null(count);
    for (int i = 0; i < draws; i++) {
        uint32_t value = wl_random_below(&random, bound);
        assert_true(value < bound);
        count[(uint64_t)value * cells / bound]++;
    }
    double expected = (double)draws / cells, sum = 0;
    for (uint32_t c = 0; c < cells; c++) sum += (count[c] - expected) * (count[c] - expected) / expected;
    free(count);
    return sum;
}

TEST(bounds_are_unbiased) {
    // 3 * 2^30 is where taking the remainder would show: a third of the values twice as likely as the rest.
    static const struct {
        uint32_t bound, cells;
    } cases[] = {{2, 2},     {3, 3},       {4, 4},           {5, 5},           {20, 20},
                 {256, 256}, {1000, 1000}, {0xC0000000u, 3}, {0x80000001u, 2}, {0xFFFFFFFFu, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double freedom = cases[i].cells - 1, sum = chi_square(cases[i].bound, cases[i].cells, 300000);
        // Chi-square has mean `freedom` and variance twice that; the seed is fixed, so this passes always or never.
        assert_true(sum < freedom + 4 * sqrt(2 * freedom) + 4);
    }
}

TEST(small_bounds) {
    wl_random random = wl_random_stream(1, 1);
    for (int i = 0; i < 1000; i++) assert_int_equal(wl_random_below(&random, 1), 0);
}

TEST(unit_interval) {
    wl_random random = wl_random_stream(3, 0);
    enum { DRAWS = 1000000 };
    double sum = 0, squares = 0, least = 1, most = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = wl_random_unit(&random);
        assert_true(x >= 0 && x < 1);
        sum += x;
        squares += x * x;
        if (x < least) least = x;
        if (x > most) most = x;
    }
    assert_true(fabs(sum / DRAWS - 1.0 / 2) < 5 * sqrt(1.0 / 12 / DRAWS));
    assert_true(fabs(squares / DRAWS - 1.0 / 3) < 5 * sqrt(4.0 / 45 / DRAWS));
    assert_true(least < 1e-4 && most > 1 - 1e-4);
    // The extremes of the mapping: all bits clear is 0, all bits set is the last number below 1.
    assert_true((double)(UINT64_MAX >> 11) * 0x1p-53 < 1);
}

int main(void) { return run_all_tests(NULL, NULL); }
