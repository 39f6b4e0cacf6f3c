/* The core for AVX-512 with VBMI (Ice Lake, Zen 4 and later): a permutation of bytes looks up in a table of 64, and so a row
   of the matrix in one instruction. */
#include "sw/cpu_simd/core.h"

#ifdef __AVX512VBMI__

#include "sw/cpu_simd/avx512.h"

INLINE vector scores_of(const int8_t *row, vector residues) {
    const __m256i table = _mm256_loadu_si256((const __m256i *)row);
    return _mm512_permutexvar_epi8(residues, _mm512_castsi256_si512(table)); // residues are below 32
}

#include "sw/cpu_simd/widths.h"

const cpu_core *const cpu_core_avx512vbmi = &core;

#else

const cpu_core *const cpu_core_avx512vbmi = NULL;

#endif
