/* Genetic codes, and the letters of alignments. */
#include <string.h>

#include "peeling/model/model.h"

/* NCBI's translation tables, each as NCBI writes it: codons in the order TTT, TTC, TTA, TTG, TCT .. GGG, stop codons as '*'. A codon
   that is a stop only in some places has its amino acid. */
static const struct {
    int number;
    const char *amino_acids;
} tables[] = {
    {1, "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {2, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG"},
    {3, "FFLLSSSSYY**CCWWTTTTPPPPHHQQRRRRIIMMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {4, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {5, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSSSVVVVAAAADDEEGGGG"},
    {6, "FFLLSSSSYYQQCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {9, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG"},
    {10, "FFLLSSSSYY**CCCWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {11, "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {12, "FFLLSSSSYY**CC*WLLLSPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {13, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSGGVVVVAAAADDEEGGGG"},
    {14, "FFLLSSSSYYY*CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG"},
    {15, "FFLLSSSSYY*QCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {16, "FFLLSSSSYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {21, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNNKSSSSVVVVAAAADDEEGGGG"},
    {22, "FFLLSS*SYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {23, "FF*LSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {24, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSSKVVVVAAAADDEEGGGG"},
    {25, "FFLLSSSSYY**CCGWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {26, "FFLLSSSSYY**CC*WLLLAPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {27, "FFLLSSSSYYQQCCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {28, "FFLLSSSSYYQQCCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {29, "FFLLSSSSYYYYCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {30, "FFLLSSSSYYEECC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {31, "FFLLSSSSYYEECCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {32, "FFLLSSSSYY*WCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"},
    {33, "FFLLSSSSYYY*CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSSKVVVVAAAADDEEGGGG"},
};
enum { TABLES = sizeof tables / sizeof *tables };

static const char nucleotides[] = "ACGT", amino_acids[] = "ARNDCQEGHILKMFPSTWYV";

/* The amino acid of codon 0 to 63, in our order. */
static char meaning(peeling_genetic_code code, int codon) {
    static const int place[] = {2, 1, 3, 0}; // of A, C, G and T among NCBI's T, C, A, G
    return tables[code].amino_acids[16 * place[codon / 16] + 4 * place[codon / 4 % 4] + place[codon % 4]];
}

int peeling_code_numbered(int number, peeling_genetic_code *code) {
    for (int t = 0; t < TABLES; t++) {
        if (tables[t].number != number) continue;
        *code = (peeling_genetic_code)t;
        return 1;
    }
    return 0;
}

int peeling_code_number(peeling_genetic_code code) { return tables[code].number; }

int peeling_code_states(peeling_genetic_code code) {
    int states = 0;
    for (int codon = 0; codon < 64; codon++) states += meaning(code, codon) != '*';
    return states;
}

/* Of 64, the one that is state `state`. */
static int codon_of(peeling_genetic_code code, int state) {
    for (int codon = 0; codon < 64; codon++)
        if (meaning(code, codon) != '*' && state-- == 0) return codon;
    return -1;
}

void peeling_codon_letters(peeling_genetic_code code, int state, char letters[4]) {
    int codon = codon_of(code, state);
    letters[0] = nucleotides[codon / 16];
    letters[1] = nucleotides[codon / 4 % 4];
    letters[2] = nucleotides[codon % 4];
    letters[3] = '\0';
}

void peeling_codon_frequencies(peeling_settings *settings, const double of[3][4]) {
    memcpy(settings->nucleotide, of, sizeof settings->nucleotide);
    for (int s = 0; s < peeling_states_of(settings); s++) {
        const int codon = codon_of(settings->code, s);
        settings->frequency[s] = of[0][codon / 16] * of[1][codon / 4 % 4] * of[2][codon % 4];
    }
}

int peeling_codon_amino_acid(peeling_genetic_code code, int state) {
    return (int)(strchr(amino_acids, meaning(code, codon_of(code, state))) - amino_acids);
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
    unsigned set[3];
    for (int i = 0; i < 3; i++) {
        set[i] = nucleotide_set(letters[i]);
        if (set[i] == 0) return 0; // also a text that ends here
    }
    unsigned long long states = 0;
    for (int codon = 0, state = 0; codon < 64; codon++) {
        if (meaning(code, codon) == '*') continue;
        if (set[0] >> codon / 16 & set[1] >> codon / 4 % 4 & set[2] >> codon % 4 & 1) states |= 1ull << state;
        state++;
    }
    return states;
}

unsigned long long peeling_character(peeling_alphabet alphabet, peeling_genetic_code code, const char *letters) {
    if (alphabet == PEELING_NUCLEOTIDES) return nucleotide_set(*letters);
    return alphabet == PEELING_AMINO_ACIDS ? amino_acid_set(*letters) : codon_set(code, letters);
}
