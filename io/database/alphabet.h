/* Letters and their codes (view.h). */
#pragma once

#include "harness/base/linkage.h"
#include "io/database/view.h"

WL_C_BEGIN

/* The letters in the order of their codes: the twenty amino acids, then B Z X J U O *; or A C G T, then IUPAC's sets
   R Y S W K M B D H V N. */
#define SW_PROTEIN_LETTERS "ARNDCQEGHILKMFPSTWYVBZXJUO*"
#define SW_NUCLEOTIDE_LETTERS "ACGTRYSWKMBDHVN"

/* The code of `letter` in either case (nucleotides: U is T); -1 when the alphabet does not have it. */
int sw_code(sw_alphabet alphabet, int letter);
/* The letter of a code; '?' for SW_END and beyond. */
char sw_letter(sw_alphabet alphabet, int code);

WL_C_END
