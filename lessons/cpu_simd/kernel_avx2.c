/* The core for AVX2: no population count of vectors, so carry-save adders, and a table look-up for what is left. */
#include "lessons/cpu_simd/core.h"

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

/* The packs interleave 128-bit lanes. That permutes attributes within 32, alike in every instance, so it changes no
   distance and is left as it is. */
static inline __attribute__((always_inline)) void pack_64(const int *values, const int planes, uint64_t *out) {
    for (int half = 0; half < 2; half++) {
        const __m256i *from = (const __m256i *)(values + 32 * half);
        __m256i ab = _mm256_packus_epi32(_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1));
        __m256i cd = _mm256_packus_epi32(_mm256_loadu_si256(from + 2), _mm256_loadu_si256(from + 3));
        __m256i bytes = _mm256_packus_epi16(ab, cd);
        for (int p = 0; p < planes; p++) {
            // The wanted bit of each byte to its top, then all the tops at once.
            uint32_t bits = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(bytes, 7 - p));
            out[p] |= (uint64_t)bits << (32 * half);
        }
    }
}

#include "lessons/cpu_simd/plain_logic.h"
#include "lessons/cpu_simd/tile.h"

const cpu_simd_core *const cpu_simd_avx2 = &core;

#else

const cpu_simd_core *const cpu_simd_avx2 = NULL;

#endif
