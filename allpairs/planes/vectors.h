/* The vectors of each instruction set, for count.h:
       vector, VECTOR_BYTES         the type, of 16, 32 or 64 bytes, with the compiler's operators
       DIFFER(t, a, b)              t | (a ^ b): one more plane's differences joined to those found so far
       APART(a, b, both)            (a ^ b) & both
       pack_64(values, planes, out) 64 values into one 64-bit word a plane, or-ed into out[0 .. planes - 1]
   and then either
       add_tile(counts)             defined with ADD_TILE, where there is a population count of vectors; count_bits(v) is of each
                                    64-bit lane
   or
       COLUMNS                      pairs of one row to count at once: as many as the registers hold
       ADD_BITS(a, b, sum, carry)   the bits a + b + sum: their low bit replaces sum, their high bit carry
       count_bits(v)                of each byte
       add_bytes(v)                 the sum of the eight bytes of each 64-bit lane
       add_lanes(v)                 the sum of a vector's 64-bit lanes */
#pragma once

#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#if defined WL_FOR_BW_AVX512 || defined WL_FOR_AVX512
#define VECTOR_BYTES 64
#elif defined WL_FOR_AVX2
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* ---- Logic ---- */

#if VECTOR_BYTES == 64
#include <immintrin.h>

/* Any function of three bits is one instruction: its truth table. */
#define TERNARY(a, b, c, table) ((vector)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), table))
#define DIFFER(t, a, b) TERNARY(t, a, b, 0xF6)
#define APART(a, b, both) TERNARY(a, b, both, 0x28)
#define ADD_BITS(a, b, sum, carry)          \
    do {                                    \
        (carry) = TERNARY(a, b, sum, 0xE8); \
        (sum) = TERNARY(a, b, sum, 0x96);   \
    } while (0)

/* 32 registers: four columns at once, so that a row is loaded once. */
#define COLUMNS 4
#else
#define DIFFER(t, a, b) ((t) | ((a) ^ (b)))
#define APART(a, b, both) (((a) ^ (b)) & (both))

/* A carry-save adder; `odd` is used twice: five instructions, not six. */
#define ADD_BITS(a, b, sum, carry)             \
    do {                                       \
        vector odd = (a) ^ (b);                \
        (carry) = ((a) & (b)) | (odd & (sum)); \
        (sum) ^= odd;                          \
    } while (0)

/* Two columns' sums, counters and operands are what 16 registers hold. */
#define COLUMNS 2
#endif

/* ---- Counting ---- */

#ifdef WL_FOR_AVX512
#define ADD_TILE

INLINE vector count_bits(vector v) { return (vector)_mm512_popcnt_epi64((__m512i)v); }

/* Sums of the lanes of 16 vectors at once, halving their number with each step: 37 instructions, where 16 separate sums take 150.
   With one word (512 sites) that is more than the counting itself. Quarter r of the result holds the four sums of counts[r]. A sum
   fits into 32 bits: WL_PLANES_MOST_WORDS words, WL_PLANES_MOST planes. */
INLINE __m512i add_tile(vector counts[4][4]) {
    __m512i row[4]; // 32-bit lanes: sums 0 1 2 3, four times, still to be added
#pragma GCC unroll 4
    for (int r = 0; r < 4; r++) {
        const __m512i c0 = (__m512i)counts[r][0], c1 = (__m512i)counts[r][1];
        const __m512i c2 = (__m512i)counts[r][2], c3 = (__m512i)counts[r][3];
        const __m512i c01 = _mm512_add_epi64(_mm512_unpacklo_epi64(c0, c1), _mm512_unpackhi_epi64(c0, c1));
        const __m512i c23 = _mm512_add_epi64(_mm512_unpacklo_epi64(c2, c3), _mm512_unpackhi_epi64(c2, c3));
        row[r] = (__m512i)_mm512_shuffle_ps((__m512)c01, (__m512)c23, _MM_SHUFFLE(2, 0, 2, 0));
    }
    const __m512i row01 =
        _mm512_add_epi32(_mm512_shuffle_i32x4(row[0], row[1], 0x88), _mm512_shuffle_i32x4(row[0], row[1], 0xDD));
    const __m512i row23 =
        _mm512_add_epi32(_mm512_shuffle_i32x4(row[2], row[3], 0x88), _mm512_shuffle_i32x4(row[2], row[3], 0xDD));
    return _mm512_add_epi32(_mm512_shuffle_i32x4(row01, row23, 0x88), _mm512_shuffle_i32x4(row01, row23, 0xDD));
}

#elif defined WL_FOR_BW_AVX512 || defined WL_FOR_AVX2 || defined WL_FOR_SSE41
#include <immintrin.h>

#if VECTOR_BYTES == 64
#define OF(operation) _mm512_##operation
typedef __m512i lanes;
#elif VECTOR_BYTES == 32
#define OF(operation) _mm256_##operation
typedef __m256i lanes;
#else
#define OF(operation) _mm_##operation
typedef __m128i lanes;
#endif

/* Bits of each byte: a byte shuffle looks both nibbles up in a table of 16 (Mula). */
INLINE vector count_bits(vector v) {
    const __m128i sixteen = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
#if VECTOR_BYTES == 64
    const lanes bits_of = _mm512_broadcast_i32x4(sixteen);
#elif VECTOR_BYTES == 32
    const lanes bits_of = _mm256_broadcastsi128_si256(sixteen);
#else
    const lanes bits_of = sixteen;
#endif
    const vector nibble = (vector){0} + UINT64_C(0x0F0F0F0F0F0F0F0F);
    const lanes low = (lanes)(v & nibble), high = (lanes)((vector)OF(srli_epi16)((lanes)v, 4) & nibble);
    return (vector)OF(add_epi8)(OF(shuffle_epi8)(bits_of, low), OF(shuffle_epi8)(bits_of, high));
}

INLINE vector add_bytes(vector v) { return (vector)OF(sad_epu8)((lanes)v, (lanes)(vector){0}); }

INLINE uint32_t add_lanes(vector v) {
#if VECTOR_BYTES == 64
    return (uint32_t)_mm512_reduce_add_epi64((__m512i)v);
#elif VECTOR_BYTES == 32
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half)));
#else
    return (uint32_t)(v[0] + v[1]);
#endif
}

#else
/* 16-byte vectors in the compiler's own notation, which it turns into SSE2, NEON or plain 64-bit words: pairs, nibbles, bytes. */
INLINE vector count_bits(vector v) {
    v -= (v >> 1) & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + ((v >> 2) & UINT64_C(0x3333333333333333));
    return (v + (v >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
}

INLINE vector add_bytes(vector v) {
    v = (v & UINT64_C(0x00FF00FF00FF00FF)) + ((v >> 8) & UINT64_C(0x00FF00FF00FF00FF));
    v += v >> 16;
    v += v >> 32;
    return v & 0xFFFF;
}

INLINE uint32_t add_lanes(vector v) { return (uint32_t)(v[0] + v[1]); }
#endif

/* ---- Packing ---- */

#if VECTOR_BYTES == 64
/* The packs interleave 128-bit lanes. That permutes sites within 64, alike in every instance, so it changes no distance and is left
   as it is. A test of one bit of all 64 bytes is a plane's word. */
INLINE void pack_64(const int *values, const int planes, uint64_t *out) {
    __m512i ab = _mm512_packus_epi32(_mm512_loadu_si512(values), _mm512_loadu_si512(values + 16));
    __m512i cd = _mm512_packus_epi32(_mm512_loadu_si512(values + 32), _mm512_loadu_si512(values + 48));
    __m512i bytes = _mm512_packus_epi16(ab, cd);
    for (int p = 0; p < planes; p++) out[p] = _mm512_test_epi8_mask(bytes, _mm512_set1_epi8((char)(1 << p)));
}
#elif VECTOR_BYTES == 32
/* Likewise, within 32. */
INLINE void pack_64(const int *values, const int planes, uint64_t *out) {
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
#else
/* Eight values become the bytes of a word; the multiplication collects one bit of each in the top byte. */
INLINE void pack_64(const int *values, const int planes, uint64_t *out) {
    for (int i = 0; i < 64; i += 8) {
        uint64_t bytes = 0;
        for (int j = 0; j < 8; j++) bytes |= (uint64_t)values[i + j] << (8 * j);
        for (int p = 0; p < planes; p++) {
            uint64_t bits = (bytes >> p) & UINT64_C(0x0101010101010101);
            out[p] |= bits * UINT64_C(0x0102040810204080) >> 56 << i;
        }
    }
}
#endif
