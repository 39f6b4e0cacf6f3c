/* A core on x86, once for each instruction set: their instructions differ in the vectors' width, and in how a row of the matrix is
   looked up in.
   Compiled for: sse41 avx2 bw_avx512 vbmi_avx512 */
#ifdef __SSE4_1__ /* else: another architecture */
#include <immintrin.h>

/* V(name): the intrinsic; SI(name): the one whose name ends in the vector's bits (_mm256_and_si256). */
#if defined WL_FOR_SSE41 // Penryn, 2008, and everything since: 16 subjects at a time
#define VECTOR_BYTES 16
typedef __m128i vector;
#define V(name) _mm_##name
#define SI(name) _mm_##name##_si128
#define REPEATED(v) (v)
#define LOW_HALF(v) (v)
#define LOW_QUARTER(v) (v)
#elif defined WL_FOR_AVX2 // Haswell, Zen and later: 32 subjects at a time
#define VECTOR_BYTES 32
typedef __m256i vector;
#define V(name) _mm256_##name
#define SI(name) _mm256_##name##_si256
#define REPEATED(v) _mm256_broadcastsi128_si256(v)
#define LOW_HALF(v) _mm256_castsi256_si128(v)
#define LOW_QUARTER(v) _mm256_castsi256_si128(v)
#else // AVX-512BW: Skylake-X and later; with VBMI Ice Lake, Zen 4 and later: 64 subjects at a time
#define VECTOR_BYTES 64
typedef __m512i vector;
#define V(name) _mm512_##name
#define SI(name) _mm512_##name##_si512
#define REPEATED(v) _mm512_broadcast_i32x4(v)
#define LOW_HALF(v) _mm512_castsi512_si256(v)
#define LOW_QUARTER(v) _mm512_castsi512_si128(v)
#endif

#include "sw/cpu_simd/lanes.h"

INLINE vector load(const void *from) { return SI(load)((const vector *)from); }
INLINE void store(void *to, vector v) { SI(store)((vector *)to, v); }
INLINE vector both(vector a, vector b) { return SI(and)(a, b); }
INLINE vector either(vector a, vector b) { return SI(or)(a, b); }

#define LANES_OF(bits)                                                                \
    INLINE vector splat_##bits(int x) { return V(set1_epi##bits)((int##bits##_t)x); } \
    INLINE vector add_##bits(vector a, vector b) { return V(add_epi##bits)(a, b); }   \
    INLINE vector sub_##bits(vector a, vector b) { return V(sub_epi##bits)(a, b); }   \
    INLINE vector max_##bits(vector a, vector b) { return V(max_epi##bits)(a, b); }

LANES_OF(8)
LANES_OF(16)
LANES_OF(32)

/* As unsigned numbers, those that are not negative saturate at 0; there is no such subtraction in 32 bits. */
INLINE vector decay_8(vector a, vector b) { return V(subs_epu8)(a, b); }
INLINE vector decay_16(vector a, vector b) { return V(subs_epu16)(a, b); }
INLINE vector decay_32(vector a, vector b) { return V(max_epi32)(V(sub_epi32)(a, b), V(set1_epi32)(0)); }

INLINE vector widen_8(vector v) { return v; }
INLINE vector widen_16(vector v) { return V(cvtepi8_epi16)(LOW_HALF(v)); }
INLINE vector widen_32(vector v) { return V(cvtepi8_epi32)(LOW_QUARTER(v)); }

/* The word of a lane: instructions that rearrange bytes do so within 16 bytes, and this is the order they need. */
INLINE size_t place(size_t lane) { return lane % 16 / 4 * (VECTOR_BYTES / 4) + lane / 16 * 4 + lane % 4; }

/* words [VECTOR_BYTES]: four residues of each lane, at place(lane); columns[c]: the c-th residue of each. */
INLINE void transpose(const uint32_t *words, vector columns[COLUMNS]) {
    const __m128i pick16 = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const vector pick = REPEATED(pick16);
    vector four[4];
    for (int v = 0; v < 4; v++) four[v] = V(shuffle_epi8)(load(words + v * (VECTOR_BYTES / 4)), pick);
    const vector low01 = V(unpacklo_epi32)(four[0], four[1]), high01 = V(unpackhi_epi32)(four[0], four[1]);
    const vector low23 = V(unpacklo_epi32)(four[2], four[3]), high23 = V(unpackhi_epi32)(four[2], four[3]);
    columns[0] = V(unpacklo_epi64)(low01, low23);
    columns[1] = V(unpackhi_epi64)(low01, low23);
    columns[2] = V(unpacklo_epi64)(high01, high23);
    columns[3] = V(unpackhi_epi64)(high01, high23);
}

#ifdef WL_FOR_VBMI_AVX512
/* A permutation of bytes looks up in a table of 64, and so a row of the matrix in one instruction. */
INLINE vector scores_of(const int8_t *row, vector residues) {
    const __m256i table = _mm256_loadu_si256((const __m256i *)row);
    return _mm512_permutexvar_epi8(residues, _mm512_castsi256_si512(table)); // residues are below 32
}
#else
/* A byte shuffle looks up in a table of 16. A row of the matrix is two tables, and an index whose highest bit is set gives 0, so
   that either table answers for its own residues. */
INLINE vector scores_of(const int8_t *row, vector residues) {
    const vector low = REPEATED(_mm_loadu_si128((const __m128i *)row));
    const vector high = REPEATED(_mm_loadu_si128((const __m128i *)(row + 16)));
    const vector in_low = V(add_epi8)(residues, V(set1_epi8)(0x70)); // from 16 on: 0x80 and more
    const vector in_high = V(sub_epi8)(residues, V(set1_epi8)(16));  // below 16: negative
    return either(V(shuffle_epi8)(low, in_low), V(shuffle_epi8)(high, in_high));
}
#endif

#if VECTOR_BYTES == 64
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

#include "sw/cpu_simd/widths.h"

#endif
