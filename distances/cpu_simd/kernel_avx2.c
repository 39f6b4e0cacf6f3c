/* The core for AVX2: no population count of vectors, so carry-save adders, and a table look-up for what is left. */
#include "distances/cpu_simd/core.h"

#ifdef __AVX2__

#include <immintrin.h>

#define VECTOR_BYTES 32

typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* Bits of each byte: a byte shuffle looks both nibbles up in a table of 16 (Mula). */
static inline __attribute__((always_inline)) vector count_bits(vector v) {
    const __m256i bits_of = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i nibble = _mm256_set1_epi8(0x0F);
    __m256i low = _mm256_and_si256((__m256i)v, nibble);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16((__m256i)v, 4), nibble);
    return (vector)_mm256_add_epi8(_mm256_shuffle_epi8(bits_of, low), _mm256_shuffle_epi8(bits_of, high));
}

static inline __attribute__((always_inline)) vector add_bytes(vector v) {
    return (vector)_mm256_sad_epu8((__m256i)v, _mm256_setzero_si256());
}

static inline __attribute__((always_inline)) int add_lanes(vector v) {
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
    return _mm_cvtsi128_si32(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half)));
}

#include "distances/cpu_simd/plain_logic.h"
#include "distances/cpu_simd/carry_save.h"

const cpu_core *const cpu_core_avx2 = &core;

#else

const cpu_core *const cpu_core_avx2 = NULL;

#endif
