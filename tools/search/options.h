/* What the options of `warpladder search` ask for. */
#pragma once

#include "harness/bench/problem.h"
#include "tools/search/search.h"

/* Scoring, statistics, and of the request strands and thresholds. WL_BAD_USAGE names the option; WL_BAD_INPUT: a file of scores without
   an amino acid. */
wl_status sw_search_options(const wl_arguments *own, sw_scoring *scoring, sw_statistics *statistics,
                            sw_search_request *request);
