/* What both AVX-512 cores share: 64 subjects at a time. */
#ifndef SW_CPU_SIMD_AVX512_H
#define SW_CPU_SIMD_AVX512_H

#include <immintrin.h>

#define VECTOR_BYTES 64
typedef __m512i vector;
#define V(name) _mm512_##name
#define SI(name) _mm512_##name##_si512
#define REPEATED(v) _mm512_broadcast_i32x4(v)

#include "sw/cpu_simd/x86.h"

INLINE vector widen_16(vector v) { return _mm512_cvtepi8_epi16(_mm512_castsi512_si256(v)); }
INLINE vector widen_32(vector v) { return _mm512_cvtepi8_epi32(_mm512_castsi512_si128(v)); }

/* Intel starts one maximum of 512 bits a cycle, but two additions: the second unit knows comparisons into a mask and moves
   under a mask, and takes some of the load. */
#define MAX_TOO_OF(bits)                                                             \
    INLINE vector max_too_##bits(vector a, vector b) {                               \
        return _mm512_mask_mov_epi##bits(a, _mm512_cmpgt_epi##bits##_mask(b, a), b); \
    }

#define BESTS 4
#define UNROLL_ROWS _Pragma("GCC unroll 2")
MAX_TOO_OF(8)
MAX_TOO_OF(16)
MAX_TOO_OF(32)

#endif
