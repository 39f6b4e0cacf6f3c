/* The core for SSE4.1 (Penryn, 2008, and everything since): 8 vectors at a time. */
#include "papara/cpu_simd/core.h"

#ifdef __SSE4_1__

#include <immintrin.h>

#define VECTOR_BYTES 16
typedef __m128i vector;
#define V(name) _mm_##name

#include "papara/cpu_simd/x86.h"

#include "papara/cpu_simd/widths.h"

const cpu_core *const cpu_core_sse41 = &core;

#else

const cpu_core *const cpu_core_sse41 = NULL;

#endif
