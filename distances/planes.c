#include "distances/planes.h"

enum { WORD = 64 }; // sites in a word

size_t distances_words(uint64_t sites) {
    const uint64_t line = (uint64_t)WORD * DISTANCES_WORDS_ALIGN;
    return (size_t)((sites + line - 1) / line * DISTANCES_WORDS_ALIGN);
}

int distances_planes(distances_sum sum, int values) {
    int planes = 1;
    if (sum == DISTANCES_STEPS) return values > 2 ? values - 1 : 1;
    while (1 << planes < values) planes++;
    return planes;
}

/* The planes' bits of a value: in unary, as many ones as it is large. */
static unsigned code_of(distances_sum sum, unsigned value) {
    return sum == DISTANCES_STEPS ? (1u << value) - 1 : value;
}

/* `count` sites, at most a word, into code [planes]; returns the word of those present. */
static uint64_t pack_word(distances_sum sum, int planes, size_t count, const uint8_t *value, uint64_t *code) {
    uint64_t present = 0;
    for (int p = 0; p < planes; p++) code[p] = 0;
    for (size_t k = 0; k < count; k++) {
        if (value[k] == DISTANCES_MISSING) continue;
        const unsigned bits = code_of(sum, value[k]);
        present |= (uint64_t)1 << k;
        for (int p = 0; p < planes; p++) code[p] |= (uint64_t)(bits >> p & 1) << k;
    }
    return present;
}

uint64_t distances_pack(distances_sum sum, int planes, uint64_t sites, const uint8_t *value, size_t words,
                        uint64_t *bits) {
    uint64_t missing = 0, code[DISTANCES_PLANES_MOST];
    for (size_t w = 0; w < words; w++) {
        const uint64_t first = (uint64_t)w * WORD;
        const size_t count = first >= sites ? 0 : sites - first < WORD ? (size_t)(sites - first) : WORD;
        const uint64_t present = pack_word(sum, planes, count, value + (count > 0 ? first : 0), code);
        missing += count - (uint64_t)__builtin_popcountll(present);
        for (int p = 0; p < planes; p++) bits[(size_t)p * words + w] = code[p];
        bits[(size_t)planes * words + w] = present;
    }
    return missing;
}

void distances_unpack(distances_sum sum, int planes, uint64_t sites, const uint64_t *bits, size_t words,
                      uint8_t *value) {
    for (uint64_t k = 0; k < sites; k++) {
        const size_t w = (size_t)(k / WORD);
        unsigned found = 0;
        for (int p = 0; p < planes; p++) {
            const unsigned bit = bits[(size_t)p * words + w] >> k % WORD & 1;
            found += sum == DISTANCES_STEPS ? bit : bit << p;
        }
        value[k] = bits[(size_t)planes * words + w] >> k % WORD & 1 ? (uint8_t)found : DISTANCES_MISSING;
    }
}
