#include "papara/alphabet.h"

#include <ctype.h>
#include <string.h>

enum { DNA_STATES = 4, PROTEIN_STATES = 20 };

/* A letter's place is its code, a set of the bits A = 1, C = 2, G = 4, T = 8 (NC-IUB 1984). Code 0 is the empty set and no letter. */
static const char dna_letters[] = " ACMGRSVTWYHKDBN";
/* A letter's place is its code. The first twenty are states; the ambiguous letters follow (IUPAC-IUB 1983). */
static const char protein_letters[] = "ARNDCQEGHILKMFPSTWYVBZJX";
static const char *const ambiguous[] = {"ND", "QE", "IL", "ARNDCQEGHILKMFPSTWYV"}; // of B, Z, J, X

int papara_states(papara_alphabet alphabet) { return alphabet == PAPARA_DNA ? DNA_STATES : PROTEIN_STATES; }

uint32_t papara_all_states(papara_alphabet alphabet) { return ((uint32_t)1 << papara_states(alphabet)) - 1; }

void papara_sets(papara_alphabet alphabet, uint32_t sets[PAPARA_CODES]) {
    const uint32_t all = papara_all_states(alphabet);
    for (uint32_t code = 0; code < PAPARA_CODES; code++) {
        if (alphabet == PAPARA_DNA)
            sets[code] = code >= 1 && code <= all ? code : all;
        else
            sets[code] =
                code < PROTEIN_STATES ? (uint32_t)1 << code : all; // also for codes without a letter: no set is empty
    }
    if (alphabet == PAPARA_DNA) return;
    for (size_t a = 0; a < sizeof ambiguous / sizeof *ambiguous; a++) {
        uint32_t set = 0;
        for (const char *letter = ambiguous[a]; *letter; letter++)
            set |= (uint32_t)1 << (strchr(protein_letters, *letter) - protein_letters);
        sets[PROTEIN_STATES + a] = set;
    }
}

int papara_unknown(papara_alphabet alphabet) { return papara_code(alphabet, alphabet == PAPARA_DNA ? 'N' : 'X'); }

int papara_code(papara_alphabet alphabet, unsigned char letter) {
    if (letter == '-' || letter == '.' || letter == '?') return PAPARA_GAP;
    if (letter > 0x7F || !isalpha(letter)) return PAPARA_NOT_A_LETTER;
    int upper = toupper(letter);
    if (upper == 'U') upper = alphabet == PAPARA_DNA ? 'T' : 'C'; // uracil; selenocysteine
    if (upper == 'O' && alphabet == PAPARA_PROTEIN) upper = 'K';  // pyrrolysine
    const char *letters = alphabet == PAPARA_DNA ? dna_letters : protein_letters, *found = strchr(letters, upper);
    return found ? (int)(found - letters) : PAPARA_NOT_A_LETTER;
}
