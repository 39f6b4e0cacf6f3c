/* A core on x86. The build compiles it once per instruction set; they differ in the width of vectors and in the look-up in a
   row of the matrix.
   Compiled for: sse41 avx2 bw_avx512 vbmi_avx512 amd_vbmi_avx512 */
#ifdef __SSE4_1__ // else: another architecture
#include "sw/kit/vectors_x86.h"

#include "sw/cpu_simd/lanes.h"

/* The word of a lane: instructions that rearrange bytes work within 16 bytes, and need this order. */
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

#if VECTOR_BYTES == 64
#define BESTS 4
#ifdef WL_FOR_AMD_VBMI_AVX512
#define CUT (COLUMNS / 2)
#else
#define CUT COLUMNS
#endif
#define UNROLL_ROWS _Pragma("GCC unroll 2")
#endif

#include "sw/cpu_simd/widths.h"

#endif
