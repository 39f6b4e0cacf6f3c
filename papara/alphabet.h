/* Turns letters of files into sets of states and into codes of reads. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "papara/problem.h"

typedef enum { PAPARA_DNA, PAPARA_PROTEIN } papara_alphabet;

enum { PAPARA_NOT_A_LETTER = -1, PAPARA_GAP = -2 };

int papara_states(papara_alphabet alphabet);          // 4 or 20
uint32_t papara_all_states(papara_alphabet alphabet); // 15 or 0xfffff
/* The table papara_input.sets. */
void papara_sets(papara_alphabet alphabet, uint32_t sets[PAPARA_CODES]);
/* The code of a letter in upper or lower case. PAPARA_GAP: '-', '.', '?'. PAPARA_NOT_A_LETTER: anything else. DNA has IUPAC's letters,
   with U as T. Protein has the twenty, B, Z, J, X, U (as C) and O (as K); '*' is no letter. */
int papara_code(papara_alphabet alphabet, unsigned char letter);
int papara_unknown(papara_alphabet alphabet); // the code of N, or of X
