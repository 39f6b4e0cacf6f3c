/* The model of `warpladder likelihood`, from its options. */
#pragma once

#include "harness/bench/problem.h"
#include "peeling/model/model.h"
#include "tools/likelihood/likelihood.h"

/* Reads --model and the options that have a model's numbers: classes, alpha, median, invariant, kappa, omega, rates, frequencies and
   code. A model of a file is kept until the next call. WL_BAD_USAGE or WL_BAD_INPUT: one line. */
wl_status peeling_likelihood_model_options(const wl_arguments *own, peeling_settings *settings);

/* --prune, --drop-constant and --constant-sites. */
wl_status peeling_likelihood_data_options(const wl_arguments *own, peeling_likelihood_request *request);
