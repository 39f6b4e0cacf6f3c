#include "io/database/alphabet.h"

#include <ctype.h>
#include <string.h>

static const char *letters_of(sw_alphabet alphabet) {
    return alphabet == SW_PROTEIN ? SW_PROTEIN_LETTERS : SW_NUCLEOTIDE_LETTERS;
}

int sw_code(sw_alphabet alphabet, int letter) {
    letter = letter >= 0 && letter <= 0x7F ? toupper(letter) : 0;
    if (letter == 0) return -1; // which strchr would find at the string's end
    if (alphabet == SW_NUCLEOTIDE && letter == 'U') letter = 'T';
    const char *letters = letters_of(alphabet), *found = strchr(letters, letter);
    return found ? (int)(found - letters) : -1;
}

char sw_letter(sw_alphabet alphabet, int code) {
    const char *letters = letters_of(alphabet);
    return code >= 0 && code < (int)strlen(letters) ? letters[code] : '?';
}
