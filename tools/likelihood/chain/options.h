/* What the options of `warpladder likelihood --chain` ask for. */
#pragma once

#include "harness/bench/problem.h"
#include "tools/likelihood/chain/sample.h"

/* Without --chain *request stays as it is. WL_BAD_USAGE names the option. */
wl_status peeling_sample_options(const wl_arguments *own, peeling_sample_request *request);
