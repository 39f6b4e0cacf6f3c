/* A model of substitution, ready to compute with; peeling/model/model.h makes one. */
#pragma once

enum { PEELING_STATES_MOST = 64, PEELING_RATES_MOST = 64 };

/* The generator is Q = E diag(eigenvalue) E^-1, scaled so that a branch of length 1 has one
   expected substitution a column (a codon, for codon models) at rate 1. Row i, column j of a matrix is at
   [i * states + j]. P^(r)(t) = E exp(eigenvalue * rate[r] * t) E^-1,
   computed as identity + E expm1(lambda mu t) E^-1, which keeps the digits of small probabilities for small t. */
typedef struct peeling_model {
    int states;                                              // S: 4, 20, 60 or 61
    int rates;                                               // R, at least 1
    double rate[PEELING_RATES_MOST];                         // mu_r of the paper's equation 5; their mean is 1
    double share[PEELING_RATES_MOST];                        // of the columns that have rate r; their sum is 1
    double frequency[PEELING_STATES_MOST];                   // pi, all above 0; their sum is 1
    double eigenvalue[PEELING_STATES_MOST];                  // lambda, the largest is exactly 0
    double right[PEELING_STATES_MOST * PEELING_STATES_MOST]; // E [state][k]
    double left[PEELING_STATES_MOST * PEELING_STATES_MOST];  // E^-1 [k][state]
} peeling_model;
