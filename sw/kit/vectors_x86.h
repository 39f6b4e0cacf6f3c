/* Vectors of an x86 instruction set: the operations in which the skeletons of sw/cpu_simd and sw/core are written. The build
   compiles files that include this one (*_each.c) once per instruction set. sw/kit/vectors_portable.h has the same
   operations for any machine.

   vector, VECTOR_BYTES                             the type and its size
   load(p), store(p, v), both(a, b), either(a, b)   bitwise and, or
   splat_BITS(x), add_BITS, sub_BITS, max_BITS      signed lanes, which wrap round
   max_too_BITS                                     the same as max_BITS, perhaps on other execution units
   decay_BITS(a, b)                                 a - b, or 0 if that is negative; neither a nor b may be negative
   any_above_BITS(a, b)                             is any lane of a larger than the same lane of b?
   first_BITS(x)                                    x in lane 0, 0 in all others
   next_BITS(v)                                     each lane's value in the lane after it, 0 in lane 0
   scores_of(row, residues)                         row[residue] for each byte; row: int8_t [SW_CODES]
   widen_BITS(v)                                    the first bytes of v, sign-extended to lanes */
#pragma once

#include <immintrin.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

/* V(name): the intrinsic; SI(name): the one whose name ends in the vector's bits (_mm256_and_si256). */
#if defined WL_FOR_SSE41 // Penryn, 2008, and everything since: 16 bytes
#define VECTOR_BYTES 16
typedef __m128i vector;
#define V(name) _mm_##name
#define SI(name) _mm_##name##_si128
#define REPEATED(v) (v)
#define LOW_HALF(v) (v)
#define LOW_QUARTER(v) (v)
#define FROM_LOW(v) (v)
#elif defined WL_FOR_AVX2 // Haswell, Zen and later: 32 bytes
#define VECTOR_BYTES 32
typedef __m256i vector;
#define V(name) _mm256_##name
#define SI(name) _mm256_##name##_si256
#define REPEATED(v) _mm256_broadcastsi128_si256(v)
#define LOW_HALF(v) _mm256_castsi256_si128(v)
#define LOW_QUARTER(v) _mm256_castsi256_si128(v)
#define FROM_LOW(v) _mm256_zextsi128_si256(v)
#else // AVX-512BW: Skylake-X and later; with VBMI Ice Lake, Zen 4 and later: 64 bytes
#define VECTOR_BYTES 64
typedef __m512i vector;
#define V(name) _mm512_##name
#define SI(name) _mm512_##name##_si512
#define REPEATED(v) _mm512_broadcast_i32x4(v)
#define LOW_HALF(v) _mm512_castsi512_si256(v)
#define LOW_QUARTER(v) _mm512_castsi512_si128(v)
#define FROM_LOW(v) _mm512_zextsi128_si512(v)
#endif

INLINE vector load(const void *from) { return SI(load)((const vector *)from); }
INLINE void store(void *to, vector v) { SI(store)((vector *)to, v); }
INLINE vector both(vector a, vector b) { return SI(and)(a, b); }
INLINE vector either(vector a, vector b) { return SI(or)(a, b); }

/* Moves v up by so many bytes. A shift instruction stays within 16 bytes, so a permutation first brings the 16 before. */
#if VECTOR_BYTES == 16
#define NEXT(v, bytes) _mm_slli_si128(v, bytes)
#elif VECTOR_BYTES == 32
#define NEXT(v, bytes) _mm256_alignr_epi8(v, _mm256_permute2x128_si256(v, v, 0x08), 16 - (bytes))
#else
#define NEXT(v, bytes) _mm512_alignr_epi8(v, _mm512_maskz_shuffle_i64x2(0xFC, v, v, 0x90), 16 - (bytes))
#endif

#if VECTOR_BYTES == 64
#define ANY_ABOVE(bits, a, b) (_mm512_cmpgt_epi##bits##_mask(a, b) != 0)
#else
#define ANY_ABOVE(bits, a, b) (V(movemask_epi8)(V(cmpgt_epi##bits)(a, b)) != 0)
#endif

#define LANES_OF(bits)                                                                                               \
    INLINE vector splat_##bits(int x) { return V(set1_epi##bits)((int##bits##_t)x); }                                \
    INLINE vector add_##bits(vector a, vector b) { return V(add_epi##bits)(a, b); }                                  \
    INLINE vector sub_##bits(vector a, vector b) { return V(sub_epi##bits)(a, b); }                                  \
    INLINE vector max_##bits(vector a, vector b) { return V(max_epi##bits)(a, b); }                                  \
    INLINE int any_above_##bits(vector a, vector b) { return ANY_ABOVE(bits, a, b); }                                \
    INLINE vector first_##bits(int x) { return FROM_LOW(_mm_cvtsi32_si128((int)(uint##bits##_t)(int##bits##_t)x)); } \
    INLINE vector next_##bits(vector v) { return NEXT(v, (bits) / 8); }

LANES_OF(8)
LANES_OF(16)
LANES_OF(32)

/* An unsigned subtraction stops at 0, and for lanes that are not negative it is the signed one. 32 bits have none. */
INLINE vector decay_8(vector a, vector b) { return V(subs_epu8)(a, b); }
INLINE vector decay_16(vector a, vector b) { return V(subs_epu16)(a, b); }
INLINE vector decay_32(vector a, vector b) { return V(max_epi32)(V(sub_epi32)(a, b), V(set1_epi32)(0)); }

INLINE vector widen_8(vector v) { return v; }
INLINE vector widen_16(vector v) { return V(cvtepi8_epi16)(LOW_HALF(v)); }
INLINE vector widen_32(vector v) { return V(cvtepi8_epi32)(LOW_QUARTER(v)); }

#if defined WL_FOR_VBMI_AVX512 || defined WL_FOR_AMD_VBMI_AVX512
/* A permutation of bytes is a look-up in a table of 64: one instruction for a row of the matrix. */
INLINE vector scores_of(const int8_t *row, vector residues) {
    const __m256i table = _mm256_loadu_si256((const __m256i *)row);
    return _mm512_permutexvar_epi8(residues, _mm512_castsi256_si512(table)); // residues are below 32
}
#else
/* A byte shuffle is a look-up in a table of 16, so a row of the matrix is two tables. An index whose highest bit is set gives
   0, so each table answers only for its own residues. */
INLINE vector scores_of(const int8_t *row, vector residues) {
    const vector low = REPEATED(_mm_loadu_si128((const __m128i *)row));
    const vector high = REPEATED(_mm_loadu_si128((const __m128i *)(row + 16)));
    const vector in_low = V(add_epi8)(residues, V(set1_epi8)(0x70)); // from 16 on: 0x80 and more
    const vector in_high = V(sub_epi8)(residues, V(set1_epi8)(16));  // below 16: negative
    return either(V(shuffle_epi8)(low, in_low), V(shuffle_epi8)(high, in_high));
}
#endif

#if VECTOR_BYTES == 64 && !defined WL_FOR_AMD_VBMI_AVX512
/* Intel's CPUs start two additions of 512 bits per cycle, but only one maximum. The other unit can compare into a mask and
   move under a mask, so this form of the maximum runs there. AMD's CPUs start two maxima per cycle, but only one comparison. */
#define MAX_TOO_OF(bits)                                                             \
    INLINE vector max_too_##bits(vector a, vector b) {                               \
        return _mm512_mask_mov_epi##bits(a, _mm512_cmpgt_epi##bits##_mask(b, a), b); \
    }
MAX_TOO_OF(8)
MAX_TOO_OF(16)
MAX_TOO_OF(32)
#else
#define max_too_8 max_8
#define max_too_16 max_16
#define max_too_32 max_32
#endif
