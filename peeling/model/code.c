/* Genetic codes, and the letters of alignments. */
#include <string.h>

#include "peeling/model/model.h"

const char *const peeling_code_names[] = {"standard", "vertebrate-mitochondrial", NULL};

/* The amino acid of each codon from AAA to TTT, stop codons as '*' (NCBI's translation tables 1 and 2, in our
   order). */
static const char standard[] = "KNKNTTTTRSRSIIMIQHQHPPPPRRRRLLLLEDEDAAAAGGGGVVVV*Y*YSSSS*CWCLFLF";
static const char mitochondrial[] = "KNKNTTTT*S*SMIMIQHQHPPPPRRRRLLLLEDEDAAAAGGGGVVVV*Y*YSSSSWCWCLFLF";

static const char nucleotides[] = "ACGT", amino_acids[] = "ARNDCQEGHILKMFPSTWYV";

static const char *table_of(peeling_genetic_code code) {
    return code == PEELING_CODE_VERTEBRATE_MITOCHONDRIAL ? mitochondrial : standard;
}

/* Of 64, the one that is state `state`. */
static int codon_of(const char *table, int state) {
    for (int codon = 0; codon < 64; codon++)
        if (table[codon] != '*' && state-- == 0) return codon;
    return -1;
}

void peeling_codon_letters(peeling_genetic_code code, int state, char letters[4]) {
    int codon = codon_of(table_of(code), state);
    letters[0] = nucleotides[codon / 16];
    letters[1] = nucleotides[codon / 4 % 4];
    letters[2] = nucleotides[codon % 4];
    letters[3] = '\0';
}

int peeling_codon_amino_acid(peeling_genetic_code code, int state) {
    const char *table = table_of(code);
    return (int)(strchr(amino_acids, table[codon_of(table, state)]) - amino_acids);
}

/* --- Characters of alignments ------------------------------------------------------------------------------------- */

/* Either case, whatever the locale. */
static char upper(char letter) { return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter; }

/* Bits of A, C, G, T. */
static unsigned nucleotide_set(char letter) {
    switch (upper(letter)) {
        case 'A':
            return 1;
        case 'C':
            return 2;
        case 'G':
            return 4;
        case 'T':
        case 'U':
            return 8;
        case 'M':
            return 1 | 2;
        case 'R':
            return 1 | 4;
        case 'W':
            return 1 | 8;
        case 'S':
            return 2 | 4;
        case 'Y':
            return 2 | 8;
        case 'K':
            return 4 | 8;
        case 'V':
            return 1 | 2 | 4;
        case 'H':
            return 1 | 2 | 8;
        case 'D':
            return 1 | 4 | 8;
        case 'B':
            return 2 | 4 | 8;
        case 'N':
        case 'X':
        case '-':
        case '?':
        case '.':
            return 15;
        default:
            return 0;
    }
}

static unsigned amino_acid_bit(char letter) {
    const char *found = letter != '\0' ? strchr(amino_acids, letter) : NULL;
    return found ? 1u << (found - amino_acids) : 0;
}

static unsigned amino_acid_set(char letter) {
    switch (upper(letter)) {
        case 'B':
            return amino_acid_bit('N') | amino_acid_bit('D');
        case 'Z':
            return amino_acid_bit('Q') | amino_acid_bit('E');
        case 'J':
            return amino_acid_bit('I') | amino_acid_bit('L');
        case 'O': // pyrrolysine and selenocysteine are none of the twenty, but no mistake either
        case 'U':
        case 'X':
        case '-':
        case '?':
        case '.':
            return (1u << 20) - 1;
        default:
            return amino_acid_bit(upper(letter));
    }
}

static unsigned long long codon_set(peeling_genetic_code code, const char *letters) {
    const char *table = table_of(code);
    unsigned set[3];
    for (int i = 0; i < 3; i++) {
        set[i] = nucleotide_set(letters[i]);
        if (set[i] == 0) return 0; // also a text that ends here
    }
    unsigned long long states = 0;
    for (int codon = 0, state = 0; codon < 64; codon++) {
        if (table[codon] == '*') continue;
        if (set[0] >> codon / 16 & set[1] >> codon / 4 % 4 & set[2] >> codon % 4 & 1) states |= 1ull << state;
        state++;
    }
    return states;
}

unsigned long long peeling_character(peeling_alphabet alphabet, peeling_genetic_code code, const char *letters) {
    if (alphabet == PEELING_NUCLEOTIDES) return nucleotide_set(*letters);
    return alphabet == PEELING_AMINO_ACIDS ? amino_acid_set(*letters) : codon_set(code, letters);
}
