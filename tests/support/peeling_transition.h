/* Transition matrices of a model, for tests: no stage's own. */
#pragma once

#include <math.h>

#include "peeling/model/model.h"

/* P^(r)(t) [states][states], P[i][j] the probability of j after time t from i: identity + E
   expm1(lambda mu t) E^-1. This form is exact for t = 0 and keeps the digits of small probabilities
   for small t. What rounding makes negative is 0. Errors are about 1e-15 min(1, t)
   sqrt(frequency[j] / frequency[i]), so that only what needs several changes within a short time is
   without digits. `rate` is the class, from 0; t may be infinite. */
static inline void peeling_transition(const peeling_model *model, int rate, double t, double *P) {
    const int S = model->states;
    double factor[PEELING_STATES_MOST];
    for (int k = 0; k < S; k++) {
        const double speed = model->eigenvalue[k] * model->rate[rate];
        factor[k] = speed == 0 ? 0 : expm1(speed * t); // not 0 times infinity
    }
    for (int i = 0; i < S; i++) {
        double *row = P + i * S;
        for (int j = 0; j < S; j++) row[j] = 0;
        for (int k = 0; k < S; k++) {
            const double scaled = model->right[i * S + k] * factor[k];
            for (int j = 0; j < S; j++) row[j] += scaled * model->left[k * S + j];
        }
        row[i] += 1;
        for (int j = 0; j < S; j++)
            if (row[j] < 0) row[j] = 0;
    }
}
