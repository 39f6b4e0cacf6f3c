/* count_square for instruction sets without a population count of vectors. Counting a vector's bits costs six instructions or
   more, so words are added as one-bit numbers first: a carry-save adder takes three and gives two, their sum and their
   carry (Harley and Seal; Mula, Kurz & Lemire 2018). Three adders turn four words into one of weight four, and only that
   one is counted.

   One row against COLUMNS columns at a time, as many as the registers hold, and one kind of bit at a time: first those of the
   distance, plane by plane where steps are summed, then those of the present values. The including file brings, beside what
   square.h wants:
       COLUMNS
       ADD_BITS(a, b, sum, carry)   the bits a + b + sum: their low bit replaces sum, their high bit carry
       count_bits(v)                of each byte
       add_bytes(v)                 the sum of the eight bytes of each 64-bit lane
       add_lanes(v)                 the sum of a vector's 64-bit lanes */
#ifndef DISTANCES_CPU_SIMD_CARRY_SAVE_H
#define DISTANCES_CPU_SIMD_CARRY_SAVE_H

#include "distances/cpu_simd/square.h"

enum {
    PARTS = WORD_BYTES / VECTOR_BYTES, /* vectors in a word */
    GROUP = 4,                         /* vectors that are added before one is counted */
    MOST_GROUPS = 31,                  /* a byte counts up to 8 bits a group and holds 255 */
    ANY_PLANE = -1,                    /* bits: sites at which any plane differs; 0 and on: that one */
    PRESENT = -2                       /* sites at which both values are present */
};

typedef struct {
    const unsigned char *row, *columns;
    vector ones[COLUMNS], twos[COLUMNS]; /* bits that have not yet made a four */
} strip;

/* Vector `i` from where the strip stands. */
INLINE void bits_at(const cpu_kind kind, const int bits, const strip *at, int i, vector found[COLUMNS]) {
    const ptrdiff_t instance = kind.kept * WORD_BYTES;
    const ptrdiff_t offset = i / PARTS * (PANEL * instance) + i % PARTS * VECTOR_BYTES;
    for (int c = 0; c < COLUMNS; c++) {
        const unsigned char *row = at->row + offset, *column = at->columns + c * instance + offset;
        const vector both = kind.complete ? (vector){0} : present(kind, row, column);
        if (bits == PRESENT) found[c] = both;
        if (bits == ANY_PLANE) found[c] = different(kind, row, column, both);
        if (bits >= 0) found[c] = steps(kind, bits, row, column, both);
    }
}

/* sum + a + b in each column: the sum replaces `sum`, the carry goes to `carry`. */
INLINE void add(vector sum[COLUMNS], const vector a[COLUMNS], const vector b[COLUMNS], vector carry[COLUMNS]) {
    for (int c = 0; c < COLUMNS; c++) ADD_BITS(a[c], b[c], sum[c], carry[c]);
}

INLINE void add2(const cpu_kind kind, const int bits, strip *at, int i, vector carry[COLUMNS]) {
    vector first[COLUMNS], second[COLUMNS];
    bits_at(kind, bits, at, i, first);
    bits_at(kind, bits, at, i + 1, second);
    add(at->ones, first, second, carry);
}

INLINE void add4(const cpu_kind kind, const int bits, strip *at, vector carry[COLUMNS]) {
    vector first[COLUMNS], second[COLUMNS];
    add2(kind, bits, at, 0, first);
    add2(kind, bits, at, 2, second);
    add(at->twos, first, second, carry);
}

INLINE void count_strip(const cpu_kind kind, const int bits, strip at, size_t words, uint32_t sums[COLUMNS]) {
    const size_t stride = (size_t)PANEL * kind.kept * WORD_BYTES;
    vector fours[COLUMNS] = {{0}}, rest[COLUMNS] = {{0}}; // byte counters
    size_t k = 0;
    for (; k + GROUP / PARTS <= words; k += GROUP / PARTS) {
        vector carry[COLUMNS];
        add4(kind, bits, &at, carry);
        for (int c = 0; c < COLUMNS; c++) fours[c] += count_bits(carry[c]);
        at.row += GROUP / PARTS * stride;
        at.columns += GROUP / PARTS * stride;
    }
    for (int c = 0; c < COLUMNS && k > 0; c++) {
        rest[c] = count_bits(at.twos[c]);
        rest[c] += rest[c] + count_bits(at.ones[c]);
    }
    for (; k < words; k++) { // words that make no group
        for (int part = 0; part < PARTS; part++) {
            vector found[COLUMNS];
            bits_at(kind, bits, &at, part, found);
            for (int c = 0; c < COLUMNS; c++) rest[c] += count_bits(found[c]);
        }
        at.row += stride;
        at.columns += stride;
    }
    for (int c = 0; c < COLUMNS; c++) sums[c] += (uint32_t)add_lanes((add_bytes(fours[c]) << 2) + add_bytes(rest[c]));
}

INLINE void count_bits_of(const cpu_kind kind, const int bits, const unsigned char *rows, const unsigned char *columns,
                          size_t words, uint32_t sums[PANEL][PANEL]) {
    const size_t instance = (size_t)kind.kept * WORD_BYTES, stride = PANEL * instance;
    while (words > 0) { // as many words at a time as the byte counters hold
        const size_t most = MOST_GROUPS * GROUP / PARTS, some = words < most ? words : most;
        for (int r = 0; r < PANEL; r++) {
            for (int c = 0; c < PANEL; c += COLUMNS) {
                strip at = {rows + r * instance, columns + c * instance, {{0}}, {{0}}};
                count_strip(kind, bits, at, some, &sums[r][c]);
            }
        }
        rows += some * stride;
        columns += some * stride;
        words -= some;
    }
}

INLINE void count_square(const cpu_kind kind, const unsigned char *rows, const unsigned char *columns, size_t words,
                         cpu_square *square) {
    if (kind.sum == DISTANCES_DIFFERENT) count_bits_of(kind, ANY_PLANE, rows, columns, words, square->distance);
    if (kind.sum == DISTANCES_STEPS)
        for (int p = 0; p < kind.planes; p++) count_bits_of(kind, p, rows, columns, words, square->distance);
    if (!kind.complete) count_bits_of(kind, PRESENT, rows, columns, words, square->compared);
}

#include "distances/cpu_simd/functions.h"

#endif
