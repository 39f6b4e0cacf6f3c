/* Options of the problem `papara`. */
#pragma once

#include "harness/bench/problem.h"
#include "papara/generate.h"

enum { PAPARA_LENGTHS_MOST = 1000 }; // the most values of --read-lengths

extern const wl_option papara_options[];

/* --mismatch, --insertion, --gap-open, --gap-extend and --cgap, of any command that has options of these names. */
wl_status papara_options_penalties(const wl_arguments *arguments, papara_penalties *penalties);

/* lengths [PAPARA_LENGTHS_MOST]: memory for recipe->lengths. WL_BAD_USAGE: options that exclude each other, or reads that are longer
   than the vectors. */
wl_status papara_options_recipe(const wl_arguments *arguments, uint64_t seed, uint32_t *lengths,
                                papara_random_recipe *recipe);
