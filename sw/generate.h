/* Random queries and databases: the same on every machine, whatever the number of threads. */
#pragma once

#include "io/database/set.h"

typedef enum {
    SW_KIND_RANDOM,    // independent residues
    SW_KIND_IDENTICAL, // all subjects the same random sequence: the paper's Regular databases
    SW_KIND_RELATED,   // subjects are mutated copies of the queries: high scores, short gaps
    SW_KIND_GAPS,      // the same with few substitutions and many long gaps
    SW_KIND_REPEAT,    // one residue over and over: highest scores; every other subject repeats another letter
    SW_KIND_UNKNOWN,   // nothing but X (or N)
    SW_KIND_LETTERS,   // every letter of the alphabet equally often, B Z X J U O and * too
    SW_KINDS
} sw_kind;

typedef struct {
    uint64_t seed;
    sw_alphabet alphabet;
    sw_kind kind;
    size_t subjects;
    uint32_t length;  // of every subject; 0: as Swiss-Prot's, lognormal with median 295 and sigma 0.63
    uint32_t longest; // a longer one is drawn again (SW_DRAWN_LEAST .. SW_DRAWN_MOST)
    uint32_t outlier; // the length of one subject, whatever the others'; 0: none
    uint64_t letters; // lengths as Swiss-Prot's are scaled to add up to it; 0: as drawn
} sw_recipe;

#define SW_DRAWN_LEAST 50
#define SW_DRAWN_MOST 40000

/* On success free with sw_owned_set_free. WL_NO_MACHINE when memory is short. lengths [count]. */
wl_status sw_generate_queries(const sw_recipe *recipe, size_t count, const uint32_t *lengths, sw_owned_set *queries);
/* Longest first. WL_BAD_USAGE when no lengths from 1 to recipe->longest add up to recipe->letters. `queries` are what related subjects are related to. */
wl_status sw_generate_database(const sw_recipe *recipe, const sw_set *queries, sw_owned_set *database);
