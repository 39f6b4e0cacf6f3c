/* The core for AVX2 (Haswell, Zen and later): 32 subjects at a time. */
#include "sw/cpu_simd/core.h"

#ifdef __AVX2__

#include <immintrin.h>

#define VECTOR_BYTES 32
typedef __m256i vector;
#define V(name) _mm256_##name
#define SI(name) _mm256_##name##_si256
#define REPEATED(v) _mm256_broadcastsi128_si256(v)

#include "sw/cpu_simd/x86.h"
#include "sw/cpu_simd/lookup16.h"

INLINE vector widen_16(vector v) { return _mm256_cvtepi8_epi16(_mm256_castsi256_si128(v)); }
INLINE vector widen_32(vector v) { return _mm256_cvtepi8_epi32(_mm256_castsi256_si128(v)); }

#define BESTS 1
#define UNROLL_ROWS
#define max_too_8 max_8
#define max_too_16 max_16
#define max_too_32 max_32

#include "sw/cpu_simd/widths.h"

const cpu_core *const cpu_core_avx2 = &core;

#else

const cpu_core *const cpu_core_avx2 = NULL;

#endif
