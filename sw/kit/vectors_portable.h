/* The operations of sw/kit/vectors_x86.h for any machine. Vectors have 16 bytes and are written in the compiler's own notation,
   which it turns into SSE2, NEON or plain 64-bit words. */
#pragma once

#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define VECTOR_BYTES 16

typedef uint8_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef uint8_t unaligned __attribute__((vector_size(VECTOR_BYTES), may_alias, aligned(1)));

INLINE vector load(const void *from) { return *(const vector *)from; }
INLINE void store(void *to, vector v) { *(vector *)to = v; }
INLINE vector both(vector a, vector b) { return a & b; }
INLINE vector either(vector a, vector b) { return a | b; }

INLINE int any_bit(vector v) {
    uint64_t half[2];
    memcpy(half, &v, sizeof half);
    return (half[0] | half[1]) != 0;
}

/* Additions are of unsigned lanes, because only these wrap round in C. */
#define LANES_OF(bits)                                                                                                 \
    typedef int##bits##_t signed_##bits __attribute__((vector_size(VECTOR_BYTES), may_alias));                         \
    typedef uint##bits##_t unsigned_##bits __attribute__((vector_size(VECTOR_BYTES), may_alias));                      \
    INLINE vector splat_##bits(int x) { return (vector)((signed_##bits){0} + (int##bits##_t)x); }                      \
    INLINE vector add_##bits(vector a, vector b) { return (vector)((unsigned_##bits)a + (unsigned_##bits)b); }         \
    INLINE vector sub_##bits(vector a, vector b) { return (vector)((unsigned_##bits)a - (unsigned_##bits)b); }         \
    INLINE vector max_##bits(vector a, vector b) {                                                                     \
        const vector larger = (vector)((signed_##bits)a > (signed_##bits)b);                                           \
        return (a & larger) | (b & ~larger);                                                                           \
    }                                                                                                                  \
    INLINE vector max_too_##bits(vector a, vector b) { return max_##bits(a, b); }                                      \
    INLINE vector decay_##bits(vector a, vector b) {                                                                   \
        const vector less = sub_##bits(a, b);                                                                          \
        return less & (vector)((signed_##bits)less > 0);                                                               \
    }                                                                                                                  \
    INLINE int any_above_##bits(vector a, vector b) { return any_bit((vector)((signed_##bits)a > (signed_##bits)b)); } \
    INLINE vector first_##bits(int x) {                                                                                \
        signed_##bits v = {0};                                                                                         \
        v[0] = (int##bits##_t)x;                                                                                       \
        return (vector)v;                                                                                              \
    }                                                                                                                  \
    INLINE vector next_##bits(vector v) {                                                                              \
        uint8_t shifted[VECTOR_BYTES + (bits) / 8] = {0};                                                              \
        memcpy(shifted + (bits) / 8, &v, sizeof v);                                                                    \
        memcpy(&v, shifted, sizeof v);                                                                                 \
        return v;                                                                                                      \
    }                                                                                                                  \
    typedef int8_t bytes_for_##bits __attribute__((vector_size(VECTOR_BYTES * 8 / bits)));                             \
    INLINE vector widen_##bits(vector v) {                                                                             \
        bytes_for_##bits low;                                                                                          \
        memcpy(&low, &v, sizeof low);                                                                                  \
        return (vector) __builtin_convertvector(low, signed_##bits);                                                   \
    }

LANES_OF(8)
LANES_OF(16)
LANES_OF(32)

/* A row of the matrix is two vectors, and this permutes both: one instruction with NEON. */
INLINE vector scores_of(const int8_t *row, vector residues) {
    return __builtin_shuffle(*(const unaligned *)row, *(const unaligned *)(row + VECTOR_BYTES), residues);
}
