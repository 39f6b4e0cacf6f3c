/* The core for AVX-512 without VPOPCNTDQ (Skylake-X to Cooper Lake): carry-save adders as with AVX2, but an adder is two
   instructions instead of five, since any function of three bits is one. */
#include "distances/cpu_simd/core.h"

#ifdef __AVX512BW__

#include <immintrin.h>

#define VECTOR_BYTES 64

typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* The truth tables of t | (a ^ b), of (a ^ b) & c, of the majority and of the parity of three bits. */
#define TERNARY(a, b, c, table) ((vector)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), table))
#define DIFFER(t, a, b) TERNARY(t, a, b, 0xF6)
#define APART(a, b, both) TERNARY(a, b, both, 0x28)
#define ADD_BITS(a, b, sum, carry)          \
    do {                                    \
        (carry) = TERNARY(a, b, sum, 0xE8); \
        (sum) = TERNARY(a, b, sum, 0x96);   \
    } while (0)

/* Bits of each byte: a byte shuffle looks both nibbles up in a table of 16 (Mula). */
static inline __attribute__((always_inline)) vector count_bits(vector v) {
    const __m512i bits_of = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i nibble = _mm512_set1_epi8(0x0F);
    __m512i low = _mm512_and_si512((__m512i)v, nibble);
    __m512i high = _mm512_and_si512(_mm512_srli_epi16((__m512i)v, 4), nibble);
    return (vector)_mm512_add_epi8(_mm512_shuffle_epi8(bits_of, low), _mm512_shuffle_epi8(bits_of, high));
}

static inline __attribute__((always_inline)) vector add_bytes(vector v) {
    return (vector)_mm512_sad_epu8((__m512i)v, _mm512_setzero_si512());
}

static inline __attribute__((always_inline)) int add_lanes(vector v) {
    return (int)_mm512_reduce_add_epi64((__m512i)v);
}

/* 32 registers: four columns at once, so that a row is loaded once. */
#define COLUMNS 4

#include "distances/cpu_simd/carry_save.h"

const cpu_core *const cpu_core_avx512bw = &core;

#else

const cpu_core *const cpu_core_avx512bw = NULL;

#endif
