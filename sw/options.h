/* What a command line asks of the problem `sw`. */
#pragma once

#include "harness/bench/problem.h"
#include "sw/generate.h"
#include "sw/scoring/scoring.h"

#define SW_QUERIES_MOST 1000 // random ones

extern const wl_option sw_options[];

/* What does not go together is WL_BAD_USAGE, said before anything is read. */
wl_status sw_options_check(const wl_arguments *arguments);

wl_status sw_options_scoring(const wl_arguments *arguments, sw_scoring *scoring);
/* "144,375" into lengths [SW_QUERIES_MOST]. */
wl_status sw_options_lengths(const wl_arguments *arguments, uint32_t *lengths, size_t *count);
wl_status sw_options_recipe(const wl_arguments *arguments, uint64_t seed, sw_recipe *recipe);
