/* The core for any machine: vectors of 16 bytes in the compiler's own notation, which it turns into SSE2, NEON or plain
   64-bit words. */
#include <string.h>

#include "papara/cpu_simd/core.h"

#define VECTOR_BYTES 16

#define INLINE static inline __attribute__((always_inline))

typedef uint8_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* Unsigned, since those wrap round in C. */
#define LANES_OF(bits)                                                                                         \
    typedef int##bits##_t signed_##bits __attribute__((vector_size(VECTOR_BYTES), may_alias));                 \
    typedef uint##bits##_t unsigned_##bits __attribute__((vector_size(VECTOR_BYTES), may_alias));              \
    INLINE vector splat_##bits(int64_t x) { return (vector)((signed_##bits){0} + (int##bits##_t)x); }          \
    INLINE vector add_##bits(vector a, vector b) { return (vector)((unsigned_##bits)a + (unsigned_##bits)b); } \
    INLINE vector sub_##bits(vector a, vector b) { return (vector)((unsigned_##bits)a - (unsigned_##bits)b); } \
    INLINE vector min_##bits(vector a, vector b) {                                                             \
        const vector less = (vector)((signed_##bits)a < (signed_##bits)b);                                     \
        return (a & less) | (b & ~less);                                                                       \
    }                                                                                                          \
    INLINE vector max_##bits(vector a, vector b) {                                                             \
        const vector less = (vector)((signed_##bits)a < (signed_##bits)b);                                     \
        return (b & less) | (a & ~less);                                                                       \
    }

LANES_OF(16)
LANES_OF(32)

#include "papara/cpu_simd/widths.h"

const cpu_core *const cpu_core_portable = &core;
