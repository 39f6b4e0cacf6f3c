/* Data with a known truth: a tree, sequences evolved down it with insertions and deletions, reads cut from places known. */
#ifndef PAPARA_SIMULATE_H
#define PAPARA_SIMULATE_H

#include <stdint.h>

#include "harness/base/error.h"
#include "papara/alphabet.h"

typedef struct {
    papara_alphabet alphabet;
    uint32_t taxa;  // >= 3
    uint32_t sites; // columns of the alignment, exactly
    uint32_t reads;
    uint32_t shortest, longest; // of reads, every length in between equally likely
    double depth;               // expected substitutions a site from the root to a tip, 0.15
    double indels;              // insertions and deletions for each substitution, 0.02
    double error;               // of a read's letter to be another, 0.01
    double indel_error;         // of a read to lose or gain a letter, for each letter, 0.001
    uint64_t seed;
} papara_recipe;

/* All of it in one owner; texts as files would have them. */
typedef struct {
    char *newick;
    uint32_t taxa, sites, reads;
    char **name;      // [taxa]
    char **row;       // [taxa][sites], NUL-terminated; '-' is a gap
    char **read_name; // [reads]
    char **read;      // [reads], letters without gaps, NUL-terminated
    uint32_t *source; // [reads]: the taxon it was cut from
    int32_t **column; // [reads][letters]: the alignment's column of each letter; -1: a letter that an error put in
} papara_simulated;

wl_status papara_simulate(const papara_recipe *recipe, papara_simulated *simulated);
void papara_simulated_free(papara_simulated *simulated);

/* The same as files of a folder, each whole or absent: tree.nwk, reference.fasta, reads.fasta, and truth.tsv with the taxon and the
   columns of each read's letters, from 1. All are opened before anything is simulated. Errors as of wl_outfile_open and
   wl_outfile_commit; WL_NO_MACHINE, too: no memory. */
wl_status papara_simulate_into(const papara_recipe *recipe, const char *folder);

#endif
