/* Packing with AVX-512BW, for both AVX-512 cores. */
#ifndef LESSONS_CPU_SIMD_PACK_AVX512_H
#define LESSONS_CPU_SIMD_PACK_AVX512_H

#include <immintrin.h>

/* The packs interleave 128-bit lanes. That permutes attributes within 64, alike in every instance, so it changes no
   distance and is left as it is. A test of one bit of all 64 bytes is a plane's word. */
static inline __attribute__((always_inline)) void pack_64(const int *values, const int planes, uint64_t *out) {
    __m512i ab = _mm512_packus_epi32(_mm512_loadu_si512(values), _mm512_loadu_si512(values + 16));
    __m512i cd = _mm512_packus_epi32(_mm512_loadu_si512(values + 32), _mm512_loadu_si512(values + 48));
    __m512i bytes = _mm512_packus_epi16(ab, cd);
    for (int p = 0; p < planes; p++) out[p] = _mm512_test_epi8_mask(bytes, _mm512_set1_epi8((char)(1 << p)));
}

#endif
