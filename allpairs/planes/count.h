/* Counting bit planes, in a program's own vectors: the functions of complete_each.c and missing_each.c. */
#pragma once

#include "allpairs/planes/core.h"
#include "allpairs/planes/vectors.h"

/* What a function is made for. Constants to the compiler, which unrolls the loops over planes. */
typedef struct {
    int steps, complete, planes;
    int compared; // the sites compared are counted, too
    int kept;     // planes in a panel
} kind_of;

INLINE vector load(const unsigned char *from) { return *(const vector *)from; }

/* `row` and `column` [kept][WORD_BYTES] are one word of two instances' planes. Returns the sites at which both values are present. */
INLINE vector present(const kind_of kind, const unsigned char *row, const unsigned char *column) {
    return load(row + kind.planes * WORD_BYTES) & load(column + kind.planes * WORD_BYTES);
}

/* The sites at which plane p differs. */
INLINE vector steps(const kind_of kind, int p, const unsigned char *row, const unsigned char *column, vector both) {
    const vector a = load(row + p * WORD_BYTES), b = load(column + p * WORD_BYTES);
    if (kind.complete) return a ^ b;
    return APART(a, b, both);
}

/* The sites at which any plane differs. */
INLINE vector different(const kind_of kind, const unsigned char *row, const unsigned char *column, vector both) {
    if (kind.planes == 1) return steps(kind, 0, row, column, both);
    vector found = load(row) ^ load(column);
    for (int p = 1; p < kind.planes; p++)
        found = DIFFER(found, load(row + p * WORD_BYTES), load(column + p * WORD_BYTES));
    if (!kind.complete) found &= both;
    return found;
}

#ifdef ADD_TILE

/* A population count of its own instruction: every word is counted as it comes. */

/* Counts the distance of one pair in one word. */
INLINE vector count_distance(const kind_of kind, const unsigned char *row, const unsigned char *column, vector both) {
    if (!kind.steps) return count_bits(different(kind, row, column, both));
    vector count = count_bits(steps(kind, 0, row, column, both));
    for (int p = 1; p < kind.planes; p++) count += count_bits(steps(kind, p, row, column, both));
    return count;
}

INLINE void add_to(uint32_t sums[PANEL][PANEL], __m512i more) {
    _mm512_storeu_si512(sums, _mm512_add_epi32(_mm512_loadu_si512(sums), more));
}

/* Four rows, four columns, 16 counters that stay in registers; a word that was loaded serves four pairs. */
INLINE __m512i count_distances(const kind_of kind, const unsigned char *rows, const unsigned char *columns,
                               size_t words) {
    const size_t instance = (size_t)kind.kept * WORD_BYTES;
    vector counts[PANEL][4] = {{{0}}};
    for (size_t k = 0; k < words; k++) {
        for (int r = 0; r < PANEL; r++)
            for (int c = 0; c < PANEL; c++) {
                const unsigned char *row = rows + r * instance, *column = columns + c * instance;
                const vector both = kind.complete ? (vector){0} : present(kind, row, column);
                counts[r][c] += count_distance(kind, row, column, both);
            }
        rows += PANEL * instance;
        columns += PANEL * instance;
    }
    return add_tile(counts);
}

/* With missing values a pair has two counters, so two columns are what the registers hold. counts: [row][distances of two columns,
   compared sites of two columns] */
INLINE __m512i count_half(const kind_of kind, const unsigned char *rows, const unsigned char *columns, size_t words) {
    const size_t instance = (size_t)kind.kept * WORD_BYTES;
    vector counts[PANEL][4] = {{{0}}};
    for (size_t k = 0; k < words; k++) {
        for (int r = 0; r < PANEL; r++) {
            for (int c = 0; c < 2; c++) {
                const unsigned char *row = rows + r * instance, *column = columns + c * instance;
                const vector both = present(kind, row, column);
                counts[r][c] += count_distance(kind, row, column, both);
                counts[r][2 + c] += count_bits(both);
            }
        }
        rows += PANEL * instance;
        columns += PANEL * instance;
    }
    return add_tile(counts);
}

INLINE void count_square(const kind_of kind, const unsigned char *rows, const unsigned char *columns, size_t words,
                         planes_square distance, planes_square compared) {
    if (!kind.compared) {
        add_to(distance, count_distances(kind, rows, columns, words));
    } else {
        const __m512i left = count_half(kind, rows, columns, words);
        const __m512i right = count_half(kind, rows, columns + 2 * (size_t)kind.kept * WORD_BYTES, words);
        add_to(distance, _mm512_unpacklo_epi64(left, right));
        add_to(compared, _mm512_unpackhi_epi64(left, right));
    }
}

#else

/* Counting a vector's bits costs six instructions or more here, so words are first added as one-bit numbers: a carry-save adder
   takes three and gives two, their sum and their carry (Harley and Seal; Mula, Kurz & Lemire 2018). Three adders turn four words
   into one of weight four, and only that one is counted. Trees of eight and sixteen were tried: what they save in counting they
   lose in registers and in rows that end before a group does.

   One row against COLUMNS columns at a time, and one kind of bit at a time: first those of the distance, plane by plane where steps
   are summed, then those of the present values. */
enum {
    PARTS = WORD_BYTES / VECTOR_BYTES, // vectors in a word
    GROUP = 4,                         // vectors that are added before one is counted
    MOST_GROUPS = 31,                  // a byte counts up to 8 bits a group and holds 255
    ANY_PLANE = -1,                    // bits: sites at which any plane differs; 0 and on: that one
    PRESENT = -2                       // sites at which both values are present
};

typedef struct {
    const unsigned char *row, *columns;
    vector ones[COLUMNS], twos[COLUMNS]; // bits that have not yet made a four
} strip;

/* Vector `i` from where the strip stands. */
INLINE void bits_at(const kind_of kind, const int bits, const strip *at, int i, vector found[COLUMNS]) {
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

INLINE void add2(const kind_of kind, const int bits, strip *at, int i, vector carry[COLUMNS]) {
    vector first[COLUMNS], second[COLUMNS];
    bits_at(kind, bits, at, i, first);
    bits_at(kind, bits, at, i + 1, second);
    add(at->ones, first, second, carry);
}

INLINE void add4(const kind_of kind, const int bits, strip *at, vector carry[COLUMNS]) {
    vector first[COLUMNS], second[COLUMNS];
    add2(kind, bits, at, 0, first);
    add2(kind, bits, at, 2, second);
    add(at->twos, first, second, carry);
}

INLINE void count_strip(const kind_of kind, const int bits, strip at, size_t words, uint32_t sums[COLUMNS]) {
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
    for (int c = 0; c < COLUMNS; c++) sums[c] += add_lanes((add_bytes(fours[c]) << 2) + add_bytes(rest[c]));
}

INLINE void count_bits_of(const kind_of kind, const int bits, const unsigned char *rows, const unsigned char *columns,
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

INLINE void count_square(const kind_of kind, const unsigned char *rows, const unsigned char *columns, size_t words,
                         planes_square distance, planes_square compared) {
    if (!kind.steps) count_bits_of(kind, ANY_PLANE, rows, columns, words, distance);
    if (kind.steps)
        for (int p = 0; p < kind.planes; p++) count_bits_of(kind, p, rows, columns, words, distance);
    if (kind.compared) count_bits_of(kind, PRESENT, rows, columns, words, compared);
}

#endif

/* One function for every kind, so that the compiler knows it. */
#define COUNT(steps, counted, planes)                                                                                \
    static void count_##steps##_##counted##_##planes(const unsigned char *rows, const unsigned char *columns,        \
                                                     size_t words, planes_square distance, planes_square compared) { \
        const int complete = counted == PLANES_COMPLETE;                                                             \
        const kind_of kind = {steps, complete, planes, counted == PLANES_BOTH, planes + !complete};                  \
        count_square(kind, rows, columns, words, distance, compared);                                                \
    }
#define EACH_NUMBER_OF_PLANES(of) of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8)
#define NAMES(of) \
    { NULL, of##_1, of##_2, of##_3, of##_4, of##_5, of##_6, of##_7, of##_8 }
