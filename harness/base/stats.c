#include "harness/base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double wl_quantile(const double *sorted, size_t count, double share) {
    if (count == 0) return NAN;
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* A sorted copy of `values` without their NaNs, `*kept` of them; NULL when none is left or memory is short. */
static double *sorted_copy(const double *values, size_t count, size_t *kept) {
    *kept = 0;
    double *copy = count ? malloc(count * sizeof *copy) : NULL;
    if (!copy) return NULL;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) copy[(*kept)++] = values[i];
    if (*kept == 0) {
        free(copy);
        return NULL;
    }
    qsort(copy, *kept, sizeof *copy, ascending);
    return copy;
}

double wl_median(const double *values, size_t count) {
    size_t kept;
    double *sorted = sorted_copy(values, count, &kept);
    double median = wl_quantile(sorted, kept, 0.5);
    free(sorted);
    return median;
}

/* Mean and standard deviation of the numbers that are not NaN. Two passes: the differences are small beside the
   numbers, and one pass over squares would lose them. */
static size_t moments(const double *values, size_t count, double *mean, double *deviation) {
    size_t kept = 0;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i])) continue;
        sum += values[i];
        kept++;
    }
    *mean = kept ? sum / (double)kept : NAN;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) squares += (values[i] - *mean) * (values[i] - *mean);
    *deviation = kept > 1 ? sqrt(squares / (double)(kept - 1)) : NAN;
    return kept;
}

wl_summary wl_summarize(const double *values, size_t count) {
    wl_summary summary = {NAN, NAN, NAN, NAN, NAN};
    size_t kept;
    double *sorted = sorted_copy(values, count, &kept);
    if (!sorted) return summary;
    summary.median = wl_quantile(sorted, kept, 0.5);
    summary.lower_quartile = wl_quantile(sorted, kept, 0.25);
    summary.upper_quartile = wl_quantile(sorted, kept, 0.75);
    moments(values, count, &summary.mean, &summary.deviation);
    free(sorted);
    return summary;
}

double wl_student_95(size_t freedom) {
    static const double table[] = {NAN,   12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                   2.201, 2.179,  2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080,
                                   2.074, 2.069,  2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    if (freedom < sizeof table / sizeof *table) return table[freedom];
    /* Expansion around the normal quantile (Abramowitz and Stegun 26.7.5); from 31 on right to 1e-3. */
    const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, n = (double)freedom;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

double wl_noise(const double *values, size_t count) {
    double mean, deviation;
    size_t kept = moments(values, count, &mean, &deviation);
    if (kept < 2) return NAN;
    if (deviation == 0) return 0;
    return wl_student_95(kept - 1) * deviation / sqrt((double)kept) / fabs(mean);
}

/* The largest k with P(fewer than k of n draws fall below quantile `share`) <= 0.025; 0 when there is none. The k-th
   smallest of n numbers is then the low end of that quantile's 95 % interval. */
static size_t interval_rank(size_t n, double share) {
    double chance = 0;
    for (size_t k = 0; k < n; k++) {
        /* By logarithms: 2^-n is no double from n = 1075 on. */
        chance += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
                      (double)k * log(share) + (double)(n - k) * log(1 - share));
        if (chance > 0.025) return k;
    }
    return 0;
}

/* Quantile `share` of `sorted` with its interval. */
static wl_ratio with_interval(const double *sorted, size_t count, double share) {
    size_t low = interval_rank(count, share), high = interval_rank(count, 1 - share);
    return (wl_ratio){wl_quantile(sorted, count, share), low > 0 ? sorted[low - 1] : NAN,
                      high > 0 ? sorted[count - high] : NAN};
}

wl_ratio wl_ratio_of(const double *numerator, const double *denominator, size_t count) {
    wl_ratio ratio = {NAN, NAN, NAN};
    double *ratios = count ? malloc(count * sizeof *ratios) : NULL;
    if (!ratios) return ratio;
    for (size_t i = 0; i < count; i++) ratios[i] = numerator[i] / denominator[i];
    size_t kept;
    double *sorted = sorted_copy(ratios, count, &kept);
    free(ratios);
    if (!sorted) return ratio;
    ratio = with_interval(sorted, kept, 0.5);
    free(sorted);
    return ratio;
}

wl_ratio wl_ratio_of_quartile(const double *baselines, size_t baseline_count, const double *values, size_t count) {
    wl_ratio ratio = {NAN, NAN, NAN};
    size_t kept_baselines = 0, kept = 0;
    double *above = sorted_copy(baselines, baseline_count, &kept_baselines), *below = sorted_copy(values, count, &kept);
    if (above && below) {
        wl_ratio quartile = with_interval(above, kept_baselines, 0.25), median = with_interval(below, kept, 0.5);
        ratio.median = quartile.median / median.median;
        ratio.low = quartile.low / median.high;
        ratio.high = quartile.high / median.low;
    }
    free(above);
    free(below);
    return ratio;
}
