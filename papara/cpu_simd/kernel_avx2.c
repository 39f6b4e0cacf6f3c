/* The core for AVX2 (Haswell, Zen and later): 16 vectors at a time. */
#include "papara/cpu_simd/core.h"

#ifdef __AVX2__

#include <immintrin.h>

#define VECTOR_BYTES 32
typedef __m256i vector;
#define V(name) _mm256_##name

#include "papara/cpu_simd/x86.h"

#include "papara/cpu_simd/widths.h"

const cpu_core *const cpu_core_avx2 = &core;

#else

const cpu_core *const cpu_core_avx2 = NULL;

#endif
