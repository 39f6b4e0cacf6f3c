/* A core, compiled once per instruction set: the vector instructions, and the inner loops for two widths of a lane.
   Compiled for: portable sse41 avx2 bw_avx512 */
#include <string.h>

#include "papara/cpu_simd/core.h"

#define INLINE static inline __attribute__((always_inline))

#ifdef WL_FOR_PORTABLE

/* Vectors of 16 bytes in the compiler's own notation. It makes SSE2, NEON or plain 64-bit words of them. */
#define VECTOR_BYTES 16
typedef uint8_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* Unsigned, because unsigned numbers wrap round in C. */
#define LANES_OF(bits)                                                                                         \
    typedef int##bits##_t signed_##bits __attribute__((vector_size(VECTOR_BYTES), may_alias));                 \
    typedef uint##bits##_t unsigned_##bits __attribute__((vector_size(VECTOR_BYTES), may_alias));              \
    INLINE vector splat_##bits(int64_t x) { return (vector)((signed_##bits){0} + (int##bits##_t)x); }          \
    INLINE vector add_##bits(vector a, vector b) { return (vector)((unsigned_##bits)a + (unsigned_##bits)b); } \
    INLINE vector sub_##bits(vector a, vector b) { return (vector)((unsigned_##bits)a - (unsigned_##bits)b); } \
    INLINE vector min_##bits(vector a, vector b) {                                                             \
        const vector less = (vector)((signed_##bits)a < (signed_##bits)b);                                     \
        return (a & less) | (b & ~less);                                                                       \
    }                                                                                                          \
    INLINE vector max_##bits(vector a, vector b) {                                                             \
        const vector less = (vector)((signed_##bits)a < (signed_##bits)b);                                     \
        return (b & less) | (a & ~less);                                                                       \
    }

#else

#include <immintrin.h>

#if defined WL_FOR_SSE41 // Penryn, 2008, and everything since: 8 vectors at a time
#define VECTOR_BYTES 16
typedef __m128i vector;
#define V(name) _mm_##name
#elif defined WL_FOR_AVX2 // Haswell, Zen and later: 16 vectors at a time
#define VECTOR_BYTES 32
typedef __m256i vector;
#define V(name) _mm256_##name
#else // AVX-512BW: Skylake-X and later, Zen 4: 32 vectors at a time
#define VECTOR_BYTES 64
typedef __m512i vector;
#define V(name) _mm512_##name
#endif

#define LANES_OF(bits)                                                                    \
    INLINE vector splat_##bits(int64_t x) { return V(set1_epi##bits)((int##bits##_t)x); } \
    INLINE vector add_##bits(vector a, vector b) { return V(add_epi##bits)(a, b); }       \
    INLINE vector sub_##bits(vector a, vector b) { return V(sub_epi##bits)(a, b); }       \
    INLINE vector min_##bits(vector a, vector b) { return V(min_epi##bits)(a, b); }       \
    INLINE vector max_##bits(vector a, vector b) { return V(max_epi##bits)(a, b); }

#endif

LANES_OF(16)
LANES_OF(32)

#ifdef WL_FOR_BW_AVX512
/* Intel starts one 512-bit minimum per cycle, but two additions. The second unit can compare into a mask and move under a mask, so it
   takes one of the nine minima in three columns, which is enough. */
#define TOO 3
#define MIN_TOO_OF(bits)                                                             \
    INLINE vector min_too_##bits(vector a, vector b) {                               \
        return _mm512_mask_mov_epi##bits(a, _mm512_cmpgt_epi##bits##_mask(a, b), b); \
    }

MIN_TOO_OF(16)
MIN_TOO_OF(32)
#else // all units that can compute a minimum are equally busy
#define TOO 1
#define min_too_16 min_16
#define min_too_32 min_32
#endif

#define BITS 16
#include "papara/cpu_simd/columns.h"
#define BITS 32
#include "papara/cpu_simd/columns.h"

const cpu_core WL_CORE(cpu_core) = {VECTOR_BYTES, {scan_16, scan_32}};
