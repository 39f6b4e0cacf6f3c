/* The core for any machine: vectors of 16 bytes in the compiler's own notation, which it turns into SSE2, NEON or plain
   64-bit words. */
#define VECTOR_BYTES 16

#include "sw/cpu_simd/lanes.h"

typedef uint8_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef uint8_t unaligned __attribute__((vector_size(VECTOR_BYTES), may_alias, aligned(1)));

INLINE vector load(const void *from) { return *(const vector *)from; }
INLINE void store(void *to, vector v) { *(vector *)to = v; }
INLINE vector both(vector a, vector b) { return a & b; }
INLINE vector either(vector a, vector b) { return a | b; }

/* Unsigned, since those wrap round in C. */
#define LANES_OF(bits)                                                                                         \
    typedef int##bits##_t signed_##bits __attribute__((vector_size(VECTOR_BYTES), may_alias));                 \
    typedef uint##bits##_t unsigned_##bits __attribute__((vector_size(VECTOR_BYTES), may_alias));              \
    INLINE vector splat_##bits(int x) { return (vector)((signed_##bits){0} + (int##bits##_t)x); }              \
    INLINE vector add_##bits(vector a, vector b) { return (vector)((unsigned_##bits)a + (unsigned_##bits)b); } \
    INLINE vector sub_##bits(vector a, vector b) { return (vector)((unsigned_##bits)a - (unsigned_##bits)b); } \
    INLINE vector max_##bits(vector a, vector b) {                                                             \
        const vector larger = (vector)((signed_##bits)a > (signed_##bits)b);                                   \
        return (a & larger) | (b & ~larger);                                                                   \
    }                                                                                                          \
    INLINE vector decay_##bits(vector a, vector b) {                                                           \
        const vector less = sub_##bits(a, b);                                                                  \
        return less & (vector)((signed_##bits)less > 0);                                                       \
    }                                                                                                          \
    typedef int8_t bytes_for_##bits __attribute__((vector_size(VECTOR_BYTES * 8 / bits)));                     \
    INLINE vector widen_##bits(vector v) {                                                                     \
        bytes_for_##bits low;                                                                                  \
        memcpy(&low, &v, sizeof low);                                                                          \
        return (vector) __builtin_convertvector(low, signed_##bits);                                           \
    }

LANES_OF(8)
LANES_OF(16)
LANES_OF(32)

/* A permutation of two vectors, which are a row of the matrix: one instruction where there is NEON. */
INLINE vector scores_of(const int8_t *row, vector residues) {
    return __builtin_shuffle(*(const unaligned *)row, *(const unaligned *)(row + VECTOR_BYTES), residues);
}

/* The word of a lane. */
INLINE size_t place(size_t lane) { return lane; }

INLINE void transpose(const uint32_t *words, vector columns[COLUMNS]) {
    const uint8_t *residues = (const uint8_t *)words; // [lanes][COLUMNS]
    for (int c = 0; c < COLUMNS; c++) {
        vector column = {0};
        for (int lane = 0; lane < VECTOR_BYTES; lane++) column[lane] = residues[lane * COLUMNS + c];
        columns[c] = column;
    }
}

#define WL_CORE(name) name##_portable
#include "sw/cpu_simd/widths.h"
