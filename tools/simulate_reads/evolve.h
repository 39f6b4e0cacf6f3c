/* The tree and the alignment of a simulation. */
#pragma once

#include "harness/base/random.h"
#include "tools/simulate_reads/simulate.h"

const char *papara_simulated_letters(papara_alphabet alphabet); // "ACGT" or the twenty
uint8_t papara_simulated_letter(papara_alphabet alphabet, wl_random *random);
/* A letter other than `letter`. DNA: a transition is as likely as both transversions together. */
char papara_substituted_letter(papara_alphabet alphabet, char letter, wl_random *random);

/* Fills row [taxa][sites] and writes the tree with the names [taxa]; *newick is the caller's to free. Every row has at
   least recipe->longest letters, every column at least one. */
wl_status papara_evolve(const papara_recipe *recipe, char *const *name, char *const *row, char **newick);
