/* Statistics of samples: quantiles, the noise of a mean, the median of ratios with its interval. */
#pragma once

#include <stddef.h>

/* Five numbers of a set of samples. All NaN when there are none. */
typedef struct {
    double median, lower_quartile, upper_quartile, mean, deviation;
} wl_summary;

typedef struct {
    double median, low, high; // the 95 % interval of the median
} wl_ratio;

/* Quantile `share` (0 to 1) of `sorted` numbers, linear between the two nearest (R's type 7). NaN when there are none. */
double wl_quantile(const double *sorted, size_t count, double share);

/* Median of `values` in any order; NaN when there are none or memory is short. `values` stays as it is. */
double wl_median(const double *values, size_t count);

/* Median, quartiles, mean and standard deviation (of a sample: divided by count - 1; NaN for one number). */
wl_summary wl_summarize(const double *values, size_t count);

/* Student's t: the half-width of a 95 % interval in standard errors, for `freedom` degrees of freedom (>= 1). */
double wl_student_95(size_t freedom);

/* Relative half-width of the 95 % interval of the mean of independent `values`: t * deviation / sqrt(count) / mean.
   NaN for fewer than two; NaN values are skipped. */
double wl_noise(const double *values, size_t count);

/* Median of numerator[i] / denominator[i] over the places where neither is NaN, with its 95 % interval. The interval is
   that of order statistics, which assumes nothing about the distribution. It runs from the k-th to the (n + 1 - k)-th of
   the n sorted ratios. k is the largest number such that fewer than k of n fair coins fall heads in at most 2.5 % of cases.
   Fewer than six ratios have no such interval: low and high are then NaN. */
wl_ratio wl_ratio_of(const double *numerator, const double *denominator, size_t count);

/* Lower quartile of the `baselines` over the median of the `values`, NaN skipped. The interval: the ends of both numbers'
   95 % intervals (of order statistics, as above), worst against worst; NaN where there are too few, which is below 13
   baselines for the low end. */
wl_ratio wl_ratio_of_quartile(const double *baselines, size_t baseline_count, const double *values, size_t count);
