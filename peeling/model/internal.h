/* What the files of peeling/model/ share. */
#ifndef PEELING_MODEL_INTERNAL_H
#define PEELING_MODEL_INTERNAL_H

#include "peeling/model/model.h"

/* The frequencies of Whelan & Goldman 2001 in the order ARNDCQEGHILKMFPSTWYV, and their exchange rates [20][20],
   symmetric and 0 on the diagonal. */
extern const double peeling_wag_frequency[20];
void peeling_wag_exchange(double *exchange);

/* Fills eigenvalue, right and left of a model whose states and frequency are set, with those of Q[i][j] =
   exchange[i][j] frequency[j] scaled to one expected substitution. exchange [states][states], symmetric, the largest 1;
   the chain reaches every state. WL_NO_MACHINE: LAPACK failed. WL_BAD_INPUT: a state is reached too rarely. */
wl_status peeling_model_decompose(const double *exchange, peeling_model *model);

#endif
