/* Data with a known truth: a tree, sequences that evolved down it with insertions and deletions, and reads cut from known places. */
#pragma once

#include <stdint.h>

#include "harness/base/error.h"
#include "papara/alphabet.h"

typedef struct {
    papara_alphabet alphabet;
    uint32_t taxa;  // >= 3
    uint32_t sites; // columns of the alignment, exactly
    uint32_t reads;
    uint32_t shortest, longest; // of reads, every length in between equally likely
    double depth;               // expected substitutions per site from the root to a tip, 0.15
    double indels;              // insertions and deletions per substitution, 0.02
    double error;               // probability that a read's letter is wrong, 0.01
    double indel_error;         // probability per letter that a read loses or gains one, 0.001
    uint64_t seed;
} papara_recipe;

/* All data, with texts as in files. */
typedef struct {
    char *newick;
    uint32_t taxa, sites, reads;
    char **name;      // [taxa]
    char **row;       // [taxa][sites], NUL-terminated; '-' is a gap
    char **read_name; // [reads]
    char **read;      // [reads], letters without gaps, NUL-terminated
    uint32_t *source; // [reads]: the taxon it was cut from
    int32_t **column; // [reads][letters]: each letter's column of the alignment; -1: a letter that an error added
} papara_simulated;

wl_status papara_simulate(const papara_recipe *recipe, papara_simulated *simulated);
void papara_simulated_free(papara_simulated *simulated);

/* Writes the same to a folder, each file whole or absent: tree.nwk, reference.fasta, reads.fasta, and truth.tsv with each read's taxon and
   the columns of its letters, from 1. Opens all files before it simulates anything. Errors are those of wl_outfile_open and
   wl_outfile_commit; also WL_NO_MACHINE: no memory. */
wl_status papara_simulate_into(const papara_recipe *recipe, const char *folder);
