/* Statistics against values worked out by hand or taken from published tables. */
#include <math.h>

#include "tests/support/unit.h"
#include "harness/base/stats.h"

#define CLOSE(actual, expected, tolerance) assert_true(fabs((actual) - (expected)) <= (tolerance))

TEST(quantiles) {
    const double sorted[] = {1, 2, 3, 4};
    CLOSE(wl_quantile(sorted, 4, 0), 1, 0);
    CLOSE(wl_quantile(sorted, 4, 0.25), 1.75, 1e-15); // R: quantile(1:4, 0.25)
    CLOSE(wl_quantile(sorted, 4, 0.5), 2.5, 1e-15);
    CLOSE(wl_quantile(sorted, 4, 1), 4, 0);
    CLOSE(wl_quantile(sorted, 1, 0.75), 1, 0);
    assert_true(isnan(wl_quantile(sorted, 0, 0.5)));
}

TEST(medians) {
    const double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, holes[] = {NAN, 7, NAN, 9};
    CLOSE(wl_median(odd, 3), 3, 0);
    CLOSE(wl_median(even, 4), 2.5, 0);
    CLOSE(wl_median(holes, 4), 8, 0);
    assert_true(isnan(wl_median(holes, 1)));
    assert_true(isnan(wl_median(NULL, 0)));
    CLOSE(odd[0], 5, 0); // left as it was
}

TEST(summaries) {
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    wl_summary s = wl_summarize(values, 8);
    CLOSE(s.median, 4.5, 1e-15);
    CLOSE(s.lower_quartile, 4, 1e-15);
    CLOSE(s.upper_quartile, 5.5, 1e-15);
    CLOSE(s.mean, 5, 1e-15);
    CLOSE(s.deviation, sqrt(32.0 / 7), 1e-14);
    wl_summary one = wl_summarize(values, 1);
    CLOSE(one.median, 2, 0);
    CLOSE(one.mean, 2, 0);
    assert_true(isnan(one.deviation));
    wl_summary none = wl_summarize(values, 0);
    assert_true(isnan(none.median) && isnan(none.lower_quartile) && isnan(none.upper_quartile) && isnan(none.mean) &&
                isnan(none.deviation));
}

TEST(deviation_beside_a_large_mean) {
    const double values[] = {1e9 + 1, 1e9 + 2, 1e9 + 3}; // one pass over squares would lose this
    CLOSE(wl_summarize(values, 3).deviation, 1, 1e-6);
}

TEST(student) {
    CLOSE(wl_student_95(1), 12.706, 1e-3);
    CLOSE(wl_student_95(9), 2.262, 1e-3);
    CLOSE(wl_student_95(30), 2.042, 1e-3);
    CLOSE(wl_student_95(31), 2.040, 1.5e-3);
    CLOSE(wl_student_95(60), 2.000, 1e-3);
    CLOSE(wl_student_95(1000000), 1.960, 1e-3);
}

TEST(noise) {
    /* mean 10, deviation sqrt(10/4), five values: t = 2.776 */
    const double values[] = {8, 9, 10, 11, 12}, same[] = {3, 3, 3}, holes[] = {NAN, 8, 9, NAN, 10, 11, 12};
    CLOSE(wl_noise(values, 5), 2.776 * sqrt(2.5) / sqrt(5) / 10, 1e-12);
    CLOSE(wl_noise(holes, 7), wl_noise(values, 5), 0);
    CLOSE(wl_noise(same, 3), 0, 0);
    assert_true(isnan(wl_noise(values, 1)));
    assert_true(isnan(wl_noise(values, 0)));
}

TEST(ratios) {
    /* Ratios 1 to 10. For n = 10 the 95 % interval of the median is the second to the ninth value (Conover, table A3:
       P(B <= 1) = 11/1024 <= 0.025 < P(B <= 2) = 56/1024). */
    double top[12], bottom[12];
    for (int i = 0; i < 10; i++) {
        bottom[i] = 1 + (i * 7) % 10;
        top[i] = bottom[i] * ((i * 3) % 10 + 1);
    }
    top[10] = NAN, bottom[10] = 1; // a round only one took part in
    top[11] = 1, bottom[11] = NAN;
    wl_ratio r = wl_ratio_of(top, bottom, 12);
    CLOSE(r.median, 5.5, 1e-12);
    CLOSE(r.low, 2, 1e-12);
    CLOSE(r.high, 9, 1e-12);
}

TEST(ratio_is_the_median_of_ratios) {
    /* Both drift together by a factor of ten; the ratio is 4 in every round, that of the medians also, that of a shifted
       pairing would not be. */
    double slow[10], fast[10];
    for (int i = 0; i < 10; i++) slow[i] = 4 * (fast[i] = 1 + i);
    wl_ratio r = wl_ratio_of(slow, fast, 10);
    CLOSE(r.median, 4, 0);
    CLOSE(r.low, 4, 0);
    CLOSE(r.high, 4, 0);
}

TEST(few_ratios) {
    const double top[] = {6, 2, 4, 3, 5, 1}, bottom[] = {1, 1, 1, 1, 1, 1};
    wl_ratio five = wl_ratio_of(top, bottom, 5), six = wl_ratio_of(top, bottom, 6), none = wl_ratio_of(top, bottom, 0);
    CLOSE(five.median, 4, 0);
    assert_true(isnan(five.low) && isnan(five.high)); // 2 * 2^-5 > 5 %
    CLOSE(six.low, 1, 0);                             // 2 * 2^-6 = 3.1 %
    CLOSE(six.high, 6, 0);
    assert_true(isnan(none.median) && isnan(none.low));
}

/* Large counts: the rank comes near (n - 1.96 sqrt(n)) / 2, and 2^-n is no double any more. */
TEST(many_ratios) {
    static double top[5000], bottom[5000];
    for (int i = 0; i < 5000; i++) {
        top[i] = i + 1;
        bottom[i] = 1;
    }
    wl_ratio r = wl_ratio_of(top, bottom, 5000);
    CLOSE(r.median, 2500.5, 1e-9);
    CLOSE(r.low, (5000 - 1.96 * sqrt(5000)) / 2, 1.5);
    CLOSE(r.high, 5001 - r.low, 1e-9);
}

/* 20 rounds, a third of them disturbed: the quartile does not see those. Ranks by the binomial distribution: fewer than 2
   of 20 draws fall below the lower quartile with 2.4 %, fewer than 11 above it with 1.4 %: the ends are the 2nd smallest and the 11th largest. */
TEST(quartile_over_median) {
    double baselines[20], values[6] = {2, 2, 2, 2, 2, 2};
    for (int i = 0; i < 20; i++) baselines[i] = i < 14 ? 100 + i : 1000;
    wl_ratio r = wl_ratio_of_quartile(baselines, 20, values, 6);
    assert_true(fabs(r.median - 104.75 / 2) < 1e-9);
    assert_true(fabs(r.low - 101.0 / 2) < 1e-9);
    assert_true(fabs(r.high - 109.0 / 2) < 1e-9);
    assert_true(isnan(wl_ratio_of_quartile(baselines, 12, values, 6).low)); // 0.75^12 is more than 2.5 %
    assert_false(isnan(wl_ratio_of_quartile(baselines, 13, values, 6).low));
    assert_true(isnan(wl_ratio_of_quartile(baselines, 0, values, 6).median));
}

int main(void) { return run_all_tests(NULL, NULL); }
