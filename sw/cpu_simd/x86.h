/* What the x86 cores share: their instructions differ in the vectors' width alone. The including file defines vector,
   VECTOR_BYTES, V(name): the intrinsic, and SI(name): the one whose name ends in the vector's bits (_mm256_and_si256). */
#ifndef SW_CPU_SIMD_X86_H
#define SW_CPU_SIMD_X86_H

#include <immintrin.h>

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

#endif
