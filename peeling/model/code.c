/* Genetic codes, and the letters of alignments. */
#include <string.h>

#include "peeling/model/model.h"

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

void peeling_codon_frequencies(peeling_settings *settings, const double of[3][4]) {
    memcpy(settings->nucleotide, of, sizeof settings->nucleotide);
    for (int s = 0; s < peeling_states_of(settings); s++) {
        const int codon = codon_of(table_of(settings->code), s);
        settings->frequency[s] = of[0][codon / 16] * of[1][codon / 4 % 4] * of[2][codon % 4];
    }
}

int peeling_codon_amino_acid(peeling_genetic_code code, int state) {
    const char *table = table_of(code);
    return (int)(strchr(amino_acids, table[codon_of(table, state)]) - amino_acids);
}

/* --- Characters of alignments ------------------------------------------------------------------------------------- */

/* Either case, whatever the locale. */
static char upper(char letter) { return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter; }

/* Bits of A, C, G, T. */
static const unsigned char nucleotide_sets[256] = {
    ['A'] = 1,     ['C'] = 2,         ['G'] = 4,         ['T'] = 8,         ['U'] = 8,
    ['M'] = 1 | 2, ['R'] = 1 | 4,     ['W'] = 1 | 8,     ['S'] = 2 | 4,     ['Y'] = 2 | 8,
    ['K'] = 4 | 8, ['V'] = 1 | 2 | 4, ['H'] = 1 | 2 | 8, ['D'] = 1 | 4 | 8, ['B'] = 2 | 4 | 8,
    ['N'] = 15,    ['X'] = 15,        ['-'] = 15,        ['?'] = 15,        ['.'] = 15};

static unsigned nucleotide_set(char letter) { return nucleotide_sets[(unsigned char)upper(letter)]; }

static unsigned amino_acid_bit(char letter) {
    const char *found = letter != '\0' ? strchr(amino_acids, letter) : NULL;
    return found ? 1u << (found - amino_acids) : 0;
}

static unsigned amino_acid_set(char letter) {
    static const char pairs[][4] = {"BND", "ZQE", "JIL"};
    letter = upper(letter);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        if (letter == pairs[p][0]) return amino_acid_bit(pairs[p][1]) | amino_acid_bit(pairs[p][2]);
    // Pyrrolysine (O) and selenocysteine (U) are none of the twenty, but no mistake either.
    return letter != '\0' && strchr("OUX-?.", letter) ? (1u << 20) - 1 : amino_acid_bit(letter);
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
