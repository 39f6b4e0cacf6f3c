/* The loops that the CPU's vector rates are measured with, written once.
   Compiled for: portable avx2 fma_avx2 bw_avx512 avx512 */
#include <stddef.h>
#include <string.h>

#include "harness/probes/rates_cpu.h"

#if defined WL_FOR_BW_AVX512 || defined WL_FOR_AVX512
#include <immintrin.h>
#define VECTOR_BYTES 64
#define REGISTER "+v"
#define INTRINSIC(name, a, b) _mm512_##name((__m512i)(a), (__m512i)(b))
#elif defined WL_FOR_AVX2 || defined WL_FOR_FMA_AVX2
#include <immintrin.h>
#define VECTOR_BYTES 32
#define REGISTER "+x"
#define INTRINSIC(name, a, b) _mm256_##name((__m256i)(a), (__m256i)(b))
#else
#define VECTOR_BYTES 16 // SSE2, NEON and their like
#if defined __SSE2__
#include <emmintrin.h>
#define REGISTER "+x"
#define INTRINSIC(name, a, b) _mm_##name((__m128i)(a), (__m128i)(b))
#elif defined __aarch64__
#define REGISTER "+w"
#else
#define REGISTER "+m"
#endif
#endif

typedef uint64_t bits64 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint8_t bytes8 __attribute__((vector_size(VECTOR_BYTES)));
typedef int16_t words16 __attribute__((vector_size(VECTOR_BYTES)));
typedef float floats32 __attribute__((vector_size(VECTOR_BYTES)));
typedef double doubles64 __attribute__((vector_size(VECTOR_BYTES)));

/* --- Arithmetic --- */

enum { CHAINS = 12, OPERATIONS = 2 };

/* Twelve independent chains: each operation waits for the one before it in its chain. A multiply-add takes four cycles, and two can
   start in each, which is eight; a few more, since they do not start in the best order. Twelve variables, because gcc keeps an array
   in memory here. NEXT(x, p, q) is a chain's next value, which "may have changed": the compiler must compute it in every step. */
#define LOOP(name, vector, NEXT, P, Q)                                                                            \
    static double name(uint64_t steps, uint64_t *sum) {                                                           \
        const vector p = (vector){} + P, q = (vector){} + Q;                                                      \
        vector a = p + 1, b = p + 2, c = p + 3, d = p + 4, e = p + 5, f = p + 6, g = p + 7, h = p + 8, i = p + 9, \
               j = p + 10, k = p + 11, l = p + 12;                                                                \
        for (uint64_t step = 0; step < steps; step++) {                                                           \
            FOUR(NEXT, a, b, c, d);                                                                               \
            FOUR(NEXT, e, f, g, h);                                                                               \
            FOUR(NEXT, i, j, k, l);                                                                               \
        }                                                                                                         \
        vector all = a + b + c + d + e + f + g + h + i + j + k + l;                                               \
        memcpy(sum, &all, sizeof *sum);                                                                           \
        return (double)steps * CHAINS * OPERATIONS * (double)(sizeof(vector) / sizeof all[0]);                    \
    }
#define FOUR(NEXT, a, b, c, d)                                                  \
    a = NEXT(a, p, q), b = NEXT(b, p, q), c = NEXT(c, p, q), d = NEXT(d, p, q); \
    __asm__ volatile("" : REGISTER(a), REGISTER(b), REGISTER(c), REGISTER(d))

#ifdef INTRINSIC
/* Unsigned, because SSE2 has no signed maximum; signed ones take as long. */
#define NEXT_BYTES(x, less, least) (bytes8) INTRINSIC(max_epu8, INTRINSIC(subs_epu8, x, less), least)
#define NEXT_WORDS(x, more, most) (words16) INTRINSIC(min_epi16, x + more, most)
#else
/* Plain loops: NEON and its like have all four operations, and compilers find them. */
static inline bytes8 NEXT_BYTES(bytes8 x, bytes8 less, bytes8 least) {
    for (int i = 0; i < VECTOR_BYTES; i++) {
        x[i] = x[i] > less[i] ? (uint8_t)(x[i] - less[i]) : 0;
        x[i] = x[i] > least[i] ? x[i] : least[i];
    }
    return x;
}
static inline words16 NEXT_WORDS(words16 x, words16 more, words16 most) {
    x += more;
    for (int i = 0; i < VECTOR_BYTES / 2; i++) x[i] = x[i] < most[i] ? x[i] : most[i];
    return x;
}
#endif
LOOP(bytes, bytes8, NEXT_BYTES, 3, 7)
LOOP(words, words16, NEXT_WORDS, 3, 700)

/* Given FMA, the compiler makes one instruction of it. The numbers tend to 2: none becomes so small that it takes longer. */
#define NEXT_NUMBERS(x, factor, term) x *factor + term
LOOP(floats, floats32, NEXT_NUMBERS, 0.75f, 0.5f)
LOOP(doubles, doubles64, NEXT_NUMBERS, 0.75, 0.5)

/* --- Logic --- */

enum { LANES = VECTOR_BYTES / 8 };

#if defined WL_FOR_AVX512
static bits64 some_bits(uint64_t which) { return (bits64){} + UINT64_C(0x9E3779B97F4A7C15) * which; }

/* A tile of row against column vectors, as a good kernel has it: eight independent sums, four instructions each (xor,
   three-input logic, popcount, add). */
static double logic(uint64_t steps, uint64_t *sum) {
    enum { ROWS = 4, COLUMNS = 2 };
    bits64 a0[ROWS], a1[ROWS], b0[COLUMNS], b1[COLUMNS], sums[ROWS][COLUMNS] = {0};
    for (uint64_t r = 0; r < ROWS; r++) {
        a0[r] = some_bits(r + 1);
        a1[r] = some_bits(r + 3);
    }
    for (uint64_t c = 0; c < COLUMNS; c++) {
        b0[c] = some_bits(c + 5);
        b1[c] = some_bits(c + 7);
    }
    for (uint64_t step = 0; step < steps; step++) {
        for (int r = 0; r < ROWS; r++) {
            __asm__ volatile("" : REGISTER(a0[r]), REGISTER(a1[r]));
            for (int c = 0; c < COLUMNS; c++)
                sums[r][c] += (bits64)_mm512_popcnt_epi64((__m512i)((a0[r] ^ b0[c]) | (a1[r] ^ b1[c])));
        }
    }
    *sum = 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) *sum += (uint64_t)_mm512_reduce_add_epi64((__m512i)sums[r][c]);
    return (double)steps * ROWS * COLUMNS * LANES;
}
#elif VECTOR_BYTES == 64
#define logic NULL // without a vector popcount: AVX2's
#elif VECTOR_BYTES == 32
/* Carry-save adder: a + b + c = low + 2 * high, bit by bit. */
static inline bits64 add_bits(bits64 a, bits64 b, bits64 c, bits64 *low) {
    bits64 ab = a ^ b;
    bits64 high = (a & b) | (ab & c);
    *low = ab ^ c;
    return high;
}

/* Bits of each 64-bit lane: both nibbles of each byte looked up in a table (Mula). */
static inline bits64 count_bits(bits64 v) {
    const __m256i bits_of = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1,
                                             2, 2, 3, 2, 3, 3, 4);
    const bits64 nibbles = (bits64){} + UINT64_C(0x0F0F0F0F0F0F0F0F);
    __m256i low = (__m256i)(v & nibbles), high = (__m256i)(v >> 4 & nibbles);
    __m256i bytes = _mm256_add_epi8(_mm256_shuffle_epi8(bits_of, low), _mm256_shuffle_epi8(bits_of, high));
    return (bits64)_mm256_sad_epu8(bytes, _mm256_setzero_si256());
}

/* AVX2 has no vector popcount. Eight vectors at a time go through carry-save adders (Harley and Seal), and only what
   is worth eight is counted: the cheapest way known. */
static double logic(uint64_t steps, uint64_t *sum) {
    enum { VECTORS = 8 };
    bits64 zero = {0}, a0 = zero + 0x0123456789ABCDEF, a1 = zero + 0x1032547698BADCFE;
    bits64 b0 = zero + 0x76543210FEDCBA98, b1 = zero + 0x67452301EFCDAB89;
    bits64 ones = zero, twos = zero, fours = zero, total = zero;
    for (uint64_t step = 0; step < steps; step++) {
        bits64 d[VECTORS], low;
        for (int i = 0; i < VECTORS; i++) {
            __asm__ volatile("" : REGISTER(a0), REGISTER(a1));
            d[i] = (a0 ^ b0) | (a1 ^ b1);
        }
        bits64 two_a = add_bits(ones, d[0], d[1], &low), two_b = add_bits(low, d[2], d[3], &low);
        bits64 four_a = add_bits(twos, two_a, two_b, &twos);
        two_a = add_bits(low, d[4], d[5], &low);
        two_b = add_bits(low, d[6], d[7], &ones);
        bits64 four_b = add_bits(twos, two_a, two_b, &twos);
        total += count_bits(add_bits(fours, four_a, four_b, &fours));
    }
    total = (total << 3) + (ones ^ twos ^ fours);
    *sum = total[0] + total[1] + total[2] + total[3];
    return (double)steps * VECTORS * LANES;
}
#else
static double logic(uint64_t steps, uint64_t *sum) {
    enum { WORDS = 4 };
    uint64_t a0 = 0x0123456789ABCDEF, a1 = 0x1032547698BADCFE, b0 = 0x76543210FEDCBA98, b1 = 0x67452301EFCDAB89;
    uint64_t sums[WORDS] = {0};
    for (uint64_t step = 0; step < steps; step++) {
        for (int c = 0; c < WORDS; c++) {
            __asm__ volatile("" : "+r"(a0), "+r"(a1));
            sums[c] += (uint64_t)__builtin_popcountll((a0 ^ b0) | (a1 ^ b1));
        }
    }
    *sum = sums[0] + sums[1] + sums[2] + sums[3];
    return (double)steps * WORDS;
}
#endif

const rates_loops WL_CORE(rates_loops) = {logic, bytes, words, floats, doubles};
