#include "harness/probes/rates_cpu.h"

#include <stddef.h>

#ifdef __AVX512VPOPCNTDQ__
#include <immintrin.h>

/* "It may have changed": the compiler must do the logic anew in every step. */
#define UNKNOWN(vector) __asm__ volatile("" : "+v"(vector))

enum { ROWS = 4, COLUMNS = 2, LANES = 8 };

static __m512i some_bits(int which) {
    return _mm512_set1_epi64((long long)(UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)which));
}

/* A tile of row against column vectors, as a good kernel has it: eight independent sums, four instructions each (xor,
   three-input logic, popcount, add). */
static double loop(uint64_t steps, uint64_t *sum) {
    __m512i a0[ROWS], a1[ROWS], b0[COLUMNS], b1[COLUMNS], sums[ROWS][COLUMNS];
    for (int r = 0; r < ROWS; r++) {
        a0[r] = some_bits(r + 1);
        a1[r] = some_bits(r + 3);
    }
    for (int c = 0; c < COLUMNS; c++) {
        b0[c] = some_bits(c + 5);
        b1[c] = some_bits(c + 7);
        for (int r = 0; r < ROWS; r++) sums[r][c] = _mm512_setzero_si512();
    }
    for (uint64_t step = 0; step < steps; step++) {
        for (int r = 0; r < ROWS; r++) {
            UNKNOWN(a0[r]);
            UNKNOWN(a1[r]);
            for (int c = 0; c < COLUMNS; c++) {
                __m512i differ = _mm512_ternarylogic_epi64(_mm512_xor_si512(a0[r], b0[c]), a1[r], b1[c], 0xF6);
                sums[r][c] = _mm512_add_epi64(sums[r][c], _mm512_popcnt_epi64(differ));
            }
        }
    }
    *sum = 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) *sum += (uint64_t)_mm512_reduce_add_epi64(sums[r][c]);
    return (double)steps * ROWS * COLUMNS * LANES;
}

wl_logic_loop *const wl_logic_loop_avx512 = loop;
#else
wl_logic_loop *const wl_logic_loop_avx512 = NULL;
#endif
