/* The core for AVX-512BW (Skylake-X and later, Zen 4): 32 vectors at a time. */
#include "papara/cpu_simd/core.h"

#ifdef __AVX512BW__

#include <immintrin.h>

#define VECTOR_BYTES 64
typedef __m512i vector;
#define V(name) _mm512_##name

#include "papara/cpu_simd/x86.h"

/* Intel starts one minimum of 512 bits a cycle, but two additions: the second unit knows comparisons into a mask and moves
   under a mask, and takes some of the load. Of nine minima in three columns one is enough. */
#define TOO 3
#define MIN_TOO_OF(bits)                                                             \
    INLINE vector min_too_##bits(vector a, vector b) {                               \
        return _mm512_mask_mov_epi##bits(a, _mm512_cmpgt_epi##bits##_mask(a, b), b); \
    }

MIN_TOO_OF(16)
MIN_TOO_OF(32)

#include "papara/cpu_simd/widths.h"

const cpu_core *const cpu_core_avx512bw = &core;

#else

const cpu_core *const cpu_core_avx512bw = NULL;

#endif
