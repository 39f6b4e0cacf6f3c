/* The options of the problem `peeling`. */
#pragma once

#include "harness/bench/problem.h"
#include "peeling/simulate/simulate.h"

extern const wl_option peeling_options[];

/* WL_BAD_USAGE names the option, and what was expected in its place. */
wl_status peeling_options_recipe(const wl_arguments *arguments, uint64_t seed, peeling_recipe *recipe);
