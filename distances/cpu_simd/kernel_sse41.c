/* The core for SSE4.1 (Penryn, 2008, and everything since): as AVX2, in half as wide vectors. */
#include "distances/cpu_simd/core.h"

#ifdef __SSE4_1__

#include <immintrin.h>

#define VECTOR_BYTES 16

typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* Bits of each byte: a byte shuffle looks both nibbles up in a table of 16 (Mula). */
static inline __attribute__((always_inline)) vector count_bits(vector v) {
    const __m128i bits_of = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4), nibble = _mm_set1_epi8(0x0F);
    __m128i low = _mm_and_si128((__m128i)v, nibble);
    __m128i high = _mm_and_si128(_mm_srli_epi16((__m128i)v, 4), nibble);
    return (vector)_mm_add_epi8(_mm_shuffle_epi8(bits_of, low), _mm_shuffle_epi8(bits_of, high));
}

static inline __attribute__((always_inline)) vector add_bytes(vector v) {
    return (vector)_mm_sad_epu8((__m128i)v, _mm_setzero_si128());
}

static inline __attribute__((always_inline)) int add_lanes(vector v) { return (int)(v[0] + v[1]); }

#include "distances/cpu_simd/plain_logic.h"
#include "distances/cpu_simd/carry_save.h"

const cpu_core *const cpu_core_sse41 = &core;

#else

const cpu_core *const cpu_core_sse41 = NULL;

#endif
