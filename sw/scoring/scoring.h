/* What an alignment scores: a substitution matrix and the price of gaps.

   Two ways of counting gaps are in use. BLAST's "open 11, extend 1" is 11 + k for a gap of k residues; the paper's
   (and most kernels') G_open is the price of a gap's first residue, G_ext of each further one. Command lines
   speak BLAST's, everything below speaks the paper's: G_open = open + extend, G_ext = extend. sw_scoring_gaps is the one
   place that converts. */
#ifndef SW_SCORING_SCORING_H
#define SW_SCORING_SCORING_H

#include <stdint.h>

#include "harness/base/error.h"
#include "io/database/alphabet.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SW_SCORE_MOST 127 /* of a matrix's scores, either sign */
#define SW_GAP_MOST 10000 /* of G_open and G_ext */

typedef struct {
    char name[64]; /* "BLOSUM62", a matrix file's name, "+2/-3" */
    sw_alphabet alphabet;
    int8_t matrix[SW_CODES]
                 [SW_CODES]; /* [query code][subject code]; -SW_SCORE_MOST in SW_END's row and column and beyond */
    char missing[24];        /* amino acids that a file has no row or no column for, as a string; "" when it is whole */
    int highest, lowest;     /* over the letters' scores */
    int gap_open, gap_extend; /* the paper's G_open >= G_ext >= 0 */
} sw_scoring;

/* A matrix by name (BLOSUM45, 50, 62, 80, 90, PAM30, 70, 250, either case) or else from a file in NCBI's format. U scores as C
   and O as X, as in BLAST; a letter the file does not have scores as X, or the lowest score where it has no X either.
   An unknown name that is no file: WL_BAD_USAGE with the names; a broken file: WL_BAD_INPUT. The gaps are set to BLAST's
   default for the matrix (11, 1 for BLOSUM62 and for files). */
wl_status sw_scoring_named(const char *matrix, sw_scoring *scoring);
/* Nucleotides: `match` > 0 for equal bases, `mismatch` < 0 for others; ambiguity codes by BLAST's rule. Gaps 5, 2. */
wl_status sw_scoring_nucleotide(int match, int mismatch, sw_scoring *scoring);
/* Gaps as BLAST counts: `open` + k * `extend`. Out of range: WL_BAD_USAGE. */
wl_status sw_scoring_gaps(int open, int extend, sw_scoring *scoring);
/* The names sw_scoring_named knows, NULL-terminated. */
const char *const *sw_scoring_names(void);

#ifdef __cplusplus
}
#endif
#endif
