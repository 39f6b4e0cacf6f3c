/* The options of the problem `peeling`. */
#ifndef PEELING_OPTIONS_H
#define PEELING_OPTIONS_H

#include "harness/bench/problem.h"
#include "peeling/simulate/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const wl_option peeling_options[];

/* WL_BAD_USAGE names the option, and what was expected in its place. */
wl_status peeling_options_recipe(const wl_arguments *arguments, uint64_t seed, peeling_recipe *recipe);

/* Option `name` as a number from low to high, both allowed; "inf" is one where high is infinite. */
wl_status peeling_option_number(const wl_arguments *arguments, const char *name, double low, double high,
                                double *value);

#ifdef __cplusplus
}
#endif
#endif
