/* The skeleton that every core includes: 4 x 4 distances from two panels of planes, and the packing of the planes.

   The including file says how its vectors work:
       vector, VECTOR_BYTES         its type, of 16, 32 or 64 bytes, with the compiler's operators
       DIFFER(t, a, b)              t | (a ^ b): one more plane's differences joined to those found so far
       pack_64(values, planes, out) 64 values into one 64-bit word a plane, or-ed into out[0 .. planes-1]
   and then either
       ADD_TILE                     defined: there is a population count of vectors
         count_bits(v)              of each 64-bit lane
         add_tile(sums, counts)     adds the lanes of counts[row][column] to sums[row][column]
   or
       COLUMNS                      distances of one row to count at once: as many as the registers hold
       ADD_BITS(a, b, sum, carry)   the bits a + b + sum: their low bit replaces sum, their high bit carry
         count_bits(v)              of each byte
         add_bytes(v)               the sum of the eight bytes of each 64-bit lane
         add_lanes(v)               the sum of a vector's 64-bit lanes */
#ifndef LESSONS_CPU_SIMD_TILE_H
#define LESSONS_CPU_SIMD_TILE_H

#include <string.h>

#include "lessons/cpu_simd/core.h"

#define INLINE static inline __attribute__((always_inline))

INLINE vector load(const unsigned char *from) { return *(const vector *)from; }

#ifdef ADD_TILE

/* A population count of its own instruction: count every word as it comes. The 16 counters stay in registers over the
   whole call, and a word that was loaded serves four distances. */
INLINE void count_tile(const int planes, const unsigned char *rows, const unsigned char *columns, size_t words,
                       int sums[PANEL][PANEL]) {
    vector counts[PANEL][PANEL] = {{{0}}};
    for (size_t k = 0; k < words; k++) {
        for (int r = 0; r < PANEL; r++) {
            vector differ[PANEL];
            for (int p = 0; p < planes; p++) {
                vector row = load(rows + (r * planes + p) * WORD_BYTES);
                for (int c = 0; c < PANEL; c++) {
                    vector column = load(columns + (c * planes + p) * WORD_BYTES);
                    if (p == 0) differ[c] = row ^ column;
                    if (p > 0) differ[c] = DIFFER(differ[c], row, column);
                }
            }
            for (int c = 0; c < PANEL; c++) counts[r][c] += count_bits(differ[c]);
        }
        rows += PANEL * planes * WORD_BYTES;
        columns += PANEL * planes * WORD_BYTES;
    }
    add_tile(sums, counts);
}

#else

/* Counting bits costs six instructions or more here, so first add the difference words as one-bit numbers: a carry-save
   adder takes three words and gives two, their sum and their carry (Harley and Seal; Mula, Kurz & Lemire 2018).
   Three adders turn four words into one of weight four, and only that one is counted. Trees of eight and sixteen
   were tried: what they save in counting they lose in registers and in rows that end before a group does. */
enum {
    PARTS = WORD_BYTES / VECTOR_BYTES, /* vectors in a word */
    GROUP = 4,                         /* vectors that are added before one is counted */
    MOST_GROUPS = 31,                  /* a byte counts up to 8 bits a group and holds 255 */
};

/* One row against COLUMNS columns. */
typedef struct {
    const unsigned char *row, *columns;
    vector ones[COLUMNS], twos[COLUMNS]; /* differences that have not yet made a four */
} strip;

/* Attributes that differ in vector `i` from where the strip stands. */
INLINE void difference(const int planes, const strip *at, int i, vector differ[COLUMNS]) {
    ptrdiff_t offset = i / PARTS * (PANEL * planes * WORD_BYTES) + i % PARTS * VECTOR_BYTES;
    for (int p = 0; p < planes; p++) {
        vector row = load(at->row + offset + p * WORD_BYTES);
        for (int c = 0; c < COLUMNS; c++) {
            vector column = load(at->columns + offset + (c * planes + p) * WORD_BYTES);
            if (p == 0) differ[c] = row ^ column;
            if (p > 0) differ[c] = DIFFER(differ[c], row, column);
        }
    }
}

/* sum + a + b in each column: the sum replaces `sum`, the carry goes to `carry`. */
INLINE void add(vector sum[COLUMNS], const vector a[COLUMNS], const vector b[COLUMNS], vector carry[COLUMNS]) {
    for (int c = 0; c < COLUMNS; c++) ADD_BITS(a[c], b[c], sum[c], carry[c]);
}

INLINE void add2(const int planes, strip *at, int i, vector carry[COLUMNS]) {
    vector first[COLUMNS], second[COLUMNS];
    difference(planes, at, i, first);
    difference(planes, at, i + 1, second);
    add(at->ones, first, second, carry);
}

INLINE void add4(const int planes, strip *at, vector carry[COLUMNS]) {
    vector first[COLUMNS], second[COLUMNS];
    add2(planes, at, 0, first);
    add2(planes, at, 2, second);
    add(at->twos, first, second, carry);
}

INLINE void count_strip(const int planes, strip at, size_t words, int sums[COLUMNS]) {
    const size_t stride = PANEL * planes * WORD_BYTES;
    vector fours[COLUMNS] = {{0}}, rest[COLUMNS] = {{0}}; // byte counters
    size_t k = 0;
    for (; k + GROUP / PARTS <= words; k += GROUP / PARTS) {
        vector carry[COLUMNS];
        add4(planes, &at, carry);
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
            vector differ[COLUMNS];
            difference(planes, &at, part, differ);
            for (int c = 0; c < COLUMNS; c++) rest[c] += count_bits(differ[c]);
        }
        at.row += stride;
        at.columns += stride;
    }
    for (int c = 0; c < COLUMNS; c++) sums[c] += add_lanes((add_bytes(fours[c]) << 2) + add_bytes(rest[c]));
}

INLINE void count_tile(const int planes, const unsigned char *rows, const unsigned char *columns, size_t words,
                       int sums[PANEL][PANEL]) {
    const size_t stride = PANEL * planes * WORD_BYTES;
    while (words > 0) { // as many words at a time as the byte counters hold
        size_t some = words < MOST_GROUPS * GROUP / PARTS ? words : MOST_GROUPS * GROUP / PARTS;
        for (int r = 0; r < PANEL; r++) {
            for (int c = 0; c < PANEL; c += COLUMNS) {
                strip at = {rows + r * planes * WORD_BYTES, columns + c * planes * WORD_BYTES, {{0}}, {{0}}};
                count_strip(planes, at, some, &sums[r][c]);
            }
        }
        rows += some * stride;
        columns += some * stride;
        words -= some;
    }
}

#endif

INLINE void pack_row(const int planes, const int *values, size_t count, size_t words, unsigned char *out) {
    for (size_t k = 0; k < words; k++) {
        for (int q = 0; q < WORD_ATTRIBUTES / 64; q++) {
            uint64_t bits[MOST_PLANES] = {0};
            if (count >= 64) {
                pack_64(values, planes, bits);
                values += 64;
                count -= 64;
            } else if (count > 0) {
                int last[64] = {0};
                memcpy(last, values, sizeof(int) * count);
                pack_64(last, planes, bits);
                count = 0;
            }
            for (int p = 0; p < planes; p++) memcpy(out + p * WORD_BYTES + q * 8, &bits[p], 8);
        }
        out += PANEL * planes * WORD_BYTES;
    }
}

/* One function for every number of planes, so that the compiler knows it and unrolls the loops over it. */
#define FOR_PLANES(P)                                                                            \
    static void pack_##P(const int *values, size_t count, size_t words, unsigned char *out) {    \
        pack_row(P, values, count, words, out);                                                  \
    }                                                                                            \
    static void count_##P(const unsigned char *rows, const unsigned char *columns, size_t words, \
                          int sums[PANEL][PANEL]) {                                              \
        count_tile(P, rows, columns, words, sums);                                               \
    }

FOR_PLANES(1)
FOR_PLANES(2)
FOR_PLANES(3)
FOR_PLANES(4)
FOR_PLANES(5)
FOR_PLANES(6)
FOR_PLANES(7)
FOR_PLANES(8)

static const cpu_simd_core core = {
    .pack = {NULL, pack_1, pack_2, pack_3, pack_4, pack_5, pack_6, pack_7, pack_8},
    .count = {NULL, count_1, count_2, count_3, count_4, count_5, count_6, count_7, count_8},
};

#endif
