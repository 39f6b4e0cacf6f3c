/* What an alignment scores: a substitution matrix and the price of gaps.

   Two ways of counting gaps are in use. BLAST's "open 11, extend 1" is 11 + k for a gap of k residues. In the paper and in most
   kernels, G_open is the price of a gap's first residue, and G_ext that of each further one. Command lines use BLAST's numbers,
   everything else the paper's: G_open = open + extend, G_ext = extend. sw_scoring_gaps is the one place that converts. */
#pragma once

#include <stdint.h>

#include "io/database/view.h"

#define SW_SCORE_MOST 127 // of a matrix's scores, either sign
#define SW_GAP_MOST 10000 // of G_open and G_ext

typedef struct {
    char name[64]; // "BLOSUM62", a matrix file's name, "+2/-3"
    sw_alphabet alphabet;
    /* [query code][subject code]; -SW_SCORE_MOST in SW_END's row and column and beyond */
    int8_t matrix[SW_CODES][SW_CODES];
    char missing[24];         // amino acids that a file has no row or no column for, as a string; "" when it is whole
    int highest, lowest;      // over the letters' scores
    int gap_open, gap_extend; // the paper's G_open >= G_ext >= 0
} sw_scoring;
