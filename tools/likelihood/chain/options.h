/* What the options of `warpladder likelihood --chain` ask for. */
#ifndef TOOLS_LIKELIHOOD_CHAIN_OPTIONS_H
#define TOOLS_LIKELIHOOD_CHAIN_OPTIONS_H

#include "harness/bench/problem.h"
#include "tools/likelihood/chain/sample.h"

/* Without --chain *request stays as it is. WL_BAD_USAGE names the option. */
wl_status peeling_sample_options(const wl_arguments *own, peeling_sample_request *request);

#endif
