/* The core for AVX-512 with VPOPCNTDQ (Ice Lake, Zen 4 and later): a population count of eight 64-bit lanes is one
   instruction. Two planes cost four a word of 512 attributes: xor, xor and or in one, count, add. */
#include "lessons/cpu_simd/core.h"

#if defined(__AVX512BW__) && defined(__AVX512VPOPCNTDQ__)

#include "lessons/cpu_simd/pack_avx512.h"

#define VECTOR_BYTES 64

typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* Any function of three bits is one instruction; 0xF6 is the truth table of t | (a ^ b). */
#define DIFFER(t, a, b) ((vector)_mm512_ternarylogic_epi64((__m512i)(t), (__m512i)(a), (__m512i)(b), 0xF6))

static inline __attribute__((always_inline)) vector count_bits(vector v) {
    return (vector)_mm512_popcnt_epi64((__m512i)v);
}

/* Sums of the lanes of 16 vectors at once, halving their number with each step: 37 instructions, where 16 separate sums
   take 150. With one word (512 attributes) that is more than the counting itself. */
#define ADD_TILE
static inline __attribute__((always_inline)) void add_tile(int sums[4][4], vector counts[4][4]) {
    __m512i row[4]; // 32-bit lanes: columns 0 1 2 3, four times, still to be added
#pragma GCC unroll 4
    for (int r = 0; r < 4; r++) {
        __m512i c0 = (__m512i)counts[r][0], c1 = (__m512i)counts[r][1];
        __m512i c2 = (__m512i)counts[r][2], c3 = (__m512i)counts[r][3];
        __m512i c01 = _mm512_add_epi64(_mm512_unpacklo_epi64(c0, c1), _mm512_unpackhi_epi64(c0, c1));
        __m512i c23 = _mm512_add_epi64(_mm512_unpacklo_epi64(c2, c3), _mm512_unpackhi_epi64(c2, c3));
        // A count fits into 32 bits: MOST_WORDS words have 32,768 bits.
        row[r] = (__m512i)_mm512_shuffle_ps((__m512)c01, (__m512)c23, _MM_SHUFFLE(2, 0, 2, 0));
    }
    __m512i row01 =
        _mm512_add_epi32(_mm512_shuffle_i32x4(row[0], row[1], 0x88), _mm512_shuffle_i32x4(row[0], row[1], 0xDD));
    __m512i row23 =
        _mm512_add_epi32(_mm512_shuffle_i32x4(row[2], row[3], 0x88), _mm512_shuffle_i32x4(row[2], row[3], 0xDD));
    __m512i tile = _mm512_add_epi32(_mm512_shuffle_i32x4(row01, row23, 0x88), _mm512_shuffle_i32x4(row01, row23, 0xDD));
    _mm512_storeu_si512(sums, _mm512_add_epi32(_mm512_loadu_si512(sums), tile));
}

#include "lessons/cpu_simd/tile.h"

const cpu_simd_core *const cpu_simd_avx512vpopcntdq = &core;

#else

const cpu_simd_core *const cpu_simd_avx512vpopcntdq = NULL;

#endif
