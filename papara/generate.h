/* Random vectors and reads: the same on every machine, whatever the number of threads. */
#pragma once

#include "papara/alphabet.h"
#include "papara/problem.h"

typedef enum {
    PAPARA_KIND_CUT,       // vectors related like the edges of a tree, and reads cut from them, with errors
    PAPARA_KIND_RANDOM,    // everything independent
    PAPARA_KIND_GAPS,      // as cut, with many runs of CGAP in the vectors and of lost and added letters in the reads
    PAPARA_KIND_AMBIGUOUS, // independent, every set of states and every code equally often, CGAP on every other site
    PAPARA_KIND_ALLGAP,    // as cut, and every site has CGAP
    PAPARA_KIND_REPEAT,    // vectors and reads repeat one to three letters: many equal alignments
    PAPARA_KINDS
} papara_kind;

typedef struct {
    uint64_t seed;
    papara_alphabet alphabet;
    papara_kind kind;
    papara_penalties penalties;
    size_t vectors, reads;
    uint32_t sites;
    const uint32_t *lengths;                 // [length_count]: read r has lengths[r % length_count]
    size_t length_count;                     // 0: drawn from shortest .. longest with the mean read_length
    uint32_t read_length, shortest, longest; // 1 <= shortest <= read_length <= longest <= sites
} papara_random_recipe;

/* An input that owns its memory. */
typedef struct {
    papara_input input;
    void *site, *start; // `start` is the block of start, length and codes
} papara_owned_input;

/* On success free with papara_owned_input_free. WL_NO_MACHINE when memory is short. */
wl_status papara_generate(const papara_random_recipe *recipe, papara_owned_input *made);
void papara_owned_input_free(papara_owned_input *made);
