/* The core for SSE4.1 (Penryn, 2008, and everything since): 16 subjects at a time. */
#include "sw/cpu_simd/core.h"

#ifdef __SSE4_1__

#include <immintrin.h>

#define VECTOR_BYTES 16
typedef __m128i vector;
#define V(name) _mm_##name
#define SI(name) _mm_##name##_si128
#define REPEATED(v) (v)

#include "sw/cpu_simd/x86.h"
#include "sw/cpu_simd/lookup16.h"

INLINE vector widen_16(vector v) { return _mm_cvtepi8_epi16(v); }
INLINE vector widen_32(vector v) { return _mm_cvtepi8_epi32(v); }

#define BESTS 1
#define UNROLL_ROWS
#define max_too_8 max_8
#define max_too_16 max_16
#define max_too_32 max_32

#include "sw/cpu_simd/widths.h"

const cpu_core *const cpu_core_sse41 = &core;

#else

const cpu_core *const cpu_core_sse41 = NULL;

#endif
