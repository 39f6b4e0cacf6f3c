#include "tools/distances/matrix/models.h"

#include <math.h>

/* A distance of 0 may have come out as -0; this makes it 0. */
static double positive(double distance) { return distance == 0 ? 0 : distance; }

double distances_jc69(double compared, double different) {
    if (compared == 0) return NAN;
    return positive(-0.75 * log(1 - 4 * different / (3 * compared)));
}

double distances_k80(double compared, double different, double transversions) {
    if (compared == 0) return NAN;
    const double p = (different - transversions) / compared, q = transversions / compared;
    return positive(-0.5 * log(1 - 2 * p - q) - 0.25 * log(1 - 2 * q));
}

double distances_tn93(double compared, double different, double transversions, double purines,
                      const double frequency[4]) {
    if (compared == 0) return NAN;
    const double a = frequency[0], c = frequency[1], g = frequency[2], t = frequency[3], r = a + g, y = c + t;
    const double p1 = purines / compared, p2 = (different - transversions - purines) / compared;
    const double q = transversions / compared;
    const double k1 = 2 * a * g / r, k2 = 2 * c * t / y, k3 = 2 * (r * y - a * g * y / r - c * t * r / y);
    const double w1 = 1 - p1 / k1 - q / (2 * r), w2 = 1 - p2 / k2 - q / (2 * y), w3 = 1 - q / (2 * r * y);
    return positive(-k1 * log(w1) - k2 * log(w2) - k3 * log(w3));
}

static double determinant3(const double m[16], int without, const int rows[3]) {
    int at[3], n = 0;
    for (int k = 0; k < 4; k++)
        if (k != without) at[n++] = k;
    const double *x = m + 4 * rows[0], *y = m + 4 * rows[1], *z = m + 4 * rows[2];
    return x[at[0]] * (y[at[1]] * z[at[2]] - y[at[2]] * z[at[1]]) -
           x[at[1]] * (y[at[0]] * z[at[2]] - y[at[2]] * z[at[0]]) +
           x[at[2]] * (y[at[0]] * z[at[1]] - y[at[1]] * z[at[0]]);
}

double distances_logdet(const double count[16]) {
    static const int below[3] = {1, 2, 3};
    double share[16], compared = 0, determinant = 0;
    for (int k = 0; k < 16; k++) compared += count[k];
    if (compared == 0) return NAN;
    for (int k = 0; k < 16; k++) share[k] = count[k] / compared;
    for (int k = 0; k < 4; k++) determinant += (k % 2 ? -1 : 1) * share[k] * determinant3(share, k, below);
    return positive(-log(determinant) / 4 - log(4));
}
