/* The discrete gamma distribution of Yang 1994: incomplete gamma function, its inverse, means and medians of classes.

   All of it in logarithms: for a shape of 0.001 the first quartile is near 1e-600, and for large ones the search for
   quantiles begins where the density is no more. */
#include <math.h>

#include "peeling/model/model.h"

/* log(x^a e^-x / Gamma(a + 1)) of x = e^u, which is given too, as it may have underflowed. For large a the logarithms
   of power and factorial cancel; Stirling's series takes their difference first. */
static double log_density(double a, double u, double x) {
    if (a < 10) return a * u - x - log(tgamma(a + 1));
    const double mu = (x - a) / a, i = 1 / (a * a);
    const double stirling =
        (1. / 12 - (1. / 360 - (1. / 1260 - (1. / 1680 - (1. / 1188 - 691. / 360360 * i) * i) * i) * i) * i) / a;
    return a * (log1p(mu) - mu) - 0.5 * log(2 * M_PI * a) - stirling;
}

/* log P(a, e^u): of the gamma distribution of shape a and scale 1, the share below x = e^u,
     P = x^a e^-x / Gamma(a + 1) (1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ..).
   No term is negative; quantiles up to 127/128 need about x - a + 10 sqrt(a) + 40 of them. */
static double log_below(double a, double u) {
    const double x = exp(u);
    double sum = 1, term = 1;
    for (double n = a + 1; n <= x || term > 1e-17 * sum; n++) sum += term *= x / n;
    return log_density(a, u, x) + log(sum);
}

/* u with P(a, e^u) = p, for p in (0, 1). log P is concave in u, and for every u it is below its asymptote
   a u - log Gamma(a + 1). Newton's method starts where the asymptote is log p. So it comes up to the solution from below,
   and is there when it no longer rises. */
static double log_quantile(double a, double p) {
    // At x = a the logarithm of the density is a log a - a - log Gamma(a + 1).
    const double log_factorial = a < 10 ? log(tgamma(a + 1)) : a * log(a) - a - log_density(a, log(a), a);
    double u = (log(p) + log_factorial) / a;
    for (int step = 0; step < 200; step++) {
        const double below = log_below(a, u);
        const double slope = a * exp(log_density(a, u, exp(u)) - below);
        const double next = u + (log(p) - below) / slope;
        if (!(next > u)) break;
        u = next;
    }
    return u;
}

void peeling_gamma_rates(double alpha, int rates, int median, double *rate) {
    if (rates == 1) {
        rate[0] = 1;
        return;
    }
    if (median) {
        double most = -INFINITY, sum = 0;
        for (int r = 0; r < rates; r++) {
            rate[r] = log_quantile(alpha, (r + 0.5) / rates);
            most = fmax(most, rate[r]);
        }
        for (int r = 0; r < rates; r++) sum += rate[r] = exp(rate[r] - most);
        for (int r = 0; r < rates; r++) rate[r] *= rates / sum;
        return;
    }
    // The mean of x over a class is alpha times what a distribution of shape alpha + 1 has of it.
    double before = 0;
    for (int r = 0; r < rates; r++) {
        const double below = r + 1 < rates ? exp(log_below(alpha + 1, log_quantile(alpha, (r + 1.0) / rates))) : 1;
        rate[r] = rates * (below - before);
        before = below;
    }
}
