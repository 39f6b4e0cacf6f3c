/* The core for AVX-512 (Skylake-X, Zen 4 and later). */
#include "peeling/cpu_simd/core.h"

#ifdef __AVX512BW__

#include <immintrin.h>

#define VECTOR_BYTES 64
#include "peeling/cpu_simd/vectors.h"

#define ACCUMULATORS 24

INLINE vector_single larger_single(vector_single a, vector_single b) { return _mm512_max_ps(a, b); }
INLINE vector_double larger_double(vector_double a, vector_double b) { return _mm512_max_pd(a, b); }

/* A table's 16 numbers are one register, or two. */
INLINE void look_up_single(const float *table, const uint8_t *sets, vector_single out[CPU_FEW]) {
    const __m512i set = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)sets));
    for (int s = 0; s < CPU_FEW; s++) out[s] = _mm512_permutexvar_ps(set, _mm512_load_ps(table + s * CPU_FEW_SETS));
}

INLINE void look_up_double(const double *table, const uint8_t *sets, vector_double out[CPU_FEW]) {
    const __m512i set = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)sets));
    for (int s = 0; s < CPU_FEW; s++) {
        const double *row = table + s * CPU_FEW_SETS;
        out[s] = _mm512_permutex2var_pd(_mm512_load_pd(row), set, _mm512_load_pd(row + 8));
    }
}

#include "peeling/cpu_simd/precisions.h"

const cpu_core *const cpu_core_avx512bw = &core;

#else

const cpu_core *const cpu_core_avx512bw = NULL;

#endif
