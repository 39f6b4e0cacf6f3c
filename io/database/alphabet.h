/* Letters and their codes (view.h). */
#ifndef IO_DATABASE_ALPHABET_H
#define IO_DATABASE_ALPHABET_H

#include "io/database/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The letters in the order of their codes: the twenty amino acids, then B Z X J U O *; or A C G T, then IUPAC's sets
   R Y S W K M B D H V N. */
#define SW_PROTEIN_LETTERS "ARNDCQEGHILKMFPSTWYVBZXJUO*"
#define SW_NUCLEOTIDE_LETTERS "ACGTRYSWKMBDHVN"

/* The code of `letter` in either case (nucleotides: U is T); -1 when the alphabet does not have it. */
int sw_code(sw_alphabet alphabet, int letter);
/* The letter of a code; '?' for SW_END and beyond. */
char sw_letter(sw_alphabet alphabet, int code);

#ifdef __cplusplus
}
#endif
#endif
