/* What stages 02 and 03 share: planes become features, and the sums are products of rows of features. */
#pragma once

#include "distances/kit/device.h"

enum { DISTANCES_FEATURES_PLANES = 4 }; // with more planes in binary, the unfolded rows would be too long

/* Features of a site: one per value, or two per plane in unary. */
static __host__ __device__ inline int distances_features(int planes, int steps) {
    return steps ? 2 * planes : 1 << planes;
}

/* ANDs and additions of bits: each row of features with each column of features, and present with present. */
template <wl_rate RATE> static void distances_features_cost(const wl_device *, const void *input, wl_cost *cost) {
    const distances_input *in = (const distances_input *)input;
    const double kinds = distances_features(in->planes, in->sum == DISTANCES_STEPS) + (in->complete ? 0 : 1);
    distances_cost(in, 2 * (double)in->sites * kinds, RATE, cost);
}
