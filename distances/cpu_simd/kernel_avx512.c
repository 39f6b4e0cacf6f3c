/* The core for AVX-512 with VPOPCNTDQ (Ice Lake, Zen 4 and later): a population count of eight 64-bit lanes is one instruction,
   so every word is counted as it comes. */
#include "distances/cpu_simd/core.h"

#if defined(__AVX512BW__) && defined(__AVX512VPOPCNTDQ__)

#include <immintrin.h>

#define VECTOR_BYTES 64

typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* Any function of three bits is one instruction: its truth table. */
#define TERNARY(a, b, c, table) ((vector)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), table))
#define DIFFER(t, a, b) TERNARY(t, a, b, 0xF6)
#define APART(a, b, both) TERNARY(a, b, both, 0x28)

#include "distances/cpu_simd/square.h"

INLINE vector count_bits(vector v) { return (vector)_mm512_popcnt_epi64((__m512i)v); }

/* Sums of the lanes of 16 vectors at once, halving their number with each step: 37 instructions, where 16 separate sums take
   150. Quarter r of the result holds the four sums of counts[r]. A sum fits into 32 bits: 64 words, 7 planes. */
INLINE __m512i add_lanes(vector counts[PANEL][4]) {
    __m512i row[PANEL]; // 32-bit lanes: sums 0 1 2 3, four times, still to be added
#pragma GCC unroll 4
    for (int r = 0; r < PANEL; r++) {
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

INLINE void add_to(uint32_t sums[PANEL][PANEL], __m512i more) {
    _mm512_storeu_si512(sums, _mm512_add_epi32(_mm512_loadu_si512(sums), more));
}

/* Of one pair in one word. */
INLINE vector count_distance(const cpu_kind kind, const unsigned char *row, const unsigned char *column, vector both) {
    if (kind.sum == DISTANCES_DIFFERENT) return count_bits(different(kind, row, column, both));
    vector count = count_bits(steps(kind, 0, row, column, both));
    for (int p = 1; p < kind.planes; p++) count += count_bits(steps(kind, p, row, column, both));
    return count;
}

/* Four rows, four columns, 16 counters that stay in registers; a word that was loaded serves four pairs. */
INLINE __m512i count_complete(const cpu_kind kind, const unsigned char *rows, const unsigned char *columns,
                              size_t words) {
    const size_t instance = (size_t)kind.kept * WORD_BYTES;
    vector counts[PANEL][4] = {{{0}}};
    for (size_t k = 0; k < words; k++) {
        for (int r = 0; r < PANEL; r++)
            for (int c = 0; c < PANEL; c++)
                counts[r][c] += count_distance(kind, rows + r * instance, columns + c * instance, (vector){0});
        rows += PANEL * instance;
        columns += PANEL * instance;
    }
    return add_lanes(counts);
}

/* With missing values a pair has two counters, so two columns are what the registers hold. counts: [row][distances of two columns,
   compared sites of two columns] */
INLINE __m512i count_half(const cpu_kind kind, const unsigned char *rows, const unsigned char *columns, size_t words) {
    const size_t instance = (size_t)kind.kept * WORD_BYTES;
    vector counts[PANEL][4] = {{{0}}};
    for (size_t k = 0; k < words; k++) {
        for (int r = 0; r < PANEL; r++) {
            for (int c = 0; c < 2; c++) {
                const unsigned char *row = rows + r * instance, *column = columns + c * instance;
                const vector both = present(kind, row, column);
                counts[r][c] += count_distance(kind, row, column, both);
                counts[r][2 + c] += count_bits(both);
            }
        }
        rows += PANEL * instance;
        columns += PANEL * instance;
    }
    return add_lanes(counts);
}

INLINE void count_square(const cpu_kind kind, const unsigned char *rows, const unsigned char *columns, size_t words,
                         cpu_square *square) {
    if (kind.complete) {
        add_to(square->distance, count_complete(kind, rows, columns, words));
    } else {
        const __m512i left = count_half(kind, rows, columns, words);
        const __m512i right = count_half(kind, rows, columns + 2 * (size_t)kind.kept * WORD_BYTES, words);
        add_to(square->distance, _mm512_unpacklo_epi64(left, right));
        add_to(square->compared, _mm512_unpackhi_epi64(left, right));
    }
}

#include "distances/cpu_simd/functions.h"

const cpu_core *const cpu_core_avx512vpopcntdq = &core;

#else

const cpu_core *const cpu_core_avx512vpopcntdq = NULL;

#endif
