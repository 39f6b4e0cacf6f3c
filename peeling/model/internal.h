/* What the files of peeling/model/ share. */
#pragma once

#include "harness/base/text.h"
#include "peeling/model/model.h"

/* The files of data/; the last has no name. */
extern const wl_named_text peeling_published[];

/* By peeling_model_kind. */
typedef struct {
    const char *name;
    peeling_alphabet alphabet;
    peeling_frequencies frequencies; // the default; PEELING_EQUAL: there are no others
} peeling_known_model;
extern const peeling_known_model peeling_known_models[PEELING_MODELS];

/* The first exchange rate, 0 to 5, that the k-th of GTR's is equal to. */
int peeling_alike(const peeling_settings *settings, int k);

/* A model's exchange rates [20][20], symmetric and 0 on the diagonal. */
void peeling_empirical_exchange(const peeling_empirical *model, double *exchange);

/* Fills eigenvalue, right and left of a model whose states and frequency are set, with those of Q[i][j] =
   exchange[i][j] frequency[j] scaled to one expected substitution. exchange [states][states], symmetric, the largest 1;
   the chain reaches every state. WL_NO_MACHINE: LAPACK failed. WL_BAD_INPUT: a state is reached too rarely. */
wl_status peeling_model_decompose(const double *exchange, peeling_model *model);
