/* A core, once for each instruction set: what the compiler's own notation of vectors has no word for.
   Compiled for: portable fma_avx2 bw_avx512 */
#include <math.h>
#include <string.h>

#if defined WL_FOR_PORTABLE // vectors of 16 bytes, which the compiler turns into SSE2, NEON or plain numbers

#define VECTOR_BYTES 16
#define ACCUMULATORS 12
#define FEW_KEPT 0
#define STAY(vector) (void)0
#include "peeling/core/vectors.h"

/* In the compiler's own notation, lane by lane. */
#define PORTABLE_OF(type, real)                                                                                     \
    INLINE vector_##type larger_##type(vector_##type a, vector_##type b) {                                          \
        const integers_##type first = (integers_##type)(a > b);                                                     \
        return (vector_##type)(((integers_##type)a & first) | ((integers_##type)b & ~first));                       \
    }                                                                                                               \
    INLINE int any_below_##type(vector_##type a, vector_##type b) {                                                 \
        const integers_##type below = (integers_##type)(a < b);                                                     \
        int any = 0;                                                                                                \
        for (size_t i = 0; i < VECTOR_BYTES / sizeof(real); i++) any |= below[i] != 0;                              \
        return any;                                                                                                 \
    }                                                                                                               \
    INLINE void look_up_##type(const real *table, const uint8_t *sets, vector_##type out[CPU_FEW]) {                \
        for (int s = 0; s < CPU_FEW; s++) {                                                                         \
            real number[VECTOR_BYTES / sizeof(real)];                                                               \
            for (size_t i = 0; i < VECTOR_BYTES / sizeof(real); i++) number[i] = table[s * CPU_FEW_SETS + sets[i]]; \
            memcpy(&out[s], number, sizeof number);                                                                 \
        }                                                                                                           \
    }

PORTABLE_OF(single, float)
PORTABLE_OF(double, double)

#elif defined WL_FOR_FMA_AVX2 // Haswell, Zen and later

#include <immintrin.h>

#define VECTOR_BYTES 32
#define ACCUMULATORS 12
#define FEW_KEPT 0
#define STAY(vector) (void)0
#include "peeling/core/vectors.h"

INLINE int any_below_single(vector_single a, vector_single b) {
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)) != 0;
}
INLINE int any_below_double(vector_double a, vector_double b) {
    return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)) != 0;
}
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

#else // AVX-512: Skylake-X, Zen 4 and later

#include <immintrin.h>

#define VECTOR_BYTES 64
#define ACCUMULATORS 24
#define FEW_KEPT 1
#define STAY(vector) __asm__("" : "+v"(vector))
#include "peeling/core/vectors.h"

INLINE int any_below_single(vector_single a, vector_single b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ) != 0; }
INLINE int any_below_double(vector_double a, vector_double b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ) != 0; }

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

#endif

#include "peeling/core/precisions.h"
