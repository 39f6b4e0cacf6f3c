/* What every core has of its count functions: from which planes what is counted comes. The including file says how its vectors
   work:
       vector, VECTOR_BYTES   its type, of 16, 32 or 64 bytes, with the compiler's operators
       DIFFER(t, a, b)        t | (a ^ b): one more plane's differences joined to those found so far
       APART(a, b, both)      (a ^ b) & both
   and has a count_square of its own or carry_save.h's before it includes functions.h. */
#ifndef DISTANCES_CPU_SIMD_SQUARE_H
#define DISTANCES_CPU_SIMD_SQUARE_H

#include "distances/cpu_simd/core.h"

#define INLINE static inline __attribute__((always_inline))

/* What a function is made for. Constants to the compiler, which unrolls the loops over planes. */
typedef struct {
    distances_sum sum;
    int complete, planes;
    int kept; /* planes in a panel */
} cpu_kind;

INLINE vector load(const unsigned char *from) { return *(const vector *)from; }

/* Of two instances' planes, `row` and `column` [kept][WORD_BYTES]: sites at which both values are present ... */
INLINE vector present(const cpu_kind kind, const unsigned char *row, const unsigned char *column) {
    return load(row + kind.planes * WORD_BYTES) & load(column + kind.planes * WORD_BYTES);
}

/* ... at which plane p differs ... */
INLINE vector steps(const cpu_kind kind, int p, const unsigned char *row, const unsigned char *column, vector both) {
    const vector a = load(row + p * WORD_BYTES), b = load(column + p * WORD_BYTES);
    if (kind.complete) return a ^ b;
    return APART(a, b, both);
}

/* ... and at which any does. */
INLINE vector different(const cpu_kind kind, const unsigned char *row, const unsigned char *column, vector both) {
    if (kind.planes == 1) return steps(kind, 0, row, column, both);
    vector found = load(row) ^ load(column);
    for (int p = 1; p < kind.planes; p++)
        found = DIFFER(found, load(row + p * WORD_BYTES), load(column + p * WORD_BYTES));
    if (!kind.complete) found &= both;
    return found;
}

#endif
