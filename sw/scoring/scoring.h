/* Makes scoring schemes (scheme.h): of a named matrix, of a file, or of match and mismatch; and sets the price of gaps. */
#pragma once

#include "harness/base/linkage.h"
#include "harness/base/error.h"
#include "sw/scoring/scheme.h"

WL_C_BEGIN

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

WL_C_END
