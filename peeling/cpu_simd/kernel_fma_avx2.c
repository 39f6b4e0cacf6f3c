/* The core for AVX2 with FMA (Haswell, Zen and later). */
#include "peeling/cpu_simd/core.h"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

#define VECTOR_BYTES 32
#include "peeling/cpu_simd/vectors.h"

#define ACCUMULATORS 12

INLINE vector_single larger_single(vector_single a, vector_single b) { return _mm256_max_ps(a, b); }
INLINE vector_double larger_double(vector_double a, vector_double b) { return _mm256_max_pd(a, b); }

/* Half of a table's 16 numbers each: a permutation's eight. */
INLINE void look_up_single(const float *table, const uint8_t *sets, vector_single out[CPU_FEW]) {
    const __m256i set = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)sets));
    const __m256 high = _mm256_castsi256_ps(_mm256_slli_epi32(set, 28));
    for (int s = 0; s < CPU_FEW; s++) {
        const float *row = table + s * CPU_FEW_SETS;
        const __m256 a = _mm256_permutevar8x32_ps(_mm256_load_ps(row), set);
        const __m256 b = _mm256_permutevar8x32_ps(_mm256_load_ps(row + 8), set);
        out[s] = _mm256_blendv_ps(a, b, high);
    }
}

INLINE void look_up_double(const double *table, const uint8_t *sets, vector_double out[CPU_FEW]) {
    for (int s = 0; s < CPU_FEW; s++) {
        const double *row = table + s * CPU_FEW_SETS;
        out[s] = _mm256_setr_pd(row[sets[0]], row[sets[1]], row[sets[2]], row[sets[3]]);
    }
}

#include "peeling/cpu_simd/precisions.h"

const cpu_core *const cpu_core_avx2fma = &core;

#else

const cpu_core *const cpu_core_avx2fma = NULL;

#endif
