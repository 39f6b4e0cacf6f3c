#include "harness/probes/rates_cpu.h"

#include <stddef.h>

#ifdef __AVX2__
#include <immintrin.h>

#define UNKNOWN(vector) __asm__ volatile("" : "+x"(vector))

enum { VECTORS = 8, LANES = 4 };

static inline __m256i and (__m256i a, __m256i b) { return _mm256_and_si256(a, b); }
static inline __m256i or (__m256i a, __m256i b) { return _mm256_or_si256(a, b); }
static inline __m256i xor (__m256i a, __m256i b) { return _mm256_xor_si256(a, b); }

    /* Carry-save adder: a + b + c = low + 2 * high, bit by bit. */
    static inline __m256i add_bits(__m256i a, __m256i b, __m256i c, __m256i *low) {
    __m256i ab = xor(a, b);
    __m256i high = or (and(a, b), and(ab, c));
    *low = xor(ab, c);
    return high;
}

/* Bits of each 64-bit lane: both nibbles of each byte looked up in a table (Mula). */
static inline __m256i count_bits(__m256i v) {
    const __m256i bits_of = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1,
                                             2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(0x0F);
    __m256i low = and(v, nibble), high = and(_mm256_srli_epi16(v, 4), nibble);
    __m256i bytes = _mm256_add_epi8(_mm256_shuffle_epi8(bits_of, low), _mm256_shuffle_epi8(bits_of, high));
    return _mm256_sad_epu8(bytes, _mm256_setzero_si256());
}

/* AVX2 has no vector popcount. Eight vectors at a time go through carry-save adders (Harley and Seal), and only what
   is worth eight is counted: the cheapest way known. */
static double loop(uint64_t steps, uint64_t *sum) {
    __m256i a0 = _mm256_set1_epi64x(0x0123456789ABCDEF), a1 = _mm256_set1_epi64x(0x1032547698BADCFE);
    __m256i b0 = _mm256_set1_epi64x(0x76543210FEDCBA98), b1 = _mm256_set1_epi64x(0x67452301EFCDAB89);
    __m256i ones = _mm256_setzero_si256(), twos = ones, fours = ones, total = ones;
    for (uint64_t step = 0; step < steps; step++) {
        __m256i d[VECTORS], low;
        for (int i = 0; i < VECTORS; i++) {
            UNKNOWN(a0);
            d[i] = or (xor(a0, b0), xor(a1, b1));
            UNKNOWN(a1);
        }
        __m256i two_a = add_bits(ones, d[0], d[1], &low), two_b = add_bits(low, d[2], d[3], &low);
        __m256i four_a = add_bits(twos, two_a, two_b, &twos);
        two_a = add_bits(low, d[4], d[5], &low);
        two_b = add_bits(low, d[6], d[7], &ones);
        __m256i four_b = add_bits(twos, two_a, two_b, &twos);
        total = _mm256_add_epi64(total, count_bits(add_bits(fours, four_a, four_b, &fours)));
    }
    uint64_t lanes[LANES];
    total = _mm256_add_epi64(_mm256_slli_epi64(total, 3), xor(ones, xor(twos, fours)));
    _mm256_storeu_si256((__m256i *)lanes, total);
    *sum = lanes[0] + lanes[1] + lanes[2] + lanes[3];
    return (double)steps * VECTORS * LANES;
}

wl_logic_loop *const wl_logic_loop_avx2 = loop;
#else
wl_logic_loop *const wl_logic_loop_avx2 = NULL;
#endif
